"""How each worker is started, resumed and heard: ready profiles, and those of caselore.toml.

Must not start anything, nor build a shell line: an argument stays one argument.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from importlib.resources import files
from typing import Any

from caselore.errors import BadInput, WrongUse
from caselore.guards.names import quoted
from caselore.repair.workers.permission import KINDS, USUAL

PLACEHOLDERS = frozenset(
    {
        "prompt", "prompt_file", "event_file", "result_file", "session", "folder", "attempt",
        "max", "steps", "cost",
    }
)  # fmt: skip
BASIC = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "SYSTEMROOT",
)  # fmt: skip
"""Variables that every program needs; nothing else of ours reaches a worker unless named."""
CHOSEN = "chosen"
COMMAND, ACP = "command", "acp"
_OURS = "CASELORE_"
BOUNDS = {
    "timeout": (1, 24 * 3_600),
    "grace": (1, 600),
    "linger": (0, 3_600),
    "steps": (1, 10_000),
    "cost_limit": (1, 10_000_000_000),
    "output": (64 * 1024, 1024 * 1024 * 1024),
}
"""The least and the most of every number; none means unlimited."""
_HOLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of worker. Times are seconds, costs millionths of its currency, sizes bytes."""

    name: str
    start: tuple[str, ...]
    resume: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    prompt: str = "stdin"
    session: str = ""
    cost: str = "cost_usd"
    summary: str = "summary"
    env: tuple[str, ...] = ()
    timeout: int = 3_600
    grace: int = 10
    protocol: str = COMMAND
    logins: tuple[str, ...] = ()
    steps: int = 300
    """How often one run may use a tool, where the worker lets itself be told."""
    cost_limit: int = 5_000_000
    output: int = 64 * 1024 * 1024
    allow: tuple[str, ...] = USUAL
    """What an agent gets leave for when it asks (acp)."""
    linger: int = 0
    """How long an agent stays after its turn for the change's next event (acp)."""

    @property
    def names(self) -> tuple[str, ...]:
        """Give the variables that a run may see."""
        return (*BASIC, *self.env)

    @property
    def resumes(self) -> bool:
        """Tell whether a conversation can be taken up again."""
        return self.protocol == ACP or (bool(self.resume) and bool(self.session))

    @property
    def named(self) -> bool:
        """Tell whether we name its conversations."""
        return self.protocol == COMMAND and self.session == CHOSEN


def ready() -> dict[str, Profile]:
    """Give the profiles that come with caselore."""
    text = files(__package__).joinpath("profiles.toml").read_text("utf-8")
    return {name: _profile(name, table) for name, table in tomllib.loads(text).items()}


def configured(tables: Mapping[str, Any]) -> dict[str, Profile]:
    """Give the ready profiles and those of `[repair.workers.NAME]`, which may name a `profile`.

    Raises: WrongUse or BadInput for a worker that cannot be one.
    """
    known = ready()
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            raise BadInput(f"[repair.workers] {name} must be a table.")
        known[name] = _configured(name, dict(table), known)
    return known


def _configured(name: str, table: dict[str, Any], known: Mapping[str, Profile]) -> Profile:
    base = table.pop("profile", None)
    if base is None:
        return _profile(name, table)
    if base not in known:
        raise WrongUse(f"[repair.workers.{name}]: there is no profile {quoted(str(base))}.",
                       hint="Known are: " + ", ".join(sorted(known)) + ".")  # fmt: skip
    return replace(known[base], name=name, **_values(name, table))


def _profile(name: str, table: Mapping[str, Any]) -> Profile:
    values = _values(name, table)
    if not values.get("start"):
        raise BadInput(f"[repair.workers.{name}] needs `start`, a list of arguments.")
    return Profile(name, **values)


def _values(name: str, table: Mapping[str, Any]) -> dict[str, Any]:
    known = {one.name: one.type for one in fields(Profile) if one.name != "name"}
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise WrongUse(f"[repair.workers.{name}] has no {key!r}.",
                           hint="Known are: " + ", ".join(known) + ".")  # fmt: skip
        values[key] = _checked(name, key, value, str(known[key]))
    return values


def _checked(name: str, key: str, value: Any, kind: str) -> Any:
    where = f"[repair.workers.{name}] {key}"
    if kind.startswith("tuple"):
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise BadInput(f"{where} must be a list of texts: no shell takes it apart.")
        _CHECKS.get(key, _check_holes)(where, value)
        return tuple(value)
    if kind == "int":
        least, most = BOUNDS[key]
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise BadInput(f"{where} must be a whole number from {least:,} to {most:,}.")
        return value
    if not isinstance(value, str):
        raise BadInput(f"{where} must be a text.")
    if key == "protocol" and value not in (COMMAND, ACP):
        raise BadInput(f"{where} must be {COMMAND!r} or {ACP!r}.")
    return value


def _check_holes(where: str, arguments: list[str]) -> None:
    for one in arguments:
        for hole in _HOLE.findall(one):
            if hole not in PLACEHOLDERS:
                known = "Known are: " + ", ".join(sorted(PLACEHOLDERS)) + "."
                raise BadInput(f"{where} has no placeholder {{{hole}}}.", hint=known)


def _check_kinds(where: str, kinds: list[str]) -> None:
    for one in kinds:
        if one not in KINDS:
            raise BadInput(f"{where} has no {one!r}.", hint="Known are: " + ", ".join(KINDS) + ".")


def _check_names(where: str, names: list[str]) -> None:
    """Refuse what would let a worker speak as caselore, or as a person."""
    for one in names:
        if one.upper().startswith(_OURS):
            raise BadInput(f"{where} must not name {one}: a worker has no part in caselore's own.")


_CHECKS = {"allow": _check_kinds, "env": _check_names}


def visible(profile: Profile, event: Mapping[str, Any], tokens: Iterable[str]) -> tuple[str, ...]:
    """Name the variables that a run for an event may see; `tokens` are those that open a forge.

    A log that gives orders shall find nobody who could carry them out on a forge.
    """
    failures = event.get("evidence", {}).get("failures", ())
    if not any(one.get("gives_orders") for one in failures):
        return profile.names
    held = frozenset(tokens)
    return tuple(one for one in profile.names if one not in held)


def filled(arguments: tuple[str, ...], values: Mapping[str, str]) -> list[str]:
    """Put values into placeholders; what a value holds is not looked at again."""
    return [_HOLE.sub(lambda hole: values[hole[1]], one) for one in arguments]
