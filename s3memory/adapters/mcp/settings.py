"""`Tenants`: the memories and options of a server, from the ``S3MEMORY_*`` settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import count

from s3memory.adapters.mcp.deadlines import remaining_seconds
from s3memory.commands import MemoryCommands
from s3memory.config.hidden_values import hidden
from s3memory.config.settings import Settings
from s3memory.paths import check_tenant

# As many as `TenantSessions` keeps, since a memory keeps its tenant's clients.
_MAX_TENANTS = 64


class Tenants:
    """The memories of all tenants, as configured by the settings. No request is sent.

    Args:
        environ: the settings.
        read_only: make them read-only, even if the settings don't.

    Raises:
        ConfigurationError: a variable is missing, malformed, unknown or contradicts another; the text names it.
    """

    def __init__(self, environ: Mapping[str, str], *, read_only: bool = False) -> None:
        environ = hidden(environ)
        self._environ = hidden({**environ, **({"S3MEMORY_READ_ONLY": "true"} if read_only else {})})
        settings = self._settings = Settings.from_env(self._environ)
        self.read_only: bool = settings.get("READ_ONLY", False)
        self.overwrites: bool = settings.get("OVERWRITE", False)
        self.limits = settings.limits()
        self.resource_url: str | None = settings.get("MCP_RESOURCE_URL")
        self.auth_options: dict[str, str | None] = {
            name: settings.get(f"MCP_{name.upper()}") for name in ("issuer", "audience", "jwks_url", "tenant_claim")
        }
        self.commands_for: Callable[[str], MemoryCommands] = lru_cache(maxsize=_MAX_TENANTS)(self._commands_for)
        # Report wrong settings here, not at the first request. The trial tenant must not be one that is mounted.
        mounted = {tenant for _, tenant, _ in settings.get("MOUNTS", ())}
        self._commands_for(next(name for number in count() if (name := f"any{number}") not in mounted))

    def require_tenant(self, given: str | None) -> str:
        """Return the given tenant or that of the settings; raise `ConfigurationError` if it is missing or malformed."""
        return check_tenant(self._settings.tenant(given))

    def _commands_for(self, tenant: str) -> MemoryCommands:
        return MemoryCommands.from_env(tenant=tenant, environ=self._environ, remaining_seconds=remaining_seconds)
