"""The Lambda package: its content depends only on its sources. `make lambda-check` builds and runs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import contents
import package
import pytest
import wheels
from packaging.requirements import Requirement
from packaging.version import Version

PROJECT = wheels.PROJECT
ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00"


def tree(directory: Path, *names: str, seconds: int, mode: int) -> Path:
    for name in names:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {Path(name).name}\n" * 50, "utf-8")
        path.chmod(mode)
        os.utime(path, (seconds, seconds))
    return directory


def test_a_zip_depends_only_on_names_and_contents(tmp_path: Path) -> None:
    names = ["b/c.py", "a.py", "b-c.py", "B.py"]
    first, second = tmp_path / "1.zip", tmp_path / "2.zip"
    contents.write_zip(tree(tmp_path / "one", *names, seconds=10**9, mode=0o600), first, root="python/")
    contents.write_zip(tree(tmp_path / "two", *names[::-1], seconds=2 * 10**9, mode=0o755), second, root="python/")
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        entries = archive.infolist()
    assert [entry.filename for entry in entries] == ["python/B.py", "python/a.py", "python/b-c.py", "python/b/c.py"]
    assert {oct(entry.external_attr >> 16) for entry in entries} == {"0o100644"}  # Lambda needs read permission


def test_an_interrupted_build_leaves_the_previous_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, built = tree(tmp_path / "one", "a.py", seconds=10**9, mode=0o644), tmp_path / "p.zip"
    contents.write_zip(stage, built)
    before = built.read_bytes()

    def cut_off(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(zipfile.ZipFile, "writestr", cut_off)
        with pytest.raises(KeyboardInterrupt):
            contents.write_zip(stage, built)
    assert built.read_bytes() == before
    contents.write_zip(stage, built)
    assert [path.name for path in tmp_path.glob("p.zip*")] == ["p.zip"]


@pytest.mark.parametrize(("arch", "machine"), [("x86_64", 0x3E), ("arm64", 0xB7)])
def test_compiled_code_for_another_processor_is_refused(tmp_path: Path, arch: str, machine: int) -> None:
    (tmp_path / "some.so").write_bytes(ELF + machine.to_bytes(2, "little") + bytes(44))
    (tmp_path / "text.py").write_text("x = 1\n", "utf-8")
    assert [found for _, found in contents.elf_machines(tmp_path)] == [machine]
    contents.check_machines(tmp_path, arch)
    (other,) = contents.ELF_MACHINES.keys() - {arch}
    with pytest.raises(wheels.PackageError, match=r"some\.so is not for"):
        contents.check_machines(tmp_path, other)


def test_this_interpreter_is_for_this_processor(tmp_path: Path) -> None:
    """The parser of ELF headers agrees with a real file."""
    if sys.platform != "linux" or os.uname().machine not in {"x86_64", "aarch64"}:
        pytest.skip("no ELF here")
    (tmp_path / "python").symlink_to(Path(sys.executable).resolve())
    arch = {"x86_64": "x86_64", "aarch64": "arm64"}[os.uname().machine]
    contents.check_machines(tmp_path, arch)


def test_unused_parts_are_removed_from_the_package(tmp_path: Path) -> None:
    names = [
        "botocore/data/s3/2006-03-01/service-2.json",
        "botocore/data/ec2/2016-11-15/service-2.json",
        "botocore/data/endpoints.json",
        "boto3/data/s3/resources.json",
        "boto3/session.py",
        "bin/jp.py",
        "x-1.dist-info/METADATA",
        "x-1.dist-info/RECORD",
        "x-1.dist-info/direct_url.json",
        "x/__pycache__/y.pyc",
    ]
    contents.prune(tree(tmp_path, *names, seconds=0, mode=0o644), frozenset({"s3"}))
    left = [path.relative_to(tmp_path).as_posix() for path in contents.files_below(tmp_path)]
    assert left == ["boto3/session.py", names[2], names[0], "x-1.dist-info/METADATA"]


def test_byte_code_is_never_checked_against_its_source_and_has_its_path_on_lambda(tmp_path: Path) -> None:
    tree(tmp_path, "pkg/mod.py", seconds=0, mode=0o644)
    contents.compile_all(tmp_path, wheels.this_python(), "/var/task")
    (compiled,) = tmp_path.rglob("*.pyc")
    code = compiled.read_bytes()
    assert int.from_bytes(code[4:8], "little") == 0b01  # PEP 552: by hash, unchecked
    assert b"/var/task/pkg/mod.py" in code
    assert str(tmp_path).encode() not in code


def test_byte_code_of_another_version_is_not_compiled_and_this_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree(tmp_path, "mod.py", seconds=0, mode=0o644)
    contents.compile_all(tmp_path, "3.99", "/var/task")
    assert not list(tmp_path.rglob("*.pyc"))
    assert "WARNING: python3.99 was not found" in capsys.readouterr().err


def test_an_interpreter_that_only_claims_the_version_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "python3.99").symlink_to(Path(sys.executable))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert contents.find_interpreter("3.99") is None


def test_a_package_above_lambdas_limits_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = tree(tmp_path / "stage", "a.py", seconds=0, mode=0o644)
    contents.write_zip(stage, tmp_path / "p.zip")
    target = wheels.Target("arm64", "3.13")
    package.report(tmp_path / "p.zip", stage, target)
    monkeypatch.setattr(package, "MAX_ZIPPED_BYTES", 10)
    with pytest.raises(wheels.PackageError, match="larger than Lambda accepts"):
        package.report(tmp_path / "p.zip", stage, target)


def pins(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+) \\$", lock.read_text("utf-8"), re.MULTILINE))


def test_the_locks_contain_the_packages_requirements_each_with_hashes() -> None:
    core, sdk, mcp = (pins(lock) for lock in (wheels.CORE_LOCK, wheels.SDK_LOCK, wheels.MCP_LOCK))
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    for requirement in map(Requirement, project["dependencies"]):
        locked = (sdk if requirement.name == "anthropic" else core)[requirement.name]
        assert requirement.specifier.contains(Version(locked)), f"{requirement}: make lambda-lock"
    for requirement in map(Requirement, project["optional-dependencies"]["mcp"]):
        assert requirement.specifier.contains(Version(mcp[requirement.name])), f"{requirement}: make lambda-lock"
    fast = pins(wheels.FAST_LOCK)
    for requirement in map(Requirement, project["optional-dependencies"]["fast"]):
        assert requirement.specifier.contains(Version(fast[requirement.name])), f"{requirement}: make lambda-lock"
    assert not core.keys() & (sdk.keys() | mcp.keys() | fast.keys())
    assert {name: sdk[name] for name in sdk.keys() & mcp.keys()} == {
        name: mcp[name] for name in sdk.keys() & mcp.keys()
    }
    for lock in (wheels.CORE_LOCK, wheels.FAST_LOCK, wheels.SDK_LOCK, wheels.MCP_LOCK):
        for entry in re.split(r"\n(?=[a-z])", lock.read_text("utf-8"))[1:]:
            assert "--hash=sha256:" in entry
        assert "://" not in lock.read_text("utf-8")


def test_a_project_that_would_need_two_versions_is_not_locked(tmp_path: Path) -> None:
    with pytest.raises(wheels.PackageError, match="1 and 2 are both needed"):
        wheels.write_lock(tmp_path / "lock", {"x": {("1", "aa"), ("2", "bb")}})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lambda-zip"], ["zip --arch x86_64 --python 3."]),
        (["lambda-zip", "ARCH=arm64", "PYTHON_VERSION=3.13"], ["zip --arch arm64 --python 3.13"]),
        (["lambda-layer"], ["layer --arch x86_64 --python 3."]),
        (["lambda-mcp"], ["mcp --arch x86_64 --python 3."]),
        (["bench-cold-start"], ["benchmarks/cold_start.py build/lambda/agent-x86_64-py3."]),
    ],
)
def test_make_knows_how_to_build_them(arguments: list[str], words: list[str]) -> None:
    make = ["make", "--dry-run", *arguments]
    done = subprocess.run(make, cwd=PROJECT, capture_output=True, text=True, check=True)  # noqa: S603 - our targets
    assert all(word in done.stdout for word in words), done.stdout
