"""Curves as SVG files, by matplotlib: of the extra ``bench``."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from growth import Curves
from matplotlib.figure import Figure

# The same bytes for the same curves: no date, and ids that are no random numbers.
mpl.rcParams.update({"svg.hashsalt": "s3memory", "svg.fonttype": "none"})


def draw(curves: Curves, directory: Path) -> Path:
    """Write a plot of some curves, and return where it is."""
    directory.mkdir(exist_ok=True)
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
    axes.set_title(curves.title[0].upper() + curves.title[1:])
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    path = directory / curves.file_name
    figure.savefig(path, metadata={"Date": None})
    return path
