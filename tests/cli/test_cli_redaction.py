"""``s3memory redact`` and ``s3memory scan``: what would be redacted, and what is stored that would be today."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import TENANT, MakeStore
from support.cli_runs import Ran, Run
from support.made_tokens import npm_token

from s3memory import LocalKeyWrapper, MemoryCommands, MemoryStore
from s3memory.admin.scanning import scan
from s3memory.errors import ReadOnlyError
from s3memory.redaction import BlockedTextError, PatternRedactor, UncheckedTextError
from s3memory.redaction.rules import personal
from s3memory.redaction.version import rules_version
from s3memory.s3.bucket import Bucket
from s3memory.s3.deletes import ConditionalDeletes

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client


VALUE = "Harbor!4711x"
SECRET = f"password: {VALUE}"


# redact


def test_a_person_at_a_terminal_is_told_what_to_type(run: Run) -> None:
    ran = run("redact", terminal=True)
    assert (ran.exit_code, ran.out) == (0, "")
    assert ran.err.startswith("Type a text. Ctrl-D ends.\n")


def test_a_text_is_redacted_from_standard_input_to_standard_output(run: Run) -> None:
    ran = run("redact", stdin=f"tea ☕\n{SECRET}\n{npm_token()}\n".encode())
    assert ran == Ran(
        0,
        "tea ☕\npassword: [REDACTED:password]\n[REDACTED:npm-token]\n",
        "line 2: password\nline 3: npm-token\n2 redacted\n",
    )


def test_a_text_without_findings_comes_out_as_it_went_in(run: Run) -> None:
    for text in ("", "tea ☕", "a\r\nb\r\n", "\n\n"):
        assert run("redact", stdin=text.encode()) == Ran(0, text, "0 redacted\n")


def test_a_check_writes_no_text_and_exits_by_what_it_finds(run: Run) -> None:
    assert run("redact", "--check", stdin=SECRET.encode()) == Ran(1, "", "line 1: password\n1 redacted\n")
    assert run("redact", "--check", stdin=b"tea") == Ran(0, "", "0 redacted\n")


def test_findings_are_told_in_json_when_asked_for(run: Run) -> None:
    ran = run("redact", "--json", "--policy", "npm-token=report", stdin=f"{SECRET}\n{npm_token()}\n".encode())
    assert json.loads(ran.err) == {
        "refusal": None,
        "findings": [
            {"line": 1, "kind": "password", "is_kept": False, "is_blocked": False},
            {"line": 2, "kind": "npm-token", "is_kept": True, "is_blocked": False},
        ],
    }
    assert ran.out.endswith(f"{npm_token()}\n")


def test_a_text_that_the_policy_blocks_is_refused_and_not_written(run: Run) -> None:
    for check in ([], ["--check"]):
        ran = run("redact", "--policy", "password=block", *check, stdin=f"{npm_token()}\n{SECRET}\n".encode())
        assert (ran.exit_code, ran.out) == (1, "")
        first, second, refusal = ran.err.splitlines()
        assert (first, second) == ("line 1: npm-token", "line 2: password (blocked)")
        assert refusal.startswith("s3memory: The text holds something that looks like sensitive content (password) in")
        assert VALUE not in ran.err


def test_a_refusal_is_told_in_json_with_all_that_was_found(run: Run) -> None:
    text = f"{npm_token()}\n{SECRET}\n"
    for check in ([], ["--check"]):
        ran = run("redact", "--json", "--policy", "password=block", *check, stdin=text.encode())
        assert (ran.exit_code, ran.out) == (1, "")
        told = json.loads(ran.err)
        assert told["refusal"] == str(BlockedTextError("password", 2))
        assert told["findings"] == [
            {"line": 1, "kind": "npm-token", "is_kept": False, "is_blocked": False},
            {"line": 2, "kind": "password", "is_kept": False, "is_blocked": True},
        ]


def test_a_text_that_can_not_be_checked_is_told_in_json_without_findings(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "redaction.toml"
    file.write_text("budget_seconds = 1e-9\nrules = [{kind = 'x', pattern = 'xyz'}]", "utf-8")
    monkeypatch.setenv("S3MEMORY_REDACTION_FILE", str(file))
    ran = run("redact", "--json", stdin=SECRET.encode())
    assert (ran.exit_code, ran.out) == (1, "")
    assert json.loads(ran.err) == {
        "refusal": str(UncheckedTextError("slow")),
        "findings": [],
    }


def test_personal_data_is_redacted_when_asked_for(run: Run) -> None:
    text = b"mail jo@acme-corp.example"
    assert run("redact", stdin=text).out == text.decode()
    assert run("redact", "--personal", stdin=text).out == "mail [REDACTED:email]"
    assert run("redact", "--personal", "--policy", "email=off", stdin=text).out == text.decode()


def test_without_a_tenant_a_placeholder_has_no_tag(run: Run) -> None:
    assert run("redact", "--policy", "npm-token=tag", stdin=npm_token().encode()).out == "[REDACTED:npm-token]"


@pytest.mark.parametrize("more", [[], ["--policy", "card-number=block"]])
@pytest.mark.parametrize("command", ["redact", "scan"])
def test_personal_data_without_its_libraries_is_refused_in_the_name_of_its_own_option(
    run: Run, settings: None, monkeypatch: pytest.MonkeyPatch, command: str, more: list[str]
) -> None:
    monkeypatch.setattr(personal, "find_spec", lambda name: None if name == "stdnum" else find_spec(name))
    ran = run(command, "--personal", *more)
    told = "redacting national-id needs python-stdnum: pip install '.[redaction-personal]', in a clone of s3memory\n"
    assert (ran.exit_code, ran.out, ran.err) == (2, "", f"s3memory: --personal can't be used: {told}")
    assert run("redact", "--personal", "--policy", "national-id=off", *more, stdin=b"x").out == "x"


def test_personal_data_beside_kinds_that_leave_it_out_is_a_wrong_option(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "redaction.toml"
    monkeypatch.setenv("S3MEMORY_REDACTION_FILE", str(file))
    file.write_text("kinds = ['password', 'email', 'phone']\n", "utf-8")
    ran = run("redact", "--personal", stdin=SECRET.encode())
    assert (ran.exit_code, ran.out) == (2, "")
    assert "--personal contradicts" in ran.err
    assert "kinds do not include ip-address, national-id" in ran.err
    file.write_text("kinds = ['email', 'phone', 'ip-address', 'national-id']\n", "utf-8")
    assert run("redact", "--personal", stdin=b"mail jo@acme-corp.example").out == "mail [REDACTED:email]"


def test_it_redacts_as_the_settings_say_and_as_the_options_say_before_them(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S3MEMORY_REDACTION_POLICY", "password=off,npm-token=off")
    text = f"{SECRET} {npm_token()}"
    assert run("redact", stdin=text.encode()).out == text
    assert run("redact", "--policy", "npm-token=redact", stdin=text.encode()).out == f"{SECRET} [REDACTED:npm-token]"


def test_it_redacts_where_the_settings_switch_redaction_off(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S3MEMORY_REDACTION", "off")
    assert run("redact", stdin=SECRET.encode()).out == "password: [REDACTED:password]"


@pytest.mark.parametrize(
    "policy", ["password", "password=hide", "passwrd=off", "password=off,password=tag", "password=tag"]
)
def test_a_wrong_policy_is_a_wrong_option(policy: str, run: Run) -> None:
    ran = run("redact", "--policy", policy, stdin=SECRET.encode())
    assert (ran.exit_code, ran.out) == (2, "")
    assert "--policy" in ran.err


def test_what_is_no_utf_8_is_refused(run: Run) -> None:
    ran = run("redact", stdin=b"caf\xe9")
    assert (ran.exit_code, ran.out) == (1, "")
    assert "UTF-8" in ran.err


# scan


@pytest.fixture
def store(settings: None, bucket: str, s3: S3Client, local_key: str) -> MemoryStore:
    """The store of the settings, but for the redactor: it stores what today's rules would redact."""
    wrapper = LocalKeyWrapper.from_text(local_key)
    return MemoryStore(bucket=bucket, tenant=TENANT, key_wrapper=wrapper, s3_client=s3, redactor=None)


