"""Run the rules of tests/conformance on moto and on LocalStack, which is installed in a separate environment.

Both servers listen on a free port on loopback, and end with this program, however it ends.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from second_server import PROJECT, end_on_signals, free_address, holds, say

from s3memory.testing import MotoServer

ENVIRONMENT = PROJECT / "build" / "localstack-venv"
DATA = PROJECT / "build" / "localstack-data"

# A release that needs no account, with the packages that it needs to start without Docker.
PINS = (
    "localstack-core[base-runtime]==4.13.1",
    "cbor2<5.8",
    "cryptography<45",
    "pyopenssl<25.1",
    "service_identity",
)
# It ends when its standard input does, so a dying parent leaves no server behind.
PROGRAM = """
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(0)), daemon=True).start()
from localstack.runtime.main import main
main()
"""

INSTALL_SECONDS = 900
START_SECONDS = 180  # the first start compiles the installed code


def main() -> int:
    """Run everything. Return the exit code: 0 only if every rule holds on both."""
    end_on_signals()
    began = time.monotonic()
    with MotoServer() as server:
        say(f"moto: started in {time.monotonic() - began:.1f} s")
        is_good = holds(server.endpoint_url)
    if not install():
        say("NOT CHECKED: LocalStack could not be installed, so no rule was tried on a second server.")
        return 1
    began = time.monotonic()
    with localstack() as endpoint_url:
        if endpoint_url is None:
            say("NOT CHECKED: LocalStack did not start, so no rule was tried on a second server.")
            return 1
        say(f"{PINS[0]}: started in {time.monotonic() - began:.1f} s")
        is_good = holds(endpoint_url) and is_good
    return 0 if is_good else 1


def install() -> bool:
    """Create the environment if necessary. Return whether it exists now."""
    installed = ENVIRONMENT / "installed.txt"
    wanted = "\n".join(PINS)
    if installed.is_file() and installed.read_text() == wanted:
        return True
    say(f"installing LocalStack into {ENVIRONMENT.relative_to(PROJECT)}")
    pip = [str(ENVIRONMENT / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    try:
        for command in ([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)], [*pip, *PINS]):
            subprocess.run(command, check=True, timeout=INSTALL_SECONDS)  # noqa: S603 - the lines above
    except (OSError, subprocess.SubprocessError) as error:
        say(f"the installation failed: {type(error).__name__}")
        return False
    installed.write_text(wanted)
    return True


@contextmanager
def localstack() -> Iterator[str | None]:
    """Yield the URL of LocalStack's S3 once it is ready, or ``None`` if that takes too long."""
    address = free_address()
    DATA.mkdir(parents=True, exist_ok=True)
    settings = {
        "PATH": os.environ["PATH"],
        "HOME": str(DATA),
        "TMPDIR": str(DATA),
        "FILESYSTEM_ROOT": str(DATA),
        "OVERRIDE_IN_DOCKER": "0",  # even in a container, it uses only the directory above
        "GATEWAY_SERVER": "hypercorn",
        "GATEWAY_LISTEN": address,
        "SERVICES": "s3",
        "EAGER_SERVICE_LOADING": "1",
        "DISABLE_EVENTS": "1",
        "SKIP_SSL_CERT_DOWNLOAD": "1",
        "DNS_ADDRESS": "0",
    }
    log = DATA / "log.txt"
    with (
        log.open("wb") as output,
        subprocess.Popen(  # noqa: S603 - the program above
            [str(ENVIRONMENT / "bin" / "python"), "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=settings,
            start_new_session=True,  # Ctrl-C ends the tests first, then their server
        ) as process,
    ):
        try:
            if is_ready(process, f"http://{address}"):
                yield f"http://{address}"
            else:
                say("\n".join(["it wrote:", *log.read_text(errors="replace").splitlines()[-20:]]))
                yield None
        finally:
            process.kill()


def is_ready(process: subprocess.Popen[bytes], endpoint_url: str) -> bool:
    """Wait until a server reports that its S3 is running. Return whether that happened in time."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        with suppress(OSError), opener.open(f"{endpoint_url}/_localstack/health", timeout=5) as answer:
            if json.load(answer)["services"]["s3"] == "running":
                return True
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.1)
            return False
    return False


if __name__ == "__main__":
    sys.exit(main())
