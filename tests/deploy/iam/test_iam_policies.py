"""The evaluator of the isolation tests, checked with cases that the IAM user's guide states.

Each case names the page (under "Reference" of the guide) whose rule it is; the policies and the words are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from iam_policies import Decision, Grants, Policy, Principal, Request, UnknownElementError, decide
from support.for_each import for_each

ALLOWED, EXPLICIT, IMPLICIT = Decision.ALLOWED, Decision.EXPLICITLY_DENIED, Decision.IMPLICITLY_DENIED
ROLE = "arn:aws:iam::111122223333:role/app"
SESSION = "arn:aws:sts::111122223333:assumed-role/app/one"
ROOT = "arn:aws:iam::111122223333:root"
OBJECT = "arn:aws:s3:::store/red/file"


def policy(*statements: Mapping[str, Any], version: str = "2012-10-17") -> Policy:
    return Policy({"Version": version, "Statement": [{"Effect": "Allow", "Action": "*", **one} for one in statements]})


def app(**tags: str) -> Principal:
    return Principal(role_arn=ROLE, session_arn=SESSION, tags=tags)


def is_allowed(statement: Mapping[str, Any], request: Request, principal: Principal | None = None) -> bool:
    return decide(request, principal or app(), identity=[policy(statement)]) is ALLOWED


def holds(condition: Mapping[str, Any], context: Mapping[str, Any], **tags: str) -> bool:
    request = Request("s3:GetObject", OBJECT, context)
    return is_allowed({"Resource": "*", "Condition": condition}, request, app(**tags))


class TestDecisions:
    """Policy evaluation logic."""

    REQUEST = Request("s3:GetObject", OBJECT)
    ALLOW = policy({"Resource": "*"})
    DENY = policy({"Effect": "Deny", "Resource": "*"})
    NOTHING = policy({"Action": "ec2:*", "Resource": "*"})
    NAMING_ROLE = policy({"Principal": {"AWS": ROLE}, "Resource": "*"})
    NAMING_SESSION = policy({"Principal": {"AWS": [SESSION]}, "Resource": "*"})
    NAMING_ACCOUNT = policy({"Principal": {"AWS": ROOT}, "Resource": "*"})
    NAMING_OTHERS = policy({"Principal": {"AWS": ROLE.replace("app", "apps")}, "Resource": "*"})
    DENYING_ALL = policy({"Effect": "Deny", "Principal": "*", "Resource": "*"})
    DENYING_ACCOUNT = policy({"Effect": "Deny", "Principal": {"AWS": "111122223333"}, "Resource": "*"})

    @for_each(
        ("policies", "expected"),
        [
            ({}, IMPLICIT),  # by default everything is refused
            ({"identity": [ALLOW]}, ALLOWED),
            ({"identity": [NOTHING]}, IMPLICIT),
            ({"identity": [NOTHING, ALLOW]}, ALLOWED),
            ({"identity": [ALLOW, DENY]}, EXPLICIT),  # a Deny in any policy wins
            ({"identity": [DENY, ALLOW]}, EXPLICIT),
            ({"resource": NAMING_ROLE}, ALLOWED),  # within one account, either side is enough
            ({"resource": NAMING_SESSION}, ALLOWED),
            ({"resource": NAMING_OTHERS}, IMPLICIT),
            ({"resource": NAMING_ACCOUNT}, IMPLICIT),  # it delegates the decision to identity policies
            ({"resource": NAMING_ACCOUNT, "identity": [ALLOW]}, ALLOWED),
            ({"resource": NAMING_OTHERS, "identity": [ALLOW]}, ALLOWED),
            ({"resource": DENYING_ALL, "identity": [ALLOW]}, EXPLICIT),
            ({"resource": DENYING_ACCOUNT, "identity": [ALLOW]}, EXPLICIT),
            ({"identity": [ALLOW], "session": NOTHING}, IMPLICIT),  # a session policy restricts
            ({"identity": [NOTHING], "session": ALLOW}, IMPLICIT),  # and adds nothing
            ({"identity": [ALLOW], "session": ALLOW}, ALLOWED),
            ({"identity": [ALLOW], "session": DENY}, EXPLICIT),
        ],
    )
    def test_access_to_a_bucket_needs_an_allow_on_either_side_and_no_deny(
        self, policies: dict[str, Any], expected: Decision
    ) -> None:
        assert decide(self.REQUEST, app(), **policies) is expected

    @pytest.mark.parametrize(
        ("policies", "expected"),
        [
            (
                {"resource": NAMING_OTHERS, "identity": [ALLOW]},
                IMPLICIT,
            ),  # identity policies alone give no access to a key
            ({"resource": NAMING_ROLE}, ALLOWED),
            ({"resource": NAMING_ACCOUNT}, IMPLICIT),
            ({"resource": NAMING_ACCOUNT, "identity": [ALLOW]}, ALLOWED),
            ({"resource": NAMING_ROLE, "identity": [DENY]}, EXPLICIT),
        ],
    )
    def test_access_to_a_key_or_a_role_needs_its_own_policy(self, policies: dict[str, Any], expected: Decision) -> None:
        assert decide(self.REQUEST, app(), resource_grants=Grants.ALONE, **policies) is expected

    def test_a_service_is_named_as_a_service(self) -> None:
        trust = policy({"Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"})
        request = Request("sts:AssumeRole", ROLE)
        for service, expected in (("lambda.amazonaws.com", ALLOWED), ("ec2.amazonaws.com", IMPLICIT)):
            asked = decide(request, Principal(service=service), resource=trust, resource_grants=Grants.ALONE)
            assert asked is expected
        assert decide(request, app(), resource=trust, resource_grants=Grants.ALONE) is IMPLICIT


class TestActionsAndResources:
    """Action, NotAction, Resource, NotResource."""

    @for_each(
        ("element", "action", "expected"),
        [
            ({"Action": "s3:GetObject"}, "s3:GetObject", True),
            ({"Action": "S3:getobject"}, "s3:GetObject", True),  # actions ignore case
            ({"Action": "s3:Get*"}, "s3:GetObject", True),
            ({"Action": "s3:Get?bject"}, "s3:GetObject", True),
            ({"Action": "s3:Get"}, "s3:GetObject", False),
            ({"Action": "s3:GetObject"}, "s3:GetObjectVersion", False),
            ({"Action": ["kms:*", "s3:PutObject"]}, "s3:PutObject", True),
            ({"Action": "kms:*"}, "s3:PutObject", False),
        ],
    )
    def test_an_action_is_matched(self, element: dict[str, Any], action: str, *, expected: bool) -> None:
        assert is_allowed({**element, "Resource": "*"}, Request(action, OBJECT)) is expected

    def test_not_action_is_everything_else(self) -> None:
        but_iam = Policy(
            {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}}
        )
        assert decide(Request("s3:GetObject", OBJECT), app(), identity=[but_iam]) is ALLOWED
        assert decide(Request("iam:PassRole", ROLE), app(), identity=[but_iam]) is IMPLICIT

    @for_each(
        ("resource", "expected"),
        [
            ("*", True),
            ("arn:aws:s3:::store/*", True),
            ("arn:aws:s3:::store/red/*", True),
            ("arn:aws:s3:::store/re?/file", True),
            ("arn:aws:s3:::store/*/file", True),
            ("arn:aws:s3:::*", True),
            ("arn:aws:s3:::store", False),
            ("arn:aws:s3:::store/red", False),
            ("arn:aws:s3:::store/RED/*", False),  # names are case-sensitive
            ("arn:aws:s3:::stor", False),
            ("arn:aws:s3*", False),  # a wildcard does not match a colon
            ("arn:aws:*:::store/*", True),
        ],
    )
    def test_a_resource_is_matched(self, resource: str, *, expected: bool) -> None:
        assert is_allowed({"Resource": resource}, Request("s3:GetObject", OBJECT)) is expected

    def test_a_wildcard_in_the_last_part_covers_colons(self) -> None:
        request = Request("logs:PutLogEvents", "arn:aws:logs:eu-central-1:111122223333:log-group:/aws/x:log-stream:y")
        assert is_allowed({"Resource": "arn:aws:logs:eu-central-1:111122223333:log-group:/aws/x:*"}, request)
        assert not is_allowed({"Resource": "arn:aws:logs:*:log-group:/aws/x:*"}, request)

    def test_not_resource_is_everything_else(self) -> None:
        assert is_allowed({"NotResource": "arn:aws:s3:::store/blue/*"}, Request("s3:GetObject", OBJECT))
        assert not is_allowed({"NotResource": "arn:aws:s3:::store/red/*"}, Request("s3:GetObject", OBJECT))


class TestConditions:
    """Condition operators; Condition with several keys and values."""

    @for_each(
        ("condition", "context", "expected"),
        [
            ({"StringEquals": {"k": "v"}}, {"k": "v"}, True),
            ({"StringEquals": {"K": "v"}}, {"k": "v"}, True),  # names of keys ignore case
            ({"StringEquals": {"k": "V"}}, {"k": "v"}, False),  # their values do not
            ({"StringEquals": {"k": "*"}}, {"k": "v"}, False),  # no wildcards here
            ({"StringEquals": {"k": ["u", "v"]}}, {"k": "v"}, True),  # one of several values
            ({"StringEquals": {"k": "v", "l": "w"}}, {"k": "v"}, False),  # all of several keys
            ({"StringEquals": {"k": "v"}, "StringLike": {"l": "*"}}, {"k": "v"}, False),  # and operators
            ({"StringEquals": {"k": "v"}}, {}, False),  # a missing key matches nothing
            ({"StringLike": {"k": "v*"}}, {"k": "value"}, True),
            ({"StringLike": {"k": "v?l*"}}, {"k": "value"}, True),
            ({"StringLike": {"k": "v?"}}, {"k": "value"}, False),
            ({"StringLike": {"k": "*"}}, {}, False),
            ({"StringNotEquals": {"k": "v"}}, {"k": "w"}, True),
            ({"StringNotEquals": {"k": ["v", "w"]}}, {"k": "w"}, False),  # none of several values
            ({"StringNotEquals": {"k": "v"}}, {}, True),  # a missing key differs from everything
            ({"StringNotLike": {"k": "v*"}}, {"k": "value"}, False),
            ({"StringNotLike": {"k": "v*"}}, {}, True),
            ({"StringEqualsIfExists": {"k": "v"}}, {}, True),
            ({"StringEqualsIfExists": {"k": "v"}}, {"k": "w"}, False),
            ({"Null": {"k": "true"}}, {}, True),
            ({"Null": {"k": "true"}}, {"k": "v"}, False),
            ({"Null": {"k": "false"}}, {"k": "v"}, True),
            ({"Null": {"k": "false"}}, {}, False),
            ({"Null": {"k": "true", "l": "true"}}, {"l": "w"}, False),
            ({"Bool": {"k": "false"}}, {"k": "false"}, True),
            ({"Bool": {"k": False}}, {"k": "false"}, True),
            ({"Bool": {"k": "false"}}, {}, False),
            ({"BoolIfExists": {"k": "false"}}, {}, True),
            ({"NumericLessThan": {"k": "1.2"}}, {"k": "1.1"}, True),
            ({"NumericLessThan": {"k": "1.2"}}, {"k": "1.2"}, False),
            ({"NumericLessThan": {"k": "1.2"}}, {}, False),
            ({"ArnEquals": {"k": "arn:aws:s3:::a*"}}, {"k": "arn:aws:s3:::abc"}, True),
            ({"ArnLike": {"k": "arn:aws:*:abc"}}, {"k": "arn:aws:s3:::abc"}, False),
            ({"ArnNotEquals": {"k": ["arn:aws:s3:::a", "arn:aws:s3:::b"]}}, {"k": "arn:aws:s3:::b"}, False),
            ({"ArnNotEquals": {"k": "arn:aws:s3:::a"}}, {}, True),
        ],
    )
    def test_an_operator(self, condition: dict[str, Any], context: dict[str, Any], *, expected: bool) -> None:
        assert holds(condition, context) is expected

    @pytest.mark.parametrize(
        ("values", "for_all", "for_any"),
        [
            (("a", "b"), True, True),
            (("a", "x"), False, True),
            (("x", "y"), False, False),
            ((), True, False),  # all of nothing, and any of nothing
            (None, True, False),
        ],
    )
    def test_a_set_operator(self, values: Any, *, for_all: bool, for_any: bool) -> None:
        context = {} if values is None else {"k": values}
        assert holds({"ForAllValues:StringEquals": {"k": ["a", "b"]}}, context) is for_all
        assert holds({"ForAnyValue:StringEquals": {"k": ["a", "b"]}}, context) is for_any

    def test_several_values_without_a_set_operator_are_an_error(self) -> None:
        with pytest.raises(UnknownElementError):
            holds({"StringEquals": {"k": "a"}}, {"k": ("a", "b")})


class TestVariables:
    """Variables and tags."""

    OWN = {"Resource": "arn:aws:s3:::store/${aws:PrincipalTag/team}/*"}  # noqa: RUF012 - never changed

    def test_a_variable_stands_for_its_value(self) -> None:
        assert is_allowed(self.OWN, Request("s3:GetObject", OBJECT), app(team="red"))
        assert not is_allowed(self.OWN, Request("s3:GetObject", OBJECT), app(team="re"))

    def test_a_variable_without_a_value_matches_no_resource(self) -> None:
        assert not is_allowed(self.OWN, Request("s3:GetObject", "arn:aws:s3:::store//x"))
        assert is_allowed({"NotResource": self.OWN["Resource"]}, Request("s3:GetObject", OBJECT))

    def test_in_a_condition_it_matches_nothing_and_differs_from_everything(self) -> None:
        for operator, expected in {
            "StringEquals": False,
            "StringLike": False,
            "StringNotEquals": True,
            "StringNotLike": True,
        }.items():
            assert holds({operator: {"k": "${aws:PrincipalTag/team}"}}, {"k": "red"}) is expected

    def test_a_value_is_not_a_pattern(self) -> None:
        assert not is_allowed(self.OWN, Request("s3:GetObject", OBJECT), app(team="*"))
        assert not holds({"StringLike": {"k": "${aws:PrincipalTag/team}"}}, {"k": "red"}, team="r*")

    def test_a_default_replaces_a_missing_value(self) -> None:
        resource = {"Resource": "arn:aws:s3:::store/${aws:PrincipalTag/team, 'red'}/*"}
        assert is_allowed(resource, Request("s3:GetObject", OBJECT))
        assert not is_allowed(resource, Request("s3:GetObject", OBJECT), app(team="blue"))

    def test_special_characters_can_be_escaped(self) -> None:
        assert holds({"StringLike": {"k": "a${*}${?}${$}*"}}, {"k": "a*?$b"})
        assert not holds({"StringLike": {"k": "a${*}"}}, {"k": "ab"})

    def test_a_key_with_several_values_is_not_a_variable(self) -> None:
        assert not holds({"StringLike": {"k": "${aws:TagKeys}"}}, {"k": "a", "aws:TagKeys": ("a",) * 2})

    def test_the_older_version_of_the_language_has_no_variables(self) -> None:
        older = policy(self.OWN, version="2008-10-17")
        literal = "arn:aws:s3:::store/${aws:PrincipalTag/team}/x"
        assert decide(Request("s3:GetObject", OBJECT), app(team="red"), identity=[older]) is IMPLICIT
        assert decide(Request("s3:GetObject", literal), app(team="red"), identity=[older]) is ALLOWED

    @given(st.text(alphabet="ab.*?", max_size=4), st.text(alphabet="ab.*?/", max_size=6))
    def test_any_tag_reaches_only_what_begins_with_it_and_a_slash(self, tag: str, name: str) -> None:
        request = Request("s3:GetObject", f"arn:aws:s3:::store/{name}")
        assert is_allowed(self.OWN, request, app(team=tag)) is name.startswith(f"{tag}/")


@pytest.mark.parametrize(
    "statement",
    [
        {"Resource": "*", "Condition": {"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}},
        {"Resource": "*", "Condition": {"ForSomeValues:StringEquals": {"k": "v"}}},
        {"Resource": "*", "Condition": {"ForAnyValue:StringNotEquals": {"k": "v"}}},
        {"Resource": "*", "Condition": {"StringEqual": {"k": "v"}}},
        {"Resource": "*", "NotPrincipal": {"AWS": ROLE}},
        {"Resource": "*", "Effect": "Permit"},
    ],
)
def test_anything_unknown_is_an_error_and_not_a_guess(statement: dict[str, Any]) -> None:
    with pytest.raises(UnknownElementError):
        policy(statement)


def test_a_principal_of_an_unknown_kind_is_an_error() -> None:
    canonical = policy({"Principal": {"CanonicalUser": "0123"}, "Resource": "*"})
    with pytest.raises(UnknownElementError):
        decide(Request("sts:AssumeRole", ROLE), app(), resource=canonical)