@pytest.fixture
def unredacted(store: MemoryStore) -> MemoryCommands:
    """The commands over that."""
    return MemoryCommands(store, overwrite=True)


def test_findings_are_told_by_path_line_and_kind_and_without_values(run: Run, unredacted: MemoryCommands) -> None:
    unredacted.create("/memories/b/c", f"tea\n{SECRET}\n")
    unredacted.create("/memories/a", npm_token())
    unredacted.create("/memories/clean", "tea")
    ran = run("scan")
    assert ran == Ran(1, "/memories/a:1: npm-token\n/memories/b/c:2: password\n", "acme: 3 files, 2 found\n")


def test_a_clean_memory_exits_with_nought(run: Run, unredacted: MemoryCommands) -> None:
    unredacted.create("/memories/a", "password: [REDACTED:password]")
    assert run("scan") == Ran(0, "", "acme: 1 file, 0 found\n")
    unredacted.delete("/memories/a")
    assert run("scan") == Ran(0, "", "acme: 0 files, 0 found\n")


def test_without_fix_nothing_is_written(run: Run, unredacted: MemoryCommands, monkeypatch: pytest.MonkeyPatch) -> None:
    unredacted.create("/memories/a", SECRET)
    for owner, name in ((Bucket, "put"), (ConditionalDeletes, "one")):
        assert hasattr(owner, name)
        monkeypatch.setattr(owner, name, _not_called)
    assert run("scan", "--versions").exit_code == 1


