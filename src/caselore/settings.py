"""Reads the environment and caselore.toml, once, into one frozen value.

Must not be read around: no other module looks at the environment, and nothing here opens a store.
"""

from __future__ import annotations

import getpass
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

from caselore.errors import BadInput, WrongUse
from caselore.guards.agents import MARKERS as AGENT_MARKERS

FILE_NAME = "caselore.toml"
DATABASE_NAME = "caselore.db"

FORMS: Mapping[str, tuple[type | tuple[type, ...], str]] = MappingProxyType(
    {
        "bank": (str, "a text"),
        "model": (str, "a text"),
        "model_temperature": ((int, float), "a number"),
        "model_limits": (dict, "a table"),
        "weights": (dict, "a table"),
        "repair": (dict, "a table"),
        "forge": (dict, "a table"),
        "intel": (dict, "a table"),
        "retention": (dict, "a table"),
        "family": (list, "a list of tables, [[family]]"),
        "auth": (dict, "a table"),
        "server": (dict, "a table"),
        "jobs": (dict, "a table"),
        "sign_in": (dict, "a table"),
        "mask": (list, "a list of names of variables"),
        "vectors": (dict, "a table"),
        "hindsight": (dict, "a table"),
    }
)
# Where data lives and who is asking must not come from a file that a repository can carry.
ENVIRONMENT_ONLY = {
    "home": "CASELORE_HOME",
    "database_url": "CASELORE_DATABASE_URL",
    "token": "CASELORE_TOKEN",
    "proxy_header": "CASELORE_PROXY_HEADER",
    "proxy_from": "CASELORE_PROXY_FROM",
    "session_key": "CASELORE_SESSION_KEY",
    "hook_secret": "CASELORE_HOOK_SECRET",
    "oidc_secret": "CASELORE_OIDC_SECRET",
    "model_url": "CASELORE_MODEL_URL",  # a log must not go where a cloned repository wants it
    "model_key": "CASELORE_MODEL_KEY",
}
PROVIDER_KEYS = ("_API_KEY", "_SECRET_ACCESS_KEY", "_SESSION_TOKEN", "_BEARER_TOKEN_BEDROCK")
LEAST_KEY = 8  # a shorter one is a stand-in such as `ollama`, and may be a word of a sentence
# What is started and how often, who gets a token, who is let in and what is removed must not come
# from a file that the repaired change can edit.
HOME_ONLY = frozenset(
    {"repair", "forge", "intel", "jobs", "sign_in", "retention", "vectors", "hindsight"}
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a person may set."""

    home: Path
    database: Path
    """The file of an embedded store; not used where `database_url` names a server."""
    bank: str = "default"
    token: str | None = None
    marker: str | None = None
    model: str = "none"
    model_url: str = ""
    """The address of an OpenAI-compatible server."""
    model_key: str = field(default="", repr=False)
    provider_keys: tuple[str, ...] = field(default=(), repr=False)
    """What models are asked with by the providers' own variables; an answer may repeat it."""
    model_temperature: float = 0.1
    model_limits: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, Any] = field(default_factory=dict)
    vectors: Mapping[str, str] = field(default_factory=dict, repr=False)
    hindsight: Mapping[str, str] = field(default_factory=dict, repr=False)
    repair: Mapping[str, Any] = field(default_factory=dict)
    forges: Mapping[str, Any] = field(default_factory=dict)
    """By host: `kind`, and perhaps `api`, `token_env`, `also`."""
    intel: Mapping[str, Any] = field(default_factory=dict)
    retention: Mapping[str, Any] = field(default_factory=dict)
    jobs: Mapping[str, Any] = field(default_factory=dict)
    families: tuple[Mapping[str, Any], ...] = ()
    user: str = "unknown"
    database_url: str = field(default="", repr=False)  # it may hold a password
    files: tuple[Path, ...] = ()
    auth_required: bool = False
    """Even on loopback nobody reads without a token."""
    hosts: tuple[str, ...] = ()
    """Names under which the server may be asked, beside those of loopback."""
    proxy_header: str = ""
    proxy_from: tuple[str, ...] = ()
    session_key: str = field(default="", repr=False)
    sign_in: Mapping[str, Any] = field(default_factory=dict)
    """`people`: who is what; `oidc`: which identity provider names them."""
    oidc_secret: str = field(default="", repr=False)
    keep_logs: int = 0
    """Days that whole logs, masked, are kept beside the memory; 0 keeps none."""
    telemetry: str = ""
    """Where an OpenTelemetry collector listens; empty for none."""
    hook_secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """By kind of hook; that of no kind is for all others."""
    masked: tuple[str, ...] = field(default=(), repr=False)
    """Values that are secret because the user names the variables that hold them."""

    @property
    def agent(self) -> str:
        """Name the coding agent whose marker was found."""
        return AGENT_MARKERS.get(self.marker or "", "any agent").lower().replace(" ", "-")


