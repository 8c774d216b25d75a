"""IAM's decisions about requests: an evaluator of the few policy elements and operators that this project uses.

No library does this offline: those on PyPI lint policies, expand them or ask AWS (cloudsplaining, parliament,
policyuniverse, policy_sentry), have had no release since 2022 (policyglass, iamspy) or are under the AGPL
(principalmapper; and iam-simulate, which is for Node), and moto checks neither resources nor conditions. Unknown
elements are errors, so that no policy is taken for weaker or stronger than it is.

The rules are those of the IAM user's guide: "Policy evaluation logic", "Condition operators", "Multivalued context
keys", "Variables and tags", "Resource". All of it is within one account, without boundaries or organization policies.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

Values = str | tuple[str, ...]

_STATEMENT_ELEMENTS = {
    "Sid", "Effect", "Action", "NotAction", "Resource", "NotResource", "Principal", "Condition",
}  # fmt: skip
_ARN_PARTS = 6
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_DEFAULTED = re.compile(r"(?P<key>[^,]+), '(?P<default>[^']*)'")


class UnknownElementError(Exception):
    """A policy contains something that this evaluator does not know."""


class Decision(Enum):
    """The result of all policies together."""

    ALLOWED = "allowed"
    EXPLICITLY_DENIED = "explicitly denied"
    IMPLICITLY_DENIED = "implicitly denied"


@dataclass(frozen=True, slots=True)
class Principal:
    """The sender of a request: a session of a role, or an AWS service.

    Attributes:
        role_arn: the role's ARN, or none for a service.
        session_arn: the session's ARN.
        service: the service, such as ``lambda.amazonaws.com``.
        federated: the ARN of the identity provider that vouches for a sender without a session.
        tags: the session's tags.
        source_function_arn: the Lambda function whose code has the session, if any.
    """

    role_arn: str = ""
    session_arn: str = ""
    service: str = ""
    federated: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    source_function_arn: str = ""

    @property
    def context(self) -> dict[str, Values]:
        """The context keys that identify the sender."""
        tags: dict[str, Values] = {f"aws:PrincipalTag/{key}": value for key, value in self.tags.items()}
        arn: dict[str, Values] = {"aws:PrincipalArn": self.role_arn} if self.role_arn else {}
        function: dict[str, Values] = (
            {"lambda:SourceFunctionArn": self.source_function_arn} if self.source_function_arn else {}
        )
        return {**tags, **arn, **function, "aws:PrincipalIsAWSService": "true" if self.service else "false"}


@dataclass(frozen=True, slots=True)
class Request:
    """An action on a resource, with the context keys that the service provides for it."""

    action: str
    resource: str
    context: Mapping[str, Values] = field(default_factory=dict)


class Grants(Enum):
    """What an ``Allow`` in a resource's policy means."""

    BESIDE_IDENTITY = "one Allow is enough, there or in an identity's policy"  # a bucket's policy
    ALONE = "an identity's policy counts only where this one names the account"  # a key's, a role's trust


@dataclass(frozen=True, slots=True)
class Match:
    """Why a statement applies: its ``Sid``, and the patterns that matched."""

    sid: str
    effect: str
    action: str
    resource: str
    names_account: bool = False


