"""Kubernetes Secrets: all values under `data` in such a manifest, whatever their names and the order of its fields."""

from __future__ import annotations

import re
from collections.abc import Iterator

from s3memory.redaction.interface import Span
from s3memory.redaction.rule import Rule
from s3memory.redaction.text.base64_text import decoded
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject

_BORDERS = ("apiVersion", "\n---", "\n```")
_MAX_HEAD = 60  # how far after "kind" its own "apiVersion" may be
_DATA = r"(?m:^)(?P<indent>[ \t-]{0,20})[\"']?data[\"']?:[ \t]{0,9}\r?\n"
_ENTRY = (
    r"(?P<indent>[ \t]{1,40})[\"']?(?P<name>[\w.-]{1,80})[\"']?:[ \t]{1,9}"
    r"(?:[|>][+-]?(?P<block>[ \t]{0,9})|[\"']?(?P<value>[A-Za-z0-9+/]{4,}+={0,2})[\"']?[ \t]{0,9}(?:#[^\n]{0,200})?)"
    r"(?:\r?\n|\Z)"
)
_LINE = r"[^\n]*+\n|[^\n]++\Z"
_COMMENT = r"[ \t\r]{0,40}(?:#[^\n]*+)?(?:\n|(?<=[^\n])\Z)"
_BLOCK_LINE = r"(?P<indent>[ \t]{1,40})(?P<value>[A-Za-z0-9+/]{1,}+={0,2})[ \t\r]{0,9}(?:\n|\Z)"
_PAIR = r"\s{0,40}\"(?P<name>[^\"\n]{1,80})\"\s{0,9}:\s{0,9}\"(?P<value>[A-Za-z0-9+/]{4,}+={0,2})\"\s{0,9}[,}]"
# Names of values that are no secret: what the secret is for.
_HARMLESS = (
    r"(?i)(?:.*[_.-])?(?:user(?:name)?|host(?:name)?|port|database|dbname|namespace|region|bucket|type|(?:ca|tls)\.crt)"
)
_MIN_BINARY, _BASE64_GROUP = 16, 4


class _ManifestRule(Rule):
    """A rule that reads each manifest once, however many "kind: Secret" are in it."""

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield the values under `data` of the manifests in the text of `subject`."""
        if not subject.held(self.anchors):
            return
        text, done = subject.text, 0
        for kind in compiled(self.pattern).finditer(text):
            if kind.start() < done:
                continue
            begin = max(done, *(text.rfind(border, done, kind.start()) for border in _BORDERS))
            ends = [text.find(border, kind.end() + _MAX_HEAD * (border == _BORDERS[0])) for border in _BORDERS]
            done = min([end for end in ends if end >= 0], default=len(text))
            for start, end in (*_yaml_values(text, begin, done), *_json_values(text, begin, done)):
                yield Span(self.kind, start, end)


def _yaml_values(text: str, begin: int, stop: int) -> Iterator[tuple[int, int]]:
    position = begin
    while data := compiled(_DATA).search(text, position, stop):
        position, depth = data.end(), len(data["indent"])
        while line := compiled(_LINE).match(text, position, stop):
            if comment := compiled(_COMMENT).match(text, position, stop):
                position = comment.end()
                continue
            entry = compiled(_ENTRY).match(text, position, stop)
            if len(line[0]) - len(line[0].lstrip(" \t")) <= depth:
                break
            position = entry.end() if entry else line.end()
            if entry is None:  # a line of a nested object
                continue
            if entry["value"]:
                parts = [entry] if _is_encoded(entry["value"]) else []
            else:
                parts = _block_lines(text, entry, stop)
                position = parts[-1].end() if parts else position
            if compiled(_HARMLESS).fullmatch(entry["name"]) is None:
                yield from (part.span("value") for part in parts)


def _block_lines(text: str, entry: re.Match[str], stop: int) -> list[re.Match[str]]:
    """Return the lines of the block that `entry` begins."""
    parts: list[re.Match[str]] = []
    position = entry.end()
    while part := compiled(_BLOCK_LINE).match(text, position, stop):
        if len(part["indent"]) <= len(entry["indent"]):
            break
        parts.append(part)
        position = part.end()
    return parts


def _json_values(text: str, begin: int, stop: int) -> Iterator[tuple[int, int]]:
    for data in compiled(r"\"data\"\s{0,9}:\s{0,9}\{").finditer(text, begin, stop):
        position = data.end()
        while pair := compiled(_PAIR).match(text, position, stop):
            if compiled(_HARMLESS).fullmatch(pair["name"]) is None and _is_encoded(pair["value"]):
                yield pair.span("value")
            position = pair.end()


def _is_encoded(value: str) -> bool:
    """Whether a value is base64: of printable text, or too long for a word."""
    data = decoded(value) if len(value) % _BASE64_GROUP == 0 else b""
    if not data or len(value) >= _MIN_BINARY:
        return bool(data)
    try:
        return data.decode().strip().isprintable()
    except UnicodeDecodeError:
        return False


RULES = (
    _ManifestRule(
        kind="secret",
        anchors=("kind:", 'kind":', "kind':", "kind :"),
        scan=True,
        pattern=r"(?<![\w-])[\"']?kind[\"']?[ \t]{0,4}:[ \t]{0,4}[\"']?Secret[\"']?[ \t]{0,9}(?:[,}\r\n#]|\Z)",
        source="https://kubernetes.io/docs/concepts/configuration/secret/",
        samples=(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\ndata:\n  # as base64\n  key: «bXlwYXNzd29yZA==»\n",
            "apiVersion: 'v1'\ndata:\n  extra: '«YWRtaW46cGFzc3dvcmQ=»'\nkind: 'Secret'\n",
            "data:\n  .dockercfg: |\n    «<alnum:64>»\ntype: kubernetes.io/dockercfg\nkind: Secret",
            '{"apiVersion": "v1", "kind": "Secret", "data": {"a": "«Z3JhdmVs»"}}',
        ),
        near=(
            "kind: ConfigMap\ndata:\n  key: bXlwYXNzd29yZA==\n",
            "kind: Secret\ndata:\n  key: {{ .Values.key | b64enc }}\n  username: YWRtaW4=\n  other: null\n",
            "kind: Secret\nmetadata:\n  name: data\n---\nkind: ConfigMap\ndata:\n  key: bXlwYXNzd29yZA==\n",
        ),
    ),
)
