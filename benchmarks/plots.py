"""Draws bars and curves as SVG files with matplotlib (extra ``bench``), in colours for light and for dark pages."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from growth import Curves
from matplotlib.figure import Figure

# Each row: the colour to draw with, which is replaced by the second on light pages and by the third on dark pages.
_COLOURS: Final = {
    "paper": ("#010101", "#ffffff", "#0d1117"),
    "ink": ("#010102", "#1f2328", "#e6edf3"),
    "grid": ("#010103", "#d0d7de", "#30363d"),
    "blue": ("#010104", "#0969da", "#58a6ff"),
    "orange": ("#010105", "#bc4c00", "#f0883e"),
    "green": ("#010106", "#1a7f37", "#3fb950"),
    "purple": ("#010107", "#8250df", "#bc8cff"),
    "pink": ("#010108", "#bf3989", "#f778ba"),
    "grey": ("#010109", "#6e7781", "#8b949e"),
}
_DRAWN: Final = {name: drawn for name, (drawn, _, _) in _COLOURS.items()}
_SERIES: Final = [_DRAWN[name] for name in ("blue", "orange", "green", "purple", "pink", "grey")]

_INKED: Final = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")

mpl.rcParams.update(
    {
        # No random ids: the same figures give the same bytes.
        "svg.hashsalt": "s3memory",
        "svg.fonttype": "none",
        "figure.facecolor": _DRAWN["paper"],
        "axes.facecolor": _DRAWN["paper"],
        "legend.facecolor": _DRAWN["paper"],
        "savefig.facecolor": _DRAWN["paper"],
        "grid.color": _DRAWN["grid"],
        "legend.edgecolor": _DRAWN["grid"],
        "axes.prop_cycle": f"cycler(color={_SERIES})",
        **dict.fromkeys(_INKED, _DRAWN["ink"]),
    }
)


def draw_curves(curves: Curves, directory: Path) -> None:
    """Write a plot of curves."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for name, points in curves.points.items():
        axes.plot([x for x, _ in points], [y for _, y in points], marker="o", label=name)
    axes.set_xscale("log")
    if curves.logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(curves.along)
    axes.set_ylabel(curves.up)
    axes.grid(visible=True)
    _save(figure, axes, curves.title, directory / curves.file_name)


def draw_bars(race: dict[str, dict[str, list[float]]], titles: dict[str, str], title: str, path: Path) -> None:
    """Write a plot of medians in milliseconds, with whiskers from the lowest to the highest time.

    Args:
        race: seconds of each round, by command and peer.
        titles: the names to show, by peer; other peers are left out.
        title: the plot's title.
        path: where to write it.
    """
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(titles)
    for number, (who, name) in enumerate(titles.items()):
        rounds_ms = [[1_000 * seconds for seconds in by_peer[who]] for by_peer in race.values()]
        middles = [statistics.median(one) for one in rounds_ms]
        whiskers = [
            [middle - min(one) for middle, one in zip(middles, rounds_ms, strict=True)],
            [max(one) - middle for middle, one in zip(middles, rounds_ms, strict=True)],
        ]
        places = [place - 0.4 + (number + 0.5) * width for place in range(len(race))]
        axes.bar(places, middles, width, label=name, yerr=whiskers, ecolor=_DRAWN["ink"], error_kw={"linewidth": 0.8})
    axes.set_xticks(range(len(race)), [what.replace(" of the ", "\nof the ") for what in race])
    axes.set_ylabel("ms")
    axes.set_axisbelow(True)
    axes.grid(visible=True, axis="y")
    _save(figure, axes, title, path)


def _save(figure: Figure, axes: Any, title: str, path: Path) -> None:
    axes.set_title(title[0].upper() + title[1:])
    axes.legend()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    text = path.read_text("utf-8")
    for name, (drawn, light, _) in _COLOURS.items():
        text = text.replace(drawn, f"var(--{name}, {light})")
    light_ones = "".join(f"--{name}:{light};" for name, (_, light, _) in _COLOURS.items())
    dark_ones = "".join(f"--{name}:{dark};" for name, (_, _, dark) in _COLOURS.items())
    style = f"<style>:root{{{light_ones}}}@media (prefers-color-scheme: dark){{:root{{{dark_ones}}}}}</style>"
    head, end, rest = text.partition("<metadata>")
    # matplotlib leaves spaces at the ends of lines.
    lines = "\n".join(line.rstrip() for line in f"{head}{style}\n {end}{rest}".splitlines())
    path.write_text(f"{lines}\n", "utf-8")