def load(
    home_or_url: str | os.PathLike[str] | None = None,
    *,
    bank: str | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """Read the settings: caselore.toml of the home, of the working folder, then the environment.

    Raises: WrongUse for an unknown key or a wrong value; Unavailable for what this version lacks.
    """
    env = os.environ if environment is None else environment
    home, database, url = _place(home_or_url, env)
    files = _files(home, folder if folder is not None else Path.cwd())
    merged = _merged(files, home)
    return Settings(
        home=home,
        database=database,
        bank=bank or env.get("CASELORE_BANK") or merged.get("bank") or "default",
        token=env.get("CASELORE_TOKEN", "").strip() or None,
        marker=agent_marker(env),
        model=_model(env.get("CASELORE_MODEL") or merged.get("model") or "none"),
        model_url=env.get("CASELORE_MODEL_URL", "").strip(),
        model_key=env.get("CASELORE_MODEL_KEY", "").strip(),
        provider_keys=_provider_keys(env),
        model_temperature=float(merged.get("model_temperature", 0.1)),
        model_limits=merged.get("model_limits", {}),
        weights=merged.get("weights", {}),
        vectors=_service(env, "vectors", merged.get("vectors", {}), "model"),
        hindsight=_service(env, "hindsight", merged.get("hindsight", {}), "bank", "recall"),
        repair=merged.get("repair", {}),
        forges=merged.get("forge", {}),
        intel=merged.get("intel", {}),
        retention=merged.get("retention", {}),
        jobs=merged.get("jobs", {}),
        families=tuple(merged.get("family", ())),
        user=_user(env),
        database_url=url,
        files=files,
        auth_required=_required(env, merged.get("auth", {})),
        hosts=tuple(_words(env.get("CASELORE_HOSTS", ""))) or _hosts(merged.get("server", {})),
        proxy_header=env.get("CASELORE_PROXY_HEADER", "").strip(),
        proxy_from=tuple(_words(env.get("CASELORE_PROXY_FROM", "127.0.0.1 ::1"))),
        session_key=env.get("CASELORE_SESSION_KEY", "").strip(),
        sign_in=merged.get("sign_in", {}),
        oidc_secret=env.get("CASELORE_OIDC_SECRET", "").strip(),
        hook_secrets=_hook_secrets(env),
        keep_logs=_days(env.get("CASELORE_KEEP_LOGS", "")),
        telemetry=_collector(env),
        masked=_values(env, [*_words(env.get("CASELORE_MASK", "")), *merged.get("mask", ())]),
    )


def _service(
    env: Mapping[str, str], name: str, table: Mapping[str, Any], *keys: str
) -> dict[str, str]:
    """Read how a further service is used; its address and key are the environment's alone."""
    _check_table(name, table, dict.fromkeys(keys, str))
    said = {key: env.get(f"CASELORE_{name}_{key}".upper(), "") for key in (*keys, "url", "key")}
    return {key: (value or table.get(key, "")).strip() for key, value in said.items()}


def _values(env: Mapping[str, str], names: Iterable[Any]) -> tuple[str, ...]:
    """Give the values of the variables named, line by line: a mask covers no line end."""
    values = (env.get(str(name), "") for name in dict.fromkeys(names))
    return tuple(line.strip() for value in values for line in value.split("\n") if line.strip())


def _provider_keys(env: Mapping[str, str]) -> tuple[str, ...]:
    """Give what the variables hold by which model providers take their keys."""
    held = _values(env, sorted(name for name in env if name.endswith(PROVIDER_KEYS)))
    return tuple(one for one in held if len(one) >= LEAST_KEY)


def _required(env: Mapping[str, str], table: Mapping[str, Any]) -> bool:
    """Take the stricter of the environment and the files."""
    known = {"required": bool}
    _check_table("auth", table, known)
    return bool(table.get("required")) or env.get("CASELORE_AUTH_REQUIRED", "") in _YES


_YES = frozenset({"1", "true", "yes"})


def _days(text: str) -> int:
    if text and not (text.isascii() and text.isdigit() and len(text) < 5):
        raise WrongUse("CASELORE_KEEP_LOGS is no number of days.", hint="For example 30, or 0.")
    return int(text or 0)


def _hosts(table: Mapping[str, Any]) -> tuple[str, ...]:
    _check_table("server", table, {"hosts": list})
    return tuple(str(one) for one in table.get("hosts", ()))


def _collector(env: Mapping[str, str]) -> str:
    name = "OTEL_EXPORTER_OTLP_ENDPOINT"
    return env.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") or env.get(name, "")


def _hook_secrets(env: Mapping[str, str]) -> dict[str, str]:
    """Read CASELORE_HOOK_SECRET, and CASELORE_HOOK_SECRET_GITLAB and the like."""
    name = "CASELORE_HOOK_SECRET"
    kinds = ("", "gitlab", "github", "gitea", "generic")
    found = {kind: env.get(f"{name}_{kind.upper()}" if kind else name, "") for kind in kinds}
    return {kind: secret.strip() for kind, secret in found.items() if secret.strip()}


def _check_table(name: str, table: Mapping[str, Any], known: Mapping[str, type]) -> None:
    for key, value in table.items():
        if key not in known:
            raise WrongUse(f"[{name}] has no {key!r}.", hint=nearest(key, tuple(known)))
        if not isinstance(value, known[key]):
            raise WrongUse(f"[{name}] {key} has the wrong form.", hint="Mend caselore.toml.")


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


def agent_marker(environment: Mapping[str, str]) -> str | None:
    """Name the first variable that tells that a coding agent opened this shell."""
    return next((name for name in AGENT_MARKERS if environment.get(name)), None)


def colourless() -> bool:
    """Tell whether the environment asks for output without colour."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def without_agent_markers(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Copy an environment without caselore's and the agents' variables, for a throw-away home."""
    env = os.environ if environment is None else environment
    return {
        name: value
        for name, value in env.items()
        if name not in AGENT_MARKERS and not name.startswith("CASELORE_")
    }


def model_name(name: str) -> str:
    """Take a name of a model. Raises: WrongUse for one that is not PROVIDER:NAME or none."""
    return _model(name)


def passed_on(names: Iterable[str]) -> dict[str, str]:
    """Copy the named variables of the environment, for a program that may see no others."""
    return {name: os.environ[name] for name in names if name in os.environ}


def _model(name: str) -> str:
    if name == "none" or all(name.partition(":")):
        return name
    raise WrongUse(
        f"The model {name!r} has not the form PROVIDER:NAME.",
        hint="For example CASELORE_MODEL=groq:openai/gpt-oss-120b, or none.",
    )


def _place(
    explicit: str | os.PathLike[str] | None, env: Mapping[str, str]
) -> tuple[Path, Path, str]:
    """Find home, database file and server from an argument, a URL or the platform's default."""
    if explicit is not None and "://" not in os.fspath(explicit):
        home = _home(os.fspath(explicit))
        return home, home / DATABASE_NAME, ""
    url = os.fspath(explicit) if explicit is not None else env.get("CASELORE_DATABASE_URL", "")
    if not url:
        home = _home(env.get("CASELORE_HOME") or _default_home())
        return home, home / DATABASE_NAME, ""
    if on_server(url):
        home = _home(env.get("CASELORE_HOME") or _default_home())
        return home, home / DATABASE_NAME, url
    database = sqlite_file(url)
    return _home(env.get("CASELORE_HOME") or str(database.parent)), database, ""


def _home(text: str) -> Path:
    if "\0" in text:
        raise BadInput("The home folder's name holds a NUL character.")
    return Path(text).expanduser().absolute()


def _default_home() -> str:
    from platformdirs import user_data_dir  # noqa: PLC0415 - only without CASELORE_HOME

    return user_data_dir("caselore", appauthor=False)


def on_server(url: str) -> bool:
    """Tell whether an address names a Postgres database."""
    return url.partition("://")[0] in ("postgres", "postgresql")


def sqlite_file(url: str) -> Path:
    """Give the file of a sqlite:/// address, its %-escapes read. Raises: WrongUse, BadInput."""
    scheme, _, rest = url.partition("://")
    if scheme != "sqlite" or not rest.startswith("/") or len(rest) < 2:
        raise WrongUse(
            "That is no database address that caselore knows.",
            hint="Forms: sqlite:///relative.db, sqlite:////absolute.db, postgresql://host/name.",
        )
    name = unquote(rest[1:])
    if "\0" in name:
        raise BadInput("The database's name holds a NUL character.")
    return Path(name).expanduser().absolute()


def _files(home: Path, folder: Path) -> tuple[Path, ...]:
    places = dict.fromkeys((home / FILE_NAME, folder / FILE_NAME))
    return tuple(place for place in places if place.is_file())


def _merged(files: tuple[Path, ...], home: Path) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for path in files:
        for key, value in _toml(path).items():
            if key in HOME_ONLY and path.parent != home:
                raise WrongUse(
                    f"{path}: {key!r} is taken from the home's {FILE_NAME} only, since a "
                    "repository can carry this one.",
                    hint=f"Move it to {home / FILE_NAME}.",
                )
            merged[key] = _joined(merged.get(key), value)
    return merged


def _joined(below: Any, above: Any) -> Any:
    """Let the nearer file win: table by table, and its families asked first."""
    if isinstance(below, dict) and isinstance(above, dict):
        stricter = {"required": True} if below.get("required") is True else {}
        return {**below, **above, **stricter}
    if isinstance(below, list) and isinstance(above, list):
        return [*above, *below]
    return above


def _toml(path: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WrongUse(f"{path} is not sound TOML: {error}.", hint="Mend the file.") from error
    for key, value in table.items():
        _check_key(path, key, value)
    return table


def _check_key(path: Path, key: str, value: object) -> None:
    if key in ENVIRONMENT_ONLY:
        raise WrongUse(
            f"{path}: {key!r} is not taken from a file.",
            hint=f"Set {ENVIRONMENT_ONLY[key]} instead.",
        )
    if key not in FORMS:
        raise WrongUse(f"{path}: unknown key {key!r}.", hint=nearest(key, tuple(FORMS)))
    form, words = FORMS[key]
    inner = str if key == "mask" else dict
    rows = value if isinstance(value, list) else []
    if not isinstance(value, form) or not all(isinstance(one, inner) for one in rows):
        raise WrongUse(f"{path}: {key!r} must be {words}.", hint="Mend that line.")


def nearest(key: str, known: tuple[str, ...]) -> str:
    """Say which known name was probably meant, or list them all."""
    close = get_close_matches(key, known, n=1)
    return f"Did you mean {close[0]!r}?" if close else "Known are: " + ", ".join(known) + "."


def _user(env: Mapping[str, str]) -> str:
    named = env.get("USER") or env.get("LOGNAME") or env.get("USERNAME")
    if named:
        return named
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user id that no account has
        return f"uid-{os.getuid()}" if hasattr(os, "getuid") else "unknown"
