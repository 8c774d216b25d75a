"""The clients of the process: shared, from one session, which is boto3's default one if a program imports boto3."""

from __future__ import annotations

import gc
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import boto3
import botocore
import botocore.session
import pytest
from support.credentials_left import credentials_in_memory, use_own_credentials
from test_imports import run

from s3memory.aws import clients
from s3memory.aws.tenant_sessions import TenantSessions
from s3memory.errors import ConfigurationError

ROLE = "arn:aws:iam::123456789012:role/tenant"


def make_all() -> None:
    clients.PROCESS.s3_client()
    clients.PROCESS.kms_client()
    clients.PROCESS.sts_client()


@pytest.fixture(autouse=True)
def _anew(monkeypatch: pytest.MonkeyPatch) -> None:
    clients.forget_clients()
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)


def test_all_clients_of_the_process_and_of_the_program_come_from_one_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[object] = []
    make: Any = botocore.session.Session.__init__

    def counted(session: object, *given: Any, **more: Any) -> None:
        made.append(session)
        make(session, *given, **more)

    monkeypatch.setattr(botocore.session.Session, "__init__", counted)
    make_all()
    boto3.client("secretsmanager")
    make_all()
    assert len(made) == 1


@pytest.mark.usefixtures("few_to_collect")
def test_forgotten_clients_leave_no_credentials_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    access_key = use_own_credentials(monkeypatch)
    make_all()
    assert credentials_in_memory(access_key)
    clients.forget_clients()
    gc.collect()  # clients are reference cycles
    assert credentials_in_memory(access_key) == []
    make_all()
    assert credentials_in_memory(access_key)
    clients.forget_clients()


def test_the_clients_of_the_process_are_forgotten_before_those_of_tenants() -> None:
    """Otherwise a thread that needs a tenant's client in between would renew it with the old STS client."""
    left: list[bool] = []

    class Sessions(TenantSessions):
        def forget(self) -> None:
            left.append(bool(clients.PROCESS._made))

    those = [Sessions(ROLE) for _ in range(20)]
    make_all()
    clients.forget_clients()
    assert left == [False] * len(those)