class Policy:
    """A parsed policy document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        if set(document) - {"Version", "Id", "Statement"}:
            raise UnknownElementError(f"policy elements {sorted(document)}")
        self._has_variables = document.get("Version") == "2012-10-17"
        self.statements: list[Mapping[str, Any]] = _listed(document["Statement"])
        for statement in self.statements:
            if set(statement) - _STATEMENT_ELEMENTS or statement["Effect"] not in {"Allow", "Deny"}:
                raise UnknownElementError(f"statement elements {sorted(statement)}")
            for operator in statement.get("Condition", {}):
                _parsed_operator(operator)

    def matches(self, request: Request, principal: Principal) -> Iterator[Match]:
        """Yield every statement that applies to a request, once for each pair of an action and a resource pattern."""
        context = _Context({**request.context, **principal.context}, has_variables=self._has_variables)
        for statement in self.statements:
            named = _named(statement, principal)
            actions = _applying(statement, "Action", lambda pattern: _is_action(pattern, request.action))
            if named is None or not actions or not _conditions_hold(statement.get("Condition", {}), context):
                continue
            for action in actions:
                for resource in _applying(
                    statement, "Resource", lambda pattern: _is_arn(pattern, request.resource, context)
                ):
                    yield Match(statement.get("Sid", ""), statement["Effect"], action, resource, named == "account")


def decide(
    request: Request,
    principal: Principal,
    *,
    identity: Sequence[Policy] = (),
    resource: Policy | None = None,
    resource_grants: Grants = Grants.BESIDE_IDENTITY,
    session: Policy | None = None,
) -> Decision:
    """Decide a request within one account.

    Args:
        request: the request.
        principal: its sender.
        identity: the policies of its role.
        resource: the policy of the requested bucket, key or role.
        resource_grants: what that policy's ``Allow`` means.
        session: the policy that restricts the session.
    """
    by_identity = [match for policy in identity for match in policy.matches(request, principal)]
    by_resource = list(resource.matches(request, principal)) if resource is not None else []
    by_session = list(session.matches(request, principal)) if session is not None else None
    if any(match.effect == "Deny" for match in [*by_identity, *by_resource, *(by_session or [])]):
        return Decision.EXPLICITLY_DENIED
    direct = [match for match in by_resource if not match.names_account]
    allowed = bool(direct)
    if resource_grants is Grants.BESIDE_IDENTITY or len(by_resource) > len(direct):
        allowed = allowed or bool(by_identity)
    if by_session is not None and not by_session:
        allowed = False  # unless a resource's policy names the session itself, which none here does
    return Decision.ALLOWED if allowed else Decision.IMPLICITLY_DENIED


class _Context:
    """Context keys, with case-insensitive names, and the variables that refer to them."""

    def __init__(self, values: Mapping[str, Values], *, has_variables: bool) -> None:
        self._values = {key.lower(): value for key, value in values.items()}
        self._has_variables = has_variables

    def get(self, key: str) -> tuple[str, ...] | None:
        value = self._values.get(key.lower())
        return (value,) if isinstance(value, str) else value

    def pieces(self, pattern: str) -> list[tuple[str, bool]] | None:
        """Return the pattern in pieces, with variables replaced, and whether each piece's wildcards are active.

        ``None`` if a variable has no value, or several: such a pattern matches nothing.
        """
        if not self._has_variables:
            return [(pattern, True)]
        pieces: list[tuple[str, bool]] = []
        end = 0
        for variable in _VARIABLE.finditer(pattern):
            pieces.append((pattern[end : variable.start()], True))
            end = variable.end()
            name = variable[1]
            if name in {"*", "?", "$"}:
                pieces.append((name, False))
                continue
            defaulted = _DEFAULTED.fullmatch(name)
            values = self.get(defaulted["key"] if defaulted else name)
            if not values and defaulted:
                values = (defaulted["default"],)
            if values is None or len(values) != 1:
                return None
            pieces.append((values[0], False))
        return [*pieces, (pattern[end:], True)]


def _conditions_hold(conditions: Mapping[str, Mapping[str, Any]], context: _Context) -> bool:
    return all(
        _condition_holds(operator, key, [str(value) for value in _listed(expected)], context)
        for operator, by_key in conditions.items()
        for key, expected in by_key.items()
    )


def _condition_holds(operator: str, key: str, expected: list[str], context: _Context) -> bool:
    name, qualifier, if_exists = _parsed_operator(operator)
    values = context.get(key)
    if name == "Null":
        return str(not values).lower() in [value.lower() for value in expected]
    test, is_negated = _OPERATORS[name]

    def holds(value: str) -> bool:
        return any(test(pattern, value, context) for pattern in expected) is not is_negated

    if qualifier:
        if not values and if_exists:
            return True
        return (all if qualifier == "ForAllValues" else any)(map(holds, values or ()))
    if not values:
        return is_negated or if_exists
    if len(values) > 1:
        raise UnknownElementError(f"{operator} on the multivalued key {key}: IAM leaves open what that means")
    return holds(values[0])


def _parsed_operator(operator: str) -> tuple[str, str, bool]:
    qualifier, _, rest = operator.rpartition(":")
    name = rest.removesuffix("IfExists")
    known = {"": [*_OPERATORS, "Null"], "ForAllValues": _POSITIVE, "ForAnyValue": _POSITIVE}
    if name not in known.get(qualifier, ()):
        raise UnknownElementError(f"condition operator {operator}")
    return name, qualifier, name != rest


def _is_equal(pattern: str, value: str, context: _Context) -> bool:
    pieces = context.pieces(pattern)
    return pieces is not None and "".join(text for text, _ in pieces) == value


def _is_like(pattern: str, value: str, context: _Context) -> bool:
    pieces = context.pieces(pattern)
    return pieces is not None and _glob(tuple(pieces)).fullmatch(value) is not None


def _is_arn(pattern: str, value: str, context: _Context) -> bool:
    """Compare part by part: a wildcard does not match a colon, except in the last part."""
    if pattern == "*":
        return True
    pieces = context.pieces(pattern)
    if pieces is None:
        return False
    parts: list[list[tuple[str, bool]]] = [[]]
    for text, has_wildcards in pieces:
        first, *others = text.split(":", _ARN_PARTS - len(parts)) if has_wildcards else [text]
        parts[-1].append((first, has_wildcards))
        parts += [[(other, has_wildcards)] for other in others]
    value_parts = value.split(":", _ARN_PARTS - 1)
    return len(parts) == len(value_parts) and all(
        _glob(tuple(part)).fullmatch(value_part) is not None
        for part, value_part in zip(parts, value_parts, strict=True)
    )


def _is_bool(pattern: str, value: str, _context: _Context) -> bool:
    return pattern.lower() == value.lower()


def _is_less(pattern: str, value: str, _context: _Context) -> bool:
    return float(value) < float(pattern)


_OPERATORS: dict[str, tuple[Callable[[str, str, _Context], bool], bool]] = {
    "StringEquals": (_is_equal, False),
    "StringNotEquals": (_is_equal, True),
    "StringLike": (_is_like, False),
    "StringNotLike": (_is_like, True),
    "ArnEquals": (_is_arn, False),  # accepts wildcards as ArnLike does
    "ArnLike": (_is_arn, False),
    "ArnNotEquals": (_is_arn, True),
    "ArnNotLike": (_is_arn, True),
    "Bool": (_is_bool, False),
    "NumericLessThan": (_is_less, False),
}


_POSITIVE = [name for name, (_, is_negated) in _OPERATORS.items() if not is_negated]


@functools.lru_cache(maxsize=4_096)
def _glob(pieces: tuple[tuple[str, bool], ...], flags: re.RegexFlag = re.DOTALL) -> re.Pattern[str]:
    escaped = (
        re.escape(text).replace(r"\*", ".*").replace(r"\?", ".") if has_wildcards else re.escape(text)
        for text, has_wildcards in pieces
    )
    return re.compile("".join(escaped), flags)


def _is_action(pattern: str, action: str) -> bool:
    return _glob(((pattern, True),), re.IGNORECASE).fullmatch(action) is not None


def _applying(statement: Mapping[str, Any], element: str, is_matched: Callable[[str], bool]) -> list[str]:
    """Return the patterns of an element that apply, or ``["*"]`` if its negation does. A trust has no resource."""
    if f"Not{element}" in statement:
        return [] if any(map(is_matched, _listed(statement[f"Not{element}"]))) else ["*"]
    return [pattern for pattern in _listed(statement.get(element, "*")) if is_matched(pattern)]


def _named(statement: Mapping[str, Any], principal: Principal) -> str | None:
    """Return how a statement names the principal: ``self``, its ``account``, or ``None`` if it does not."""
    if "Principal" not in statement:
        return "self"  # an identity's policy
    named = statement["Principal"]
    if named == "*":
        return "self"
    if set(named) - {"AWS", "Service", "Federated"}:
        raise UnknownElementError(f"principals {sorted(named)}")
    arns, services = _listed(named.get("AWS", [])), _listed(named.get("Service", []))
    if "*" in arns or (principal.service and principal.service in services):
        return "self"
    if principal.federated and principal.federated in _listed(named.get("Federated", [])):
        return "self"
    if principal.role_arn and (principal.role_arn in arns or principal.session_arn in arns):
        return "self"
    account = principal.role_arn.split(":")[4] if principal.role_arn else None
    roots = {account, f"{principal.role_arn.partition('::')[0]}::{account}:root"}
    # A Deny for the account denies its principals; an Allow delegates to the account's identity policies.
    return "account" if roots & set(arns) else None


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]
