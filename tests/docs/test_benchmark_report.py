"""What the benchmark report rests on: its server and peers, and that it shows the measurements."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
import rendering
from botocore.exceptions import ClientError
from latencies import BOTH, BY_OPERATION, Latencies
from peers.checking import check
from peers.process import BUILD, CACHED, OURS, PEERS, Peer, PeerProcess
from peers.races import in_turns
from spread import Spread
from wire import OPERATIONS, WireServer

pytestmark = pytest.mark.long

PROJECT = Path(__file__).parents[2]
BENCHMARKS = PROJECT / "benchmarks"
REPORT = (BENCHMARKS / "report.md").read_text("utf-8")
RESULTS = json.loads((BENCHMARKS / "results.json").read_text("utf-8"))
MANY = 40
"""More directories than a peer with 32 threads lists at once."""


@pytest.fixture(scope="module")
def server() -> Iterator[WireServer]:
    with WireServer(delay_seconds=0) as started:
        yield started


def named(peer: Peer) -> str:
    return peer.name


def test_the_report_shows_the_results() -> None:
    assert rendering.markdown(RESULTS) == REPORT


def test_the_report_says_first_that_nothing_was_measured_on_aws() -> None:
    assert REPORT.splitlines()[2].startswith("Nothing here was measured on AWS.")


def test_every_plot_of_the_report_exists_and_has_colours_for_dark_pages() -> None:
    shown = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", REPORT)
    assert shown
    assert {BENCHMARKS / path for path in shown} == set((BENCHMARKS / "plots").iterdir())
    for path in shown:
        text = (BENCHMARKS / path).read_text("utf-8")
        assert "prefers-color-scheme: dark" in text
        assert (
            set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", text)) == set()
        )  # no fixed colour that would ignore the theme


def test_each_table_of_single_commands_has_at_least_seven_rounds() -> None:
    times = RESULTS["commands"]["measured"]["times"]
    assert times.keys() == {latencies.name for latencies in BOTH}
    for race in times.values():
        for by_peer in race.values():
            assert min(len(rounds) for rounds in by_peer.values()) >= 7


@pytest.mark.parametrize("latencies", BOTH, ids=lambda latencies: latencies.name)
def test_the_server_accepts_both_sets_of_latencies(server: WireServer, latencies: Latencies) -> None:
    server.delay(latencies.seconds)


def test_latencies_per_operation_must_name_each_operation(server: WireServer) -> None:
    with pytest.raises(ValueError, match=r"\['PutObject'\]"):
        server.delay({operation: 0.0 for operation in OPERATIONS if operation != "PutObject"})
    with pytest.raises(ValueError, match=r"\['PostObject'\]"):
        server.delay({**dict.fromkeys(OPERATIONS, 0.0), "PostObject": 0.0})


def test_each_operation_is_delayed_by_its_own_latency(server: WireServer) -> None:
    session = boto3.Session("testing", "testing", region_name="eu-central-1")
    s3 = session.client("s3", endpoint_url=server.url)
    kms = session.client("kms", endpoint_url=server.url)
    sts = session.client("sts", endpoint_url=server.url)
    server.delay({operation: 0.02 * number for number, operation in enumerate(OPERATIONS)})
    server.take_record()
    s3.put_object(Bucket="bench-latency", Key="a", Body=b"a")
    s3.get_object(Bucket="bench-latency", Key="a")
    s3.head_object(Bucket="bench-latency", Key="a")
    s3.copy_object(Bucket="bench-latency", Key="b", CopySource={"Bucket": "bench-latency", "Key": "a"})
    s3.list_objects_v2(Bucket="bench-latency")
    s3.list_object_versions(Bucket="bench-latency")
    s3.list_multipart_uploads(Bucket="bench-latency")
    s3.delete_object(Bucket="bench-latency", Key="a")
    s3.delete_objects(Bucket="bench-latency", Delete={"Objects": [{"Key": "b"}]})
    wrapped = kms.encrypt(KeyId="alias/benchmark", Plaintext=b"a")["CiphertextBlob"]
    kms.decrypt(CiphertextBlob=wrapped)
    kms.generate_data_key(KeyId="alias/benchmark", KeySpec="AES_256")
    sts.assume_role(RoleArn="arn:aws:iam::111122223333:role/tenant", RoleSessionName="bench")
    with pytest.raises(ClientError):
        s3.get_object(Bucket="bench-latency", Key="a")  # an error takes as long
    record = server.take_record()
    server.delay(0)
    assert {exchange.operation for exchange in record} == set(OPERATIONS)
    for exchange in record:
        took_seconds = exchange.end_seconds - exchange.begin_seconds
        assert took_seconds >= 0.02 * OPERATIONS.index(exchange.operation) - time.get_clock_info("monotonic").resolution


@pytest.mark.parametrize("peer", PEERS, ids=named)
def test_a_peer_carries_out_the_six_commands_and_some_do_so_on_a_directory_with_many_files(
    server: WireServer, peer: Peer
) -> None:
    if Path(peer.python).is_relative_to(BUILD) and not Path(peer.python).exists():
        pytest.skip("its environment is made by make bench")
    server.delay(0)
    with PeerProcess(peer, server) as process:
        check(process)
        if peer.name in {OURS, "afternoon", "cached_key_threads", "sse_kms"}:
            check_many(process)


def check_many(process: PeerProcess) -> None:
    paths = [f"/memories/many/{number:02}/note.md" for number in range(MANY)]
    process.run([{"command": "create", "path": path, "file_text": path} for path in paths])
    process.run([{"command": "rename", "old_path": "/memories/many", "new_path": "/memories/moved"}])
    ((shown, _, _),) = process.run([{"command": "view", "path": "/memories/moved"}]).results[0]
    moved = [path.replace("/many/", "/moved/") for path in paths]
    assert [line.split("\t")[1] for line in shown.splitlines() if line.endswith(".md")] == moved
    views = process.run([{"command": "view", "path": path} for path in moved]).results[0]
    assert all(path in text for path, (text, _, _) in zip(paths, views, strict=True))
    process.run([{"command": "delete", "path": "/memories/moved"}])
    ((_, is_error, _),) = process.run([{"command": "view", "path": moved[0]}], may_fail=True).results[0]
    assert is_error


@pytest.mark.parametrize("peer", [peer for peer in PEERS if peer.data_keys == CACHED], ids=named)
def test_a_peer_with_a_cached_key_calls_kms_once(server: WireServer, peer: Peer) -> None:
    server.delay(0)
    paths = [f"/memories/cached/{number}.md" for number in range(3)]
    with PeerProcess(peer, server) as process:
        server.take_record()
        process.run([{"command": "create", "path": path, "file_text": "x"} for path in paths])
        process.run([{"command": "view", "path": path} for path in paths])
    with PeerProcess(peer, server) as another:
        another.run([{"command": "view", "path": path} for path in paths])
    asked = [exchange.operation for exchange in server.take_record() if exchange.service == "kms"]
    assert asked == ["GenerateDataKey", "Decrypt"]


def test_a_view_requests_no_more_than_it_shows(server: WireServer) -> None:
    (peer,) = (peer for peer in PEERS if peer.name == "cached_key")
    server.delay(0)
    server.fill(peer.bucket, [f"memories/acme/full/{number:06}.md" for number in range(5_000)], size_bytes=10)
    with PeerProcess(peer, server) as process:
        server.take_record()
        ((text, _, _),) = process.run([{"command": "view", "path": "/memories/full"}]).results[0]
    operations = [exchange.operation for exchange in server.take_record()]
    assert operations == ["GetObject", "ListObjectsV2"]
    assert len(text) <= 16_000
    assert text.splitlines()[2].endswith("/memories/full/000000.md")


def test_each_round_starts_with_another_peer_and_a_slow_one_is_timed_once(server: WireServer) -> None:
    processes = [PeerProcess(peer, server) for peer in PEERS[:3]]  # not started: only their names are used
    order: list[str] = []

    def measure(process: PeerProcess, number: int) -> dict[str, float]:
        order.append(process.peer.name)
        return {"what": 99.0 if process is processes[2] else number + 1.0}

    race = in_turns(processes, measure, rounds=3)
    a, b, c = (process.peer.name for process in processes)
    assert order == [a, b, c, b, a, a, b]
    assert race == {"what": {a: [1.0, 2.0, 3.0], b: [1.0, 2.0, 3.0], c: [99.0]}}


def test_a_ratio_is_computed_per_round() -> None:
    assert str(Spread.of([2.0, 9.0, 4.0], [1.0, 3.0, 1.0])) == "3.00 (2.00-4.00)"
    assert str(Spread.of([20.0], [10.0, 11.0])) == "2.00"


def test_a_target_is_met_by_its_median_against_the_best_peer() -> None:
    peers = {peer.name: [9.0] for peer in PEERS} | {OURS: [1.0], "afternoon": [1.1], "cached_key": [0.8]}
    results = {"commands": {"measured": {"times": {BY_OPERATION.name: {"create, 1 kB": peers}}}}}
    each, cached = rendering.aims(results).splitlines()[2:]
    assert each.endswith("| 1.10 | **missed** | 1.10 |")
    assert cached.endswith("| 0.80 | met | 0.80 |")


def test_make_bench_can_measure_one_part_again() -> None:
    make = ["make", "--dry-run", "bench", "ONLY=commands views"]
    done = subprocess.run(make, cwd=PROJECT, capture_output=True, text=True, check=True)  # noqa: S603 - our target
    assert "benchmarks/bench.py --only commands views" in done.stdout
