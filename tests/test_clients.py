"""The clients of the process: shared, from boto3's default session, and dropped with all that they were made from."""

from __future__ import annotations

import gc
from typing import Any

import boto3
import botocore.session
import pytest
from credentials_left import credentials_in_memory, use_own_credentials

from s3memory import clients


def make_all() -> None:
    clients.PROCESS.s3_client()
    clients.PROCESS.kms_client()
    clients.PROCESS.sts_client()


@pytest.fixture(autouse=True)
def _anew(monkeypatch: pytest.MonkeyPatch) -> None:
    clients.forget_clients()
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)


def test_all_clients_of_the_process_and_of_the_program_are_made_in_one_session(
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


def test_forgotten_clients_leave_no_credentials_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    access_key = use_own_credentials(monkeypatch)
    make_all()
    assert credentials_in_memory(access_key)
    clients.forget_clients()
    gc.collect()  # clients are cycles
    assert credentials_in_memory(access_key) == []
    make_all()
    assert credentials_in_memory(access_key)
    clients.forget_clients()


def test_a_default_session_that_the_program_made_is_the_programs_to_drop() -> None:
    boto3.setup_default_session(region_name="eu-west-1")
    made = boto3.DEFAULT_SESSION
    make_all()
    assert clients.PROCESS.s3_client().meta.region_name == "eu-west-1"
    clients.forget_clients()
    assert boto3.DEFAULT_SESSION is made


def test_a_default_session_that_took_the_place_of_ours_stays() -> None:
    make_all()
    boto3.setup_default_session()
    theirs = boto3.DEFAULT_SESSION
    clients.forget_clients()
    assert boto3.DEFAULT_SESSION is theirs