def _not_called(*_: object, **__: object) -> None:
    raise AssertionError


def test_fix_redacts_current_files_and_nothing_is_left(run: Run, unredacted: MemoryCommands) -> None:
    unredacted.create("/memories/a", f"tea\n{SECRET}\n")
    ran = run("scan", "--fix")
    assert (ran.exit_code, ran.out) == (0, "/memories/a:2: password (fixed)\n")
    counted, note = ran.err.splitlines()
    assert counted == "acme: 1 file, 1 found, 1 fixed"
    assert note.startswith("s3memory: if the bucket keeps older versions, they still contain the redacted text")
    assert "password: [REDACTED:password]" in unredacted.view("/memories/a")
    assert run("scan") == Ran(0, "", "acme: 1 file, 0 found\n")


def test_fix_redacts_what_another_writer_stored_meanwhile(
    store: MemoryStore, unredacted: MemoryCommands, monkeypatch: pytest.MonkeyPatch
) -> None:
    unredacted.create("/memories/a", SECRET)
    put, others = Bucket.put, [f"newer\n{SECRET}\n"]

    def put_after_another(*arguments: Any, **more: Any) -> str | None:
        if others:
            unredacted.create("/memories/a", others.pop())
        return put(*arguments, **more)

    monkeypatch.setattr(Bucket, "put", put_after_another)
    scan(store, PatternRedactor(), fix=True)
    assert unredacted.view("/memories/a").endswith("1\tnewer\n     2\tpassword: [REDACTED:password]\n     3\t")


def test_older_versions_are_looked_at_when_asked_for_and_left_by_fix(run: Run, unredacted: MemoryCommands) -> None:
    unredacted.create("/memories/a", SECRET)
    unredacted.create("/memories/gone", f"\n{npm_token()}")
    assert run("scan", "--fix").exit_code == 0
    unredacted.delete("/memories/gone")
    assert run("scan").exit_code == 0
    ran = run("scan", "--versions", "--json")
    assert ran.exit_code == 1
    told = json.loads(ran.out)
    assert (told["files"], told["rules_version"]) == (1, rules_version())
    older = {(one["path"], one["line"], one["kind"]) for one in told["findings"] if one["version_id"]}
    assert older == {("/memories/a", 1, "password"), ("/memories/gone", 2, "npm-token")}
    assert all(one["modified"].endswith("Z") for one in told["findings"] if one["version_id"])
    assert VALUE not in ran.out + ran.err


