"""One run of the demo, from the first process to the report."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from typing import Any

from s3memory.cli.demo import story
from s3memory.cli.demo.evidence import Claim, Evidence, Invocation, conclude
from s3memory.cli.demo.show import Show
from s3memory.cli.demo.stage import DemoError, Stage, probes, stored_versions
from s3memory.cli.demo.story import Act
from s3memory.testing.moto_server import MotoServer

_REPORTED_BYTES = 16


def perform(show: Show, *, live: bool) -> tuple[Evidence, list[Claim]]:
    """Run the demo, with the real Claude if `live`. Return the evidence, and the claims with their results."""
    own_store = live and bool(os.environ.get("S3MEMORY_BUCKET"))
    show.opening(scripted=not live, own_store=own_store)
    token = story.made_up_token()
    acts: Sequence[Act] = story.acts(token)
    with ExitStack() as cleanup:
        server = None if own_store else _moto(cleanup)
        if own_store:
            acts = [replace(act, tenant=f"demo-{act.tenant}") for act in acts]
        stage = Stage(server, scripted=not live)
        # All processes are started at once, and get their events one after another: importing the SDK takes longer
        # than all the work of an agent. Lambda, too, initialises a function before it passes an event.
        with ExitStack() as until_they_end:
            agents = [until_they_end.enter_context(stage.started(act)) for act in acts]
            caller = None if live else cleanup.enter_context(stage.caller())
            stage.furnish()
            invocations = []
            for act, agent in zip(acts, agents, strict=True):
                show.act(act, agent.pid)
                invocations.append(stage.invoke(act, agent, heard=show.message))
        evidence = Evidence(token, invocations, scripted=not live)
        if server is not None:
            evidence = replace(evidence, versions=stored_versions(server), resource_names=stage.resource_names)
            show.bucket(evidence.versions or ())
        if caller is not None and server is not None:
            evidence = replace(evidence, probes={probe.name: probe for probe in probes(caller, server)})
            show.attacks(evidence.probes)
        if server is not None:
            show.costs(evidence.invocations)
    return evidence, conclude(evidence)


def report(evidence: Evidence, checks: Sequence[Claim], *, seconds: float) -> dict[str, Any]:
    """Return the run as JSON values."""
    return {
        "ok": all(check.held for check in checks),
        "seconds": round(seconds, 2),
        "checks": [asdict(check) for check in checks],
        "invocations": [_invocation_report(invocation) for invocation in evidence.invocations],
        "objects": [
            {
                "object_key": version.object_key,
                "is_current": version.is_current,
                "size_bytes": len(version.body),
                "first_bytes": version.body[:_REPORTED_BYTES].hex(),
            }
            for version in evidence.versions or ()
        ],
        "tampering": [asdict(probe) for probe in evidence.probes.values()],
    }


def _moto(cleanup: ExitStack) -> MotoServer:
    try:
        return cleanup.enter_context(MotoServer(is_awaited=False))
    except RuntimeError as error:
        raise DemoError(str(error)) from error


def _invocation_report(invocation: Invocation) -> dict[str, Any]:
    return {
        "tenant": invocation.tenant,
        "pid": invocation.pid,
        "seconds": round(invocation.seconds, 2),
        "messages": list(invocation.messages),
        "requests": Counter(f"{request.service} {request.operation}" for request in invocation.requests),
    }
