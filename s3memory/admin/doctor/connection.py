"""Checks how requests reach the server, and whether they are logged: TLS, clocks, checksums, debug logs."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from s3memory.admin.doctor.checks import Verdict, good, unchecked, weaker, wrong
from s3memory.admin.doctor.deployment import Deployment
from s3memory.admin.doctor.probes import Probes
from s3memory.aws.errors import RequestOutcome

# The Date header has whole seconds, and the response takes time. A clock that NTP keeps is far within this.
_TOLERATED = timedelta(seconds=30)
_WRONG_CRC32 = "AAAAAA=="  # of an empty body, in base64


def clock(probes: Probes, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Verdict:
    """Check that this machine's clock and the server's agree, by the Date header of a response."""
    before = now()
    answer = probes.put(probes.new_key(), IfNoneMatch="*")
    after = now()
    headers = answer.fields.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    try:
        server = parsedate_to_datetime(headers["date"])
    except (KeyError, ValueError, TypeError):  # missing or malformed: there may be two, for example
        return unchecked("the server's answers have no Date that can be read", "Compare the clocks yourself.")
    if server.tzinfo is None:  # -0000 means UTC without a statement about the server's time zone
        server = server.replace(tzinfo=UTC)
    skew = max(before - server - timedelta(seconds=1), server - after, timedelta())
    if skew <= _TOLERATED:
        return good(f"this machine and the server agree within {_TOLERATED.seconds} s")
    follows = (
        "S3 refuses requests that are 15 minutes off (RequestTimeTooSkewed). Until then, everything that is compared "
        "with the server's times is off by as much: restoring as of a moment, expiry, stale intents."
    )
    return weaker(f"this machine and the server are {skew.total_seconds():.0f} s apart", follows)


def logs() -> Verdict:
    """Check that this program's other clients do not log their requests and responses, with credentials in them."""
    levels = {one or "root": logging.getLogger(one).level for one in ("", "boto3", "botocore", "urllib3")}
    at_debug = [name for name, level in levels.items() if 0 < level <= logging.DEBUG]
    if not at_debug:
        return good("botocore logs no requests and answers")
    follows = (
        "s3memory's own requests are not logged. Any other client in the program logs its requests, with what KMS and "
        "STS answer: data keys and credentials. Use INFO."
    )
    return weaker(f"at DEBUG, in this process: {', '.join(at_debug)}", follows)


def transport(deployment: Deployment) -> Verdict:
    """Check that requests to S3, KMS and the register go over TLS."""
    if deployment.kms is not None and not _is_over_tls(deployment.kms):
        follows = (
            "KMS answers with data keys in clear: anyone on the network path can open the tenant's memory. Give KMS an "
            "https:// address, or none: S3MEMORY_KMS_ENDPOINT_URL, AWS_ENDPOINT_URL_KMS, AWS_ENDPOINT_URL."
        )
        to_s3 = "" if _is_over_tls(deployment.s3) else "S3 and "
        found = f"requests to {to_s3}KMS go over plain HTTP"
        return weaker(found, follows) if _is_on_loopback(deployment.kms) else wrong(found, follows)
    if _is_over_tls(deployment.s3):
        if deployment.register is None or _is_over_tls(deployment.register.operators):
            return good("requests go over TLS")
        follows = "Anyone on the network path can answer in the register's place, and have an older key ring pass."
        return weaker("requests to the register go over plain HTTP", follows)
    follows = (
        "Texts are sealed before they are sent. Nothing else is hidden: anyone on the network path sees object keys, "
        "sizes and times, and can answer in the server's place."
    )
    return weaker("requests go over plain HTTP", follows)


def _is_over_tls(client: Any) -> bool:
    return urlsplit(str(client.meta.endpoint_url)).scheme == "https"


def _is_on_loopback(client: Any) -> bool:
    host = urlsplit(str(client.meta.endpoint_url)).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def checksums(probes: Probes) -> Verdict:
    """Check that the server accepts CRC32 checksums, and verifies them."""
    right = probes.put(probes.new_key(), IfNoneMatch="*", ChecksumAlgorithm="CRC32")
    if right.outcome is not None:
        follows = "Set S3MEMORY_CHECKSUMS=when_required. What is damaged on the way is then found when it is opened."
        return weaker(f"a PUT with a CRC32 checksum: {right.said}", follows)
    object_key = probes.new_key()
    damaged = probes.put(object_key, IfNoneMatch="*", ChecksumCRC32=_WRONG_CRC32)
    if damaged.outcome is RequestOutcome.FAILED and probes.head(object_key).outcome is RequestOutcome.MISSING:
        return good("a PUT whose CRC32 checksum is wrong is refused")
    follows = "A text that is damaged on the way is stored anyway. You find out when it does not open."
    return weaker(f"a PUT whose CRC32 checksum is wrong: {damaged.said}", follows)