def test_what_the_policy_only_reports_is_told_and_kept(run: Run, unredacted: MemoryCommands) -> None:
    unredacted.create("/memories/a", SECRET)
    ran = run("scan", "--fix", "--policy", "password=report")
    assert ran == Ran(0, "/memories/a:1: password (kept)\n", "acme: 1 file, 1 found\n")
    assert VALUE in unredacted.view("/memories/a")


def test_what_the_policy_blocks_is_found_and_fix_redacts_it(run: Run, unredacted: MemoryCommands) -> None:
    unredacted.create("/memories/a", f"{npm_token()}\n{SECRET}")
    ran = run("scan", "--policy", "password=block")
    assert (ran.exit_code, ran.out) == (1, "/memories/a:1: npm-token\n/memories/a:2: password (blocked)\n")
    told = json.loads(run("scan", "--policy", "password=block", "--json").out)
    assert [(one["kind"], one["is_blocked"]) for one in told["findings"]] == [("npm-token", False), ("password", True)]
    assert run("scan", "--policy", "password=block", "--fix").exit_code == 0
    assert VALUE not in unredacted.view("/memories/a")


def test_a_secret_in_a_path_is_told_redacted_and_is_for_people_to_mend(run: Run, unredacted: MemoryCommands) -> None:
    unredacted.create(f"/memories/{npm_token()}.md", "tea")
    ran = run("scan", "--fix")
    assert ran.exit_code == 1
    assert ran.out == "/memories/[REDACTED:npm-token].md: npm-token (in the path)\n"


def test_what_does_not_open_is_told_and_the_rest_is_looked_at(
    run: Run, unredacted: MemoryCommands, s3: Any, bucket: str
) -> None:
    unredacted.create("/memories/a", SECRET)
    unredacted.create("/memories/b", SECRET)
    sealed = s3.get_object(Bucket=bucket, Key="memories/acme/a")["Body"].read()
    s3.put_object(Bucket=bucket, Key="memories/acme/a", Body=sealed[:-1] + bytes([sealed[-1] ^ 1]))
    s3.put_object(Bucket=bucket, Key="memories/acme/c/", Body=b"")
    ran = run("scan")
    assert ran.exit_code == 3
    assert ran.out == "/memories/b:1: password\n"
    assert ran.err.splitlines() == [
        "acme: 2 files, 1 found",
        "s3memory: /memories/a does not open or could not be checked",
        "s3memory: 1 object is not a memory file: run `s3memory verify` to see it",
    ]


def test_another_tenant_s_memory_is_not_looked_at(run: Run, unredacted: MemoryCommands) -> None:
    unredacted.create("/memories/a", SECRET)
    MemoryCommands.from_env(tenant="other").create("/memories/b", "tea")
    assert run("scan", "--tenant", "other") == Ran(0, "", "other: 1 file, 0 found\n")


def test_a_read_only_memory_is_scanned_and_not_fixed(make_store: MakeStore) -> None:
    MemoryCommands(make_store(redactor=None)).create("/memories/a", SECRET)
    store = make_store(read_only=True)
    assert len(scan(store, PatternRedactor()).findings) == 1
    with pytest.raises(ReadOnlyError):
        scan(store, PatternRedactor(), fix=True)


def test_a_file_that_the_allow_list_names_is_not_looked_at(run: Run, unredacted: MemoryCommands, tmp_path: Any) -> None:
    unredacted.create("/memories/samples/a", SECRET)
    file = tmp_path / "redaction.toml"
    file.write_text('[allow]\npaths = ["/memories/samples/"]\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S3MEMORY_REDACTION_FILE", str(file))
        assert run("scan").exit_code == 0


def test_the_version_of_the_rules_is_a_hash_of_their_code() -> None:
    assert len(rules_version()) == 12
    assert int(rules_version(), 16) >= 0
