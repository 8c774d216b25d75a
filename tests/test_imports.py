"""The cost and effects of imports: no client, network or environment, and no SDK for programs that use the core."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from types import ModuleType

import pytest
from support.repository import REPOSITORY

import s3memory.redaction

# Fails at the first access to the environment, a socket or an AWS session once the standard library is loaded.
GUARD = """
import os, socket, sys
import anthropic, boto3, botocore.config, botocore.session  # what they do at import is theirs
from cryptography import cobblestone

def refuse(*_, **__):
    raise SystemExit("touched")

class Environ(type(os.environ)):
    __getitem__ = get = keys = __iter__ = items = refuse

os.environ.__class__ = Environ
os.getenv = refuse
socket.socket.__init__ = refuse
boto3.client = boto3.resource = boto3.Session = boto3.setup_default_session = refuse
botocore.session.Session.__init__ = refuse
"""


def run(program: str) -> str:
    done = subprocess.run(  # noqa: S603 - this interpreter, our program
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "tests")},  # for the in-memory S3
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_everything_touches_no_environment_network_or_client_and_loads_no_redaction_adapters() -> None:
    program = """
    import s3memory
    for name in s3memory.__all__:
        getattr(s3memory, name)
    import s3memory.redaction
    loaded = "s3memory.redaction.adapters" in sys.modules
    import s3memory.redaction.adapters
    import threading
    print(loaded, threading.active_count())
    """
    assert run(GUARD + textwrap.dedent(program)) == "False 1"


def test_the_core_works_without_the_sdk() -> None:
    program = """
    import os, sys
    sys.modules["anthropic"] = None  # importing it fails
    os.environ |= {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_DEFAULT_REGION": "eu-central-1"}
    from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
    from support.memory_s3 import InMemoryS3
    wrapper, client = LocalKeyWrapper(bytes(range(32))), InMemoryS3().client()
    store = MemoryStore(bucket="agent-memory", tenant="acme", key_wrapper=wrapper, s3_client=client)
    commands = MemoryCommands(store)
    print(commands.call({"command": "create", "path": "/memories/a", "file_text": "x"}))
    """
    assert run(program) == "File created successfully at: /memories/a"


READER = """
    import os, sys
    os.environ |= {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_DEFAULT_REGION": "eu-central-1"}
    key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    os.environ |= {"S3MEMORY_BUCKET": "agent-memory", "S3MEMORY_LOCAL_KEY": key}
    from s3memory import MemoryCommands
    from s3memory.errors import S3MemoryError
    from support.memory_s3 import InMemoryS3

    def loaded():
        print("s3memory.redaction.rules" in sys.modules, end=" ")

    commands = MemoryCommands.from_env(tenant="acme", s3_client=InMemoryS3().client())
"""


def test_a_process_that_only_reads_does_not_load_the_rules_and_the_first_write_does() -> None:
    program = """
    from s3memory import S3MemoryTool
    for path in ("/memories", "/memories/a"):
        try:
            commands.call({"command": "view", "path": path})
        except S3MemoryError:
            pass
    loaded()
    commands.call({"command": "create", "path": "/memories/a", "file_text": "password: Harbor!4711x"})
    loaded()
    print("Harbor" in commands.call({"command": "view", "path": "/memories/a"}))
    """
    assert run(READER + program) == "False True False"


def test_a_policy_is_checked_before_anything_is_read_and_loads_the_rules() -> None:
    program = READER.replace('"S3MEMORY_BUCKET"', '"S3MEMORY_REDACTION_POLICY": "jwt=block", "S3MEMORY_BUCKET"')
    assert run(f"{program}    loaded()") == "True"


def test_importing_the_package_loads_no_dependencies_and_using_the_core_does_not_load_the_sdk() -> None:
    program = """
    import sys, s3memory
    print({"anthropic", "boto3", "botocore", "cryptography"} & sys.modules.keys(), end=" ")
    for name in ("MemoryStore", "MemoryCommands", "Limits", "KmsKeyWrapper", "LocalKeyWrapper"):
        getattr(s3memory, name)
        print("anthropic" in sys.modules, end=" ")
    """
    assert run(program) == "set() False False False False False"


def test_the_redaction_adapters_can_be_loaded_without_presidio() -> None:
    program = """
    import sys
    sys.modules["presidio_analyzer"] = None  # importing it fails
    from s3memory.redaction.adapters import PresidioDetector
    print(PresidioDetector.__name__)
    """
    assert run(program) == "PresidioDetector"


@pytest.mark.parametrize("package", [s3memory, s3memory.redaction])
def test_exactly_the_public_names_exist(package: ModuleType) -> None:
    assert sorted(package.__all__) == package.__all__
    assert all(getattr(package, name).__name__ == name for name in package.__all__)
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = package.nothing
