"""Where something stands in a note: its line, and the lines around it. Agents' habits, every second held out."""

from __future__ import annotations

import random

from redaction.generated.marks import Part, fill, take

_LINES = (
    "{}",
    "- {}",
    "- [ ] {} (Jo, before Friday)",
    "* {}.",
    "3. {}",
    "> {}",
    "NOTE: {}",
    "- **wifi and doors** {}",
    "[10:42] mo: {}",
    "10:42 <mo> {}",
    "2026-03-04 09:12 UTC | {}",
    "2026-03-04T09:12:44Z INFO handover {}",
    "## {}",
    "Decision: {}; everybody agreed.",
    "    {}",
    "FYI {}, please do not forward.",
    "\U0001f511 {}",
    "\u2705 {}",
    "# {}",
    "<!-- {} -->",
    "Remember: {}!",
    "({})",
    "She wrote: {}.",
    "TODO(jo): {}",
)
_BEFORE = (
    "# Session 14\n\nPicked up where the last run stopped. Tests pass, two warnings left.\n\n",
    "# Handover\n\nState of the migration: 3 of 5 tables moved, the rest on Thursday.\n\n",
    "## Open points\n\n- [x] ask Tom about the invoice run\n",
    "## TODO\n\n- [x] bump the parser to 2.4.1\n",
    "# Runbook: restore\n\n1. Stop the writers.\n2. Check the lag (`SELECT now() - ts`).\n",
    "# Runbook: failover\n\nTake the node out of the pool first, it drains in about 90 s.\n\n",
    "Meeting 2026-03-02, Ana, Wei, Priya\n\n",
    "Call with the supplier, 40 minutes, Omar and Yuki\n\n",
    "",
    "",
    "The user prefers short answers. Works from Lisbon.\n\n",
    "Context: repo acme/ledger, branch main, commit 4f2a91c.\n\n",
)
_BEHIND = (
    "\n\nNext: close PLAT-812, then look at the flaky test.\n",
    "\n\nLater: ask Yuki about order 4471-09.\n",
    "\n- [ ] write the summary for the board\n",
    "\n* the dashboard still shows dollars\n",
    "\n",
    "",
    "\n\n---\nlast updated by the agent on 2026-03-05\n",
    "\n\n_(end of excerpt)_\n",
)


def placed(rng: random.Random, split: str, parts: list[Part]) -> list[Part]:
    """Return `parts` on a line as notes have them."""
    before, _, behind = take(rng, split, _LINES).partition("{}")
    return [before, *parts, behind]


def lines_around(rng: random.Random, split: str, parts: list[Part]) -> list[Part]:
    """Return `parts` with what stands before and behind them in the note."""
    return fill(
        "{before}{parts}{behind}", before=take(rng, split, _BEFORE), parts=parts, behind=take(rng, split, _BEHIND)
    )
