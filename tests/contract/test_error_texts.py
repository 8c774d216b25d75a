"""The readers of an error: people and logs get its sentence, a model mostly the same text after ``Error:``.

`test_contract` has the exact texts, including those that the contract words without ``Error:``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from support.for_each import for_each

import s3memory
from s3memory.contract.error_boundary import run_guarded
from s3memory.errors import AlreadyExistsError, ConfigurationError, EditError, RefusedError, S3MemoryError

SENTENCE = "It is in the way."


def kinds(kind: type[S3MemoryError] = S3MemoryError) -> Iterator[type[S3MemoryError]]:
    """Yield a kind of error, and its subclasses whose texts are also written for a model."""
    yield kind
    for below in kind.__subclasses__():
        if not issubclass(below, ConfigurationError) and below.__module__ == S3MemoryError.__module__:
            yield from kinds(below)


def text_for_model(error: S3MemoryError) -> str:
    def fail() -> str:
        raise error

    text, is_error = run_guarded(fail)
    assert is_error
    return text


def test_the_error_prefix_is_added_in_one_place() -> None:
    package = Path(s3memory.__file__).parent
    beginnings = [
        str(module.relative_to(package))
        for module in package.rglob("*.py")
        for node in ast.walk(ast.parse(module.read_text("utf-8")))
        if isinstance(node, ast.Constant) and str(node.value).startswith("Error:")
    ]
    assert beginnings == ["errors.py"]


@for_each("kind", list(kinds()))
def test_a_model_reads_the_prefix_before_every_error_except_those_of_edits(kind: type[S3MemoryError]) -> None:
    error = AlreadyExistsError(SENTENCE, at="/memories/a") if kind is AlreadyExistsError else kind(SENTENCE)
    assert str(error) == SENTENCE
    assert text_for_model(error) == (SENTENCE if kind is EditError else f"Error: {SENTENCE}")


def test_a_model_reads_a_text_unchanged_if_that_is_requested() -> None:
    error = RefusedError(SENTENCE, is_bare=True)
    assert (str(error), text_for_model(error)) == (SENTENCE, SENTENCE)
