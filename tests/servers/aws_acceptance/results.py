"""The findings: each check with its result, and the page that reports them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from steps import CheckError


class Verdict(StrEnum):
    """The result of a check."""

    HELD = "held"
    DID_NOT_HOLD = "**did not hold**"
    NOT_SHOWN = "not shown"


@dataclass(frozen=True, slots=True)
class Finding:
    """A check and its result.

    Attributes:
        name: what should hold.
        verdict: whether it does.
        detail: what the check saw.
        seconds: how long it took.
    """

    name: str
    verdict: Verdict
    detail: str
    seconds: float


@dataclass(slots=True)
class Results:
    """All checks, in order.

    Attributes:
        where: the account and region, or the server in place of AWS.
        findings: the results so far.
    """

    where: str
    findings: list[Finding] = field(default_factory=list)

    def check(self, name: str, look: Callable[[], str]) -> bool:
        """Run a check and record its result. Return whether it passed. No exception escapes."""
        began = time.monotonic()
        verdict, detail = Verdict.HELD, ""
        try:
            detail = look()
        except CheckError as error:
            verdict, detail = Verdict.DID_NOT_HOLD, _in_a_line(str(error))
        except Exception as error:  # noqa: BLE001 - the other checks and the destruction have to come
            verdict, detail = Verdict.DID_NOT_HOLD, f"{type(error).__name__}: {_in_a_line(str(error))}"
        self.findings.append(Finding(name, verdict, detail, time.monotonic() - began))
        return verdict is Verdict.HELD

    def not_shown(self, name: str, why: str) -> None:
        """Record something that could not be checked."""
        self.findings.append(Finding(name, Verdict.NOT_SHOWN, why, 0.0))

    @property
    def failed(self) -> list[str]:
        """The names of failed checks."""
        return [finding.name for finding in self.findings if finding.verdict is Verdict.DID_NOT_HOLD]

    def page(self, *, cost: str, now: datetime | None = None) -> str:
        """Return the page.

        Args:
            cost: what is known about the cost, in a sentence.
            now: when the run ended.
        """
        rows = [
            f"| {one.name} | {one.verdict} | {one.detail.replace('|', chr(92) + '|')} | {one.seconds:.1f} |"
            for one in self.findings
        ]
        counts = ", ".join(f"{sum(one.verdict is verdict for one in self.findings)} {verdict}" for verdict in Verdict)
        return "\n".join(
            [
                "# Acceptance on AWS",
                "",
                f"Run on {self.where}, {(now or datetime.now(UTC)):%Y-%m-%d %H:%M} UTC. {counts}. {cost}",
                "",
                "| what should hold | | seen | s |",
                "|---|---|---|---|",
                *rows,
                "",
            ]
        )


def _in_a_line(text: str) -> str:
    return " ".join(text.split())[-400:]
