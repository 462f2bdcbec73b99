"""How each worker is started, resumed and heard: ready profiles, and those of caselore.toml.

Must not start anything, nor build a shell line: an argument stays one argument.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from importlib.resources import files
from typing import Any

from caselore.errors import BadInput, WrongUse
from caselore.guards.names import quoted

PLACEHOLDERS = frozenset(
    {"prompt", "prompt_file", "event_file", "result_file", "session", "folder", "attempt", "max"}
)
BASIC = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "SYSTEMROOT",
)  # fmt: skip
"""Variables that every program needs; nothing else of ours reaches a worker unless named."""
CHOSEN = "chosen"
LONGEST = 24 * 3_600
_HOLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of worker. Times are seconds."""

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
    protocol: str = "command"
    logins: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Give the variables that a run may see."""
        return (*BASIC, *self.env)

    @property
    def resumes(self) -> bool:
        """Tell whether a conversation can be taken up again."""
        return bool(self.resume) and bool(self.session)


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
        _check_holes(where, value)
        return tuple(value)
    if kind == "int":
        if not isinstance(value, int) or not 1 <= value <= LONGEST:
            raise BadInput(f"{where} must be seconds from 1 to {LONGEST}.")
        return value
    if not isinstance(value, str):
        raise BadInput(f"{where} must be a text.")
    return value


def _check_holes(where: str, arguments: list[str]) -> None:
    for one in arguments:
        for hole in _HOLE.findall(one):
            if hole not in PLACEHOLDERS:
                known = "Known are: " + ", ".join(sorted(PLACEHOLDERS)) + "."
                raise BadInput(f"{where} has no placeholder {{{hole}}}.", hint=known)


def filled(arguments: tuple[str, ...], values: Mapping[str, str]) -> list[str]:
    """Put values into placeholders; what a value holds is not looked at again."""
    return [_HOLE.sub(lambda hole: values[hole[1]], one) for one in arguments]
