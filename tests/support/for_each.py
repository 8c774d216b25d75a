"""Checks a rule for many cases in one test, for cases that take less time than the overhead of a test.

It is written like `pytest.mark.parametrize`: two of them, one above the other, try all pairs. All cases run even if
earlier ones fail, and each failure is named and shown.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

Check = Callable[..., None]


@dataclass(frozen=True, slots=True)
class _Case:
    name: str
    arguments: dict[str, Any]


def for_each(
    names: str | tuple[str, ...], cases: Iterable[Any], *, ids: Callable[[Any], str] = repr
) -> Callable[[Check], Check]:
    """Call a test that takes `names` with each case, and fail with an `ExceptionGroup` of all failures.

    Args:
        names: the argument that receives a case, or the arguments that receive its parts.
        cases: the values. An empty list is an error.
        ids: the names of the cases in a failure.
    """
    of_these = [
        _Case(ids(case), {names: case} if isinstance(names, str) else dict(zip(names, case, strict=True)))
        for case in cases
    ]
    assert of_these, f"nothing to try: {names}"

    def decorate(test: Check) -> Check:
        check, of_those = getattr(test, "check_and_cases", (test, [_Case("", {})]))
        pairs = [
            _Case(f"{this.name} {that.name}".strip(), this.arguments | that.arguments)
            for this, that in itertools.product(of_these, of_those)
        ]

        @functools.wraps(check)
        def tried(*given: Any, **named: Any) -> None:
            failures = []
            for case in pairs:
                try:
                    check(*given, **named, **case.arguments)
                except Exception as failure:  # noqa: BLE001 - the next case is tried all the same
                    failure.add_note(f"case: {case.name}")
                    failures.append((case.name, failure))
            if failures:
                which = ", ".join(name for name, _ in failures)
                raise ExceptionGroup(
                    f"{len(failures)} of {len(pairs)} cases fail: {which}", [failure for _, failure in failures]
                )

        signature = inspect.signature(check)
        left = [parameter for name, parameter in signature.parameters.items() if name not in pairs[0].arguments]
        tried.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]  # what pytest reads
        tried.check_and_cases = check, pairs  # type: ignore[attr-defined]  # what another one above continues
        return tried

    return decorate