def test_clients_can_be_forgotten_while_other_threads_create_sessions() -> None:
    """A hook before a snapshot does this, in any thread."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            made = [pool.submit(lambda: [TenantSessions(ROLE) for _ in range(10_000)]) for _ in range(4)]
            while not all(one.done() for one in made):
                clients.forget_clients()
    finally:
        sys.setswitchinterval(interval)


def test_a_missing_region_is_reported_with_the_variable_that_sets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigurationError, match="no KMS client can be made: set AWS_REGION"):
        clients.PROCESS.kms_client()


@pytest.mark.parametrize(
    ("default", "region", "told"),
    [
        ("", None, "AWS_DEFAULT_REGION"),
        ("eu-central-1\n", "eu-central-1", "AWS_DEFAULT_REGION"),
        ("a b", None, "AWS_DEFAULT_REGION"),
        (None, "eu-central-1\n", "AWS_REGION"),
        ("", "x_y", "AWS_REGION"),
    ],
)
def test_a_malformed_region_is_reported_with_the_variable_that_sets_it(
    monkeypatch: pytest.MonkeyPatch, default: str | None, region: str | None, told: str
) -> None:
    """A custom endpoint hides from botocore that the region gives no valid host: the requests would fail."""
    for name, value in (("AWS_DEFAULT_REGION", default), ("AWS_REGION", region)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    for url in (None, "https://localhost:9000"):
        with pytest.raises(ConfigurationError, match=f"the region is empty or malformed: see {told}$"):
            clients.PROCESS.kms_client(endpoint_url=url)


@pytest.mark.parametrize("name", ["nobody's", ""])
def test_a_missing_profile_is_reported_with_the_variable_that_names_it(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """For botocore, an empty variable names a profile as well."""
    monkeypatch.setenv("AWS_PROFILE", name)
    with pytest.raises(ConfigurationError, match=r"could not be found: see AWS_PROFILE$"):
        clients.PROCESS.kms_client()


def test_an_empty_region_counts_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.setenv("AWS_REGION", "")
    with pytest.raises(ConfigurationError, match="set AWS_REGION"):
        clients.PROCESS.kms_client()


def test_a_default_session_of_the_program_is_not_dropped() -> None:
    boto3.setup_default_session(region_name="eu-west-1")
    made = boto3.DEFAULT_SESSION
    make_all()
    assert clients.PROCESS.s3_client().meta.region_name == "eu-west-1"
    clients.forget_clients()
    assert boto3.DEFAULT_SESSION is made


def test_a_default_session_that_replaced_ours_is_not_dropped() -> None:
    make_all()
    boto3.setup_default_session()
    theirs = boto3.DEFAULT_SESSION
    clients.forget_clients()
    assert boto3.DEFAULT_SESSION is theirs


WITHOUT_BOTO3 = """
    import gc, os, sys, weakref
    import botocore.session
    os.environ |= {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_REGION": "eu-west-1"}
    os.environ.pop("AWS_DEFAULT_REGION", None)
    from s3memory import TenantSessions
    from s3memory.aws import clients
    made = []
    make = botocore.session.Session.__init__
    def counted(session, *given, **more):
        made.append(weakref.ref(session))
        make(session, *given, **more)
    botocore.session.Session.__init__ = counted
    s3 = clients.PROCESS.s3_client()
    kms = clients.PROCESS.kms_client()
"""


def test_a_program_that_does_not_import_boto3_does_not_pay_for_it() -> None:
    program = """
    tenant = TenantSessions("arn:aws:iam::123456789012:role/x").for_tenant("acme").kms_client()
    print({one.meta.region_name for one in (s3, kms, tenant)}, "boto3" in sys.modules, len(made))
    """
    assert run(WITHOUT_BOTO3 + program) == "{'eu-west-1'} False 2"  # one session is the tenant's


def test_a_program_that_blocks_the_import_of_boto3_still_gets_clients() -> None:
    keeping = WITHOUT_BOTO3.replace(
        "import botocore.session\n", "import botocore.session\n    sys.modules['boto3'] = None\n", 1
    )
    assert run(f"{keeping}    print(s3.meta.region_name, len(made))") == "eu-west-1 1"


def test_a_program_that_imports_boto3_later_has_its_own_default_session() -> None:
    program = """
    import boto3
    sts = clients.PROCESS.sts_client()
    print(boto3.DEFAULT_SESSION, len(made))
    boto3.client("sts", region_name="eu-west-1")
    clients.forget_clients()
    del s3, kms, sts
    gc.collect()
    print(made[0](), boto3.DEFAULT_SESSION._session is made[1]())
    """
    assert run(WITHOUT_BOTO3 + program) == "None 1\nNone True"


def test_clients_of_the_program_are_mocked_even_if_moto_starts_after_ours() -> None:
    program = """
    import boto3
    from moto import mock_aws
    with mock_aws():
        clients.PROCESS.sts_client()
        os.environ["HTTPS_PROXY"] = "http://127.0.0.1:9"  # what is not mocked gets no further
        print(boto3.client("s3", region_name="us-east-1").list_buckets()["Buckets"])
    """
    assert run(WITHOUT_BOTO3 + program) == "[]"


def test_the_session_of_a_program_without_boto3_is_forgotten_as_well() -> None:
    program = """
    clients.forget_clients()
    del s3, kms
    gc.collect()
    print(made[0](), clients.PROCESS.s3_client().meta.region_name, len(made))
    """
    assert run(WITHOUT_BOTO3 + program) == "None eu-west-1 2"


def user_agents(client: Any) -> list[str]:
    """Return the user agents of a client's requests."""
    seen: list[str] = []

    def stop(request: Any, **_: Any) -> Any:
        seen.append(request.headers["User-Agent"].decode())
        raise RuntimeError("not to be sent")

    client.meta.events.register("before-send.s3", stop)
    try:
        with pytest.raises(RuntimeError):
            client.get_object(Bucket="bucket", Key="key")
    finally:
        client.meta.events.unregister("before-send.s3", stop)
    return seen


def test_the_user_agent_names_this_package_and_where_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_EXECUTION_ENV", "AWS_Lambda_python3.13")
    (said,) = user_agents(clients.PROCESS.s3_client())
    assert said.startswith("Botocore/")
    assert "exec-env/AWS_Lambda_python3.13" in said
    assert said.endswith(" s3memory")


@pytest.mark.parametrize("source", ["file", "variable"])
def test_the_user_agent_keeps_the_programs_own_id(source: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if source == "file":
        config = tmp_path / "config"
        config.write_text("[default]\nsdk_ua_app_id = billing\n", "utf-8")
        monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    else:
        monkeypatch.setenv("AWS_SDK_UA_APP_ID", "billing")
    (said,) = user_agents(clients.PROCESS.s3_client())
    assert "app/billing" in said
    assert "s3memory" in said


def test_a_botocore_that_is_too_old_is_named_with_the_oldest_release_that_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def old_config(**_: object) -> object:
        raise TypeError("Got unexpected keyword argument")

    monkeypatch.setattr(botocore, "__version__", "1.35.0")
    monkeypatch.setattr(clients, "_config", old_config)
    project = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text())["project"]
    oldest = next(one for one in project["dependencies"] if one.startswith("boto3"))
    with pytest.raises(ConfigurationError, match=rf"botocore 1\.35\.0 is too old: install {oldest}$"):
        clients.PROCESS.s3_client()
