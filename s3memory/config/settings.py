"""Settings from ``S3MEMORY_*`` environment variables, read only on request, and the objects that they configure.

An unknown ``S3MEMORY_*`` variable is an error: a misspelled one would silently leave the default in force.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from s3memory.config.hidden_values import Malformed, hidden, made_of_file, parsed
from s3memory.config.variables import PREFIX, TENANT_FIELD, VARIABLES, local_key
from s3memory.errors import ConfigurationError
from s3memory.limits import Limits
from s3memory.paths import check_tenant

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

    from s3memory.audit import Auditor
    from s3memory.aws.clients import ClientSource, ProcessClients
    from s3memory.aws.tenant_sessions import TenantSessions
    from s3memory.keys.dynamodb_register import DynamoDBRingRegister
    from s3memory.keys.wrappers.kms import KmsKeyWrapper
    from s3memory.keys.wrappers.local import LocalKeyWrapper
    from s3memory.redaction import PatternRedactor, Redactor


class Settings:
    """The parsed values of the variables that are set, by their names without ``S3MEMORY_``.

    The repr shows names only, since one of the values is a key.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the ``S3MEMORY_*`` variables; an empty one counts as not set.

        Args:
            environ: the environment; the process's if left out.

        Raises:
            ConfigurationError: a variable is unknown or malformed. The error names it, but shows no value.
        """
        environ = hidden(environ)
        known = {variable.full_name: variable for variable in VARIABLES}
        values: dict[str, Any] = {}
        for full_name in sorted(name for name in environ if name.startswith(PREFIX)):
            variable = known.get(full_name)
            if variable is None:
                raise ConfigurationError(f"{full_name} is not a setting of s3memory{_hint(full_name, known)}")
            if not environ[full_name]:
                continue
            value = parsed(variable.parse, environ, full_name)
            if isinstance(value, Malformed):
                # Such as a carriage return from a Windows file, which nobody sees.
                unseen = "" if environ[full_name] == environ[full_name].strip() else "; white space is around it"
                raise ConfigurationError(f"{full_name} is malformed: {value.why}{unseen}")
            values[variable.name] = value
        settings = cls(values)
        settings._refuse_contradictions()
        return settings

    def get(self, name: str, default: Any = None) -> Any:
        """Return a variable's value, or the default if it is not set."""
        return self.values.get(name, default)

    @property
    def bucket(self) -> str:
        """The bucket. Raises `ConfigurationError` if none is set."""
        if "BUCKET" not in self.values:
            raise ConfigurationError(f"{PREFIX}BUCKET is not set: put the name of your S3 bucket into the environment")
        bucket: str = self.values["BUCKET"]
        return bucket

    def tenant(self, given: str | None) -> str:
        """Return the given tenant, or ``S3MEMORY_TENANT``. Raise `ConfigurationError` if there is neither."""
        if given is not None:
            return given
        if "TENANT" not in self.values:
            raise ConfigurationError(f"no tenant is named: pass --tenant (in Python, tenant=), or set {PREFIX}TENANT")
        tenant: str = self.values["TENANT"]
        return tenant

    def kms_key_ids(self, tenant: str | None = None) -> tuple[str, ...]:
        """Return the KMS keys that are configured for a tenant. There are none if a local key is configured.

        Args:
            tenant: the tenant whose key rings they wrap; ``S3MEMORY_TENANT`` if left out.

        Raises:
            ConfigurationError: the key's alias includes the tenant, and an alias can't hold this tenant's name.
        """
        key_ids: tuple[str, ...] = self.get("KMS_KEY_ID", ())
        if not any(TENANT_FIELD in key_id for key_id in key_ids):
            return key_ids
        tenant = check_tenant(self.tenant(tenant))
        if "." in tenant:  # https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateAlias.html
            raise ConfigurationError(
                f"{PREFIX}KMS_KEY_ID holds {TENANT_FIELD}, and no KMS alias can hold the dot in the tenant's name"
            )
        return tuple(key_id.replace(TENANT_FIELD, tenant) for key_id in key_ids)

    @property
    def transport(self) -> str:
        """The transport that sends the requests to AWS."""
        transport: str = self.get("TRANSPORT", "boto3")
        return transport

    def clients(self) -> ProcessClients:
        """Return the process's clients for the configured transport."""
        from s3memory.aws.clients import clients_of_process

        return clients_of_process(self.transport)

    def s3_client(self, source: ClientSource) -> S3Client:
        """Return a source's S3 client with the configured endpoint and checksums."""
        options = {"endpoint_url": "ENDPOINT_URL", "checksums": "CHECKSUMS"}
        return source.s3_client(**{name: self.values[of] for name, of in options.items() if of in self.values})

    def key_wrapper(
        self, source: ClientSource | None = None, *, tenant: str | None = None
    ) -> KmsKeyWrapper | LocalKeyWrapper:
        """Return the configured key wrapper.

        Args:
            source: the source of the client that calls KMS; the process if left out.
            tenant: the tenant whose key rings it wraps; ``S3MEMORY_TENANT`` if left out.

        Raises:
            ConfigurationError: none is configured, or a local key's file is unreadable or malformed; as `kms_key_ids`.
        """
        key_ids = self.kms_key_ids(tenant)
        if key_ids:
            from s3memory.keys.wrappers.kms import KmsKeyWrapper

            wrapper = KmsKeyWrapper(*key_ids, endpoint_url=self.get("KMS_ENDPOINT_URL"))
            return wrapper.with_clients(source or self.clients()).prepare()
        if "LOCAL_KEY" in self.values:
            wrapper_of_text: LocalKeyWrapper = self.values["LOCAL_KEY"]
            return wrapper_of_text
        if "LOCAL_KEY_FILE" in self.values:
            return read_local_key(self.values["LOCAL_KEY_FILE"], called=f"{PREFIX}LOCAL_KEY_FILE")
        raise ConfigurationError(
            f"{PREFIX}KMS_KEY_ID is not set, nor is {PREFIX}LOCAL_KEY or {PREFIX}LOCAL_KEY_FILE: "
            "one of them has to name a key"
        )

    def tenant_sessions(self, *, transport: str | None = None) -> TenantSessions | None:
        """Return the process's sessions for the tenants' role, or ``None`` if no such role is set.

        They use the configured transport, unless another is given.
        """
        if "TENANT_ROLE_ARN" not in self.values:
            return None
        from s3memory.aws.tenant_sessions import shared_tenant_sessions

        return shared_tenant_sessions(
            self.values["TENANT_ROLE_ARN"],
            external_id=self.get("TENANT_EXTERNAL_ID"),
            transport=transport or self.transport,
        )

    def ring_register(self, source: ClientSource) -> DynamoDBRingRegister | None:
        """Return the configured register of key rings, which calls DynamoDB with a source's client, or ``None``."""
        if "KEY_RING_TABLE" not in self.values:
            return None
        from s3memory.keys.dynamodb_register import DynamoDBRingRegister

        return DynamoDBRingRegister(self.values["KEY_RING_TABLE"]).with_clients(source)

    def redactor(self) -> Redactor | None:
        """Return the configured redactor, or ``None`` if redaction is off.

        The default one loads its rules when first used. A customized one loads them now, so that errors show here.

        Raises:
            ConfigurationError: its policy or file is malformed, or the file can't be read.
        """
        if not self.get("REDACTION", True) or not self.values.keys().isdisjoint({"REDACTION_POLICY", "REDACTION_FILE"}):
            return self.pattern_redactor()
        from s3memory.redaction.default import DEFAULT_REDACTOR

        return DEFAULT_REDACTOR

    def pattern_redactor(self) -> PatternRedactor | None:
        """Return the configured redactor with its rules loaded, or ``None`` if it is off. Raises as `redactor`."""
        if not self.get("REDACTION", True):
            return None
        from s3memory.redaction import PatternRedactor

        if "REDACTION_FILE" not in self.values:
            return PatternRedactor(policy=self.get("REDACTION_POLICY", {}))
        from s3memory.redaction.configuration import redactor_from_toml

        return made_of_file(redactor_from_toml, self.values["REDACTION_FILE"], called=f"{PREFIX}REDACTION_FILE")

    def auditor(self) -> Auditor | None:
        """Return the configured auditor, or ``None`` if commands are not audited."""
        wanted = self.get("AUDIT", "off")
        if wanted == "off":
            return None
        from s3memory.audit import EmfAuditor, LogAuditor

        return EmfAuditor() if wanted == "emf" else LogAuditor(with_paths=wanted == "paths")

    def limits(self) -> Limits:
        """Return the limits, with the configured ones in place of defaults."""
        names = ("max_file_bytes", "max_view_chars", "max_search_files", "max_tenant_files", "max_tenant_bytes")
        fields = {name: self.get(name.upper()) for name in names}
        return Limits(**{name: value for name, value in fields.items() if value is not None})

    def __repr__(self) -> str:
        return f"Settings({', '.join(sorted(self.values))})"

    def _refuse_contradictions(self) -> None:
        keys = [name for name in ("KMS_KEY_ID", "LOCAL_KEY", "LOCAL_KEY_FILE") if name in self.values]
        if len(keys) > 1:
            raise ConfigurationError(f"{' and '.join(PREFIX + name for name in keys)} are both set: choose one key")
        if {"REDACTION_POLICY", "REDACTION_FILE"} <= self.values.keys():
            raise ConfigurationError(
                f"{PREFIX}REDACTION_POLICY and {PREFIX}REDACTION_FILE are both set: put the policy into the file"
            )
        if not self.get("REDACTION", True):
            for name in ("REDACTION_POLICY", "REDACTION_FILE"):
                if name in self.values:
                    raise ConfigurationError(f"{PREFIX}{name} is set, but {PREFIX}REDACTION is off")
        if "TENANT_EXTERNAL_ID" in self.values and "TENANT_ROLE_ARN" not in self.values:
            raise ConfigurationError(f"{PREFIX}TENANT_EXTERNAL_ID is set, but {PREFIX}TENANT_ROLE_ARN is not")
        # With a local key, it serves to move key rings to KMS.
        if "KMS_ENDPOINT_URL" in self.values and not keys:
            raise ConfigurationError(
                f"no key is configured: {PREFIX}KMS_ENDPOINT_URL is set, but {PREFIX}KMS_KEY_ID is not"
            )


def read_local_key(path: str | Path, *, called: str) -> LocalKeyWrapper:
    """Return the key wrapper for the local keys in a file. Raises as `made_of_file`."""
    return made_of_file(local_key, path, called=called)


def _hint(full_name: str, known: Iterable[str]) -> str:
    import difflib  # not loaded unless a name is misspelled

    # Without the common prefix, which would make all names look similar.
    names = [name.removeprefix(PREFIX) for name in known]
    close = difflib.get_close_matches(full_name.removeprefix(PREFIX), names, n=1)
    return f"; did you mean {PREFIX}{close[0]}?" if close else ""
