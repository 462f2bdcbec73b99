"""Looks at the installation part by part, for `caselore doctor`.

Must not mend anything, and must go on after a part that is broken. It opens the store as any
command does, so in a new home it leaves an empty one.
"""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from caselore import settings, wiring
from caselore.errors import StoreDamaged, problem
from caselore.wiring import forges, models

_LEAST_ROOM = 200 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Check:
    """What was found in one part, whether that is well, and what to do."""

    name: str
    ok: bool
    found: str
    advice: str = ""

    def to_json(self) -> dict[str, Any]:
        """Give it as plain JSON values."""
        return asdict(self)


def run(bank: str | None) -> list[Check]:
    """Look at every part; a part that raises is reported as broken with its own advice."""
    return [_looked(name, look, bank) for name, look in PARTS.items()]


def _looked(name: str, look: Callable[[str | None], tuple[str, str]], bank: str | None) -> Check:
    try:
        found, advice = look(bank)
    except Exception as error:  # noqa: BLE001 - whatever is broken, the other parts are still looked at
        trouble = problem(error)
        return Check(name, False, trouble.message, trouble.hint or "See the message.")
    return Check(name, True, found, advice)


def _installation(_bank: str | None) -> tuple[str, str]:
    system = f"{platform.system()} {platform.machine()}"
    return f"caselore {version('caselore')}, Python {platform.python_version()}, {system}", ""


def _engine(_bank: str | None) -> tuple[str, str]:
    for module, advice in (("hyperscan", ""), ("re2", ""), ("re", "")):
        if find_spec(module) is not None:
            name = {"re2": "google-re2", "re": "re, Python's own"}.get(module, module)
            return f"log patterns run on {name}", advice or _SLOWER.get(module, "")
    return "no pattern engine", ""


_SLOWER = {
    "re2": "Large logs are read faster with hyperscan; its wheels are for Linux on x86-64.",
    "re": "Large logs are read much faster with google-re2: pip install google-re2.",
}


def _settings(bank: str | None) -> tuple[str, str]:
    chosen = settings.load(bank=bank)
    wiring.check_settings(chosen)
    files = ", ".join(str(path) for path in chosen.files) or "no caselore.toml"
    return f"{files}; bank {chosen.bank}", ""


def _home(bank: str | None) -> tuple[str, str]:
    chosen = settings.load(bank=bank)
    folder = chosen.home if chosen.database_url else chosen.database.parent
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".doctor-"):
        pass
    free = shutil.disk_usage(folder).free
    low = "Less than 200 MB are free: make room before the disk is full."
    return f"{folder} can be written, {free // 2**20:,} MB free", low if free < _LEAST_ROOM else ""


def _without_judging(chosen: settings.Settings) -> settings.Settings:
    """Leave out what `settings` has looked at, so that each part shows its own trouble."""
    return replace(chosen, weights={}, families=())


def _store(bank: str | None) -> tuple[str, str]:
    chosen = _without_judging(settings.load(bank=bank))
    with wiring.build(chosen) as app:
        found = app.memory.ledger_verify()
    if not found.ok:
        raise StoreDamaged(
            f"The ledger is broken: {found.broken}", hint="`caselore ledger verify` says where."
        )
    if chosen.database_url:
        return f"Postgres, {found.entries} ledger entries, whole", ""
    size = os.path.getsize(chosen.database)
    return f"{chosen.database}, {found.entries} ledger entries, whole, {size // 1024:,} KB", ""


def _identity(bank: str | None) -> tuple[str, str]:
    chosen = _without_judging(settings.load(bank=bank))
    with wiring.build(chosen) as app:
        actor = app.caller()
    advice = "" if actor.role == "human" else _CONFIRM
    by = "a token" if chosen.token else f"{chosen.marker} is set" if chosen.marker else "no token"
    return f"you act as {actor} ({by})", advice


_CONFIRM = (
    "Only people confirm: use a terminal without an agent in it, or a token: "
    "`caselore token create --role human --name YOU`, then CASELORE_TOKEN."
)


def _model(bank: str | None) -> tuple[str, str]:
    chosen = settings.load(bank=bank)
    models.limits_of(chosen.model_limits)
    found = models.model_of(chosen)
    if found is None:
        return "none: diagnoses are written from templates", ""
    return f"{found.name} phrases diagnoses; it is asked when there is one to write", ""


def _vectors(bank: str | None) -> tuple[str, str]:
    chosen = _without_judging(settings.load(bank=bank))
    with wiring.build(chosen) as app:
        found = app.memory.vectors_status()
    if found is None or not found.model:
        return "none: questions are answered by their words", ""
    late = found.head - found.entries
    behind = "`caselore index rebuild` embeds what is new." if late else ""
    return f"{found.model}, {found.texts:,} texts, {late:,} entries behind", behind


def _hindsight(bank: str | None) -> tuple[str, str]:
    chosen = _without_judging(settings.load(bank=bank))
    if not chosen.hindsight.get("url"):
        return "none: nothing is mirrored", ""
    with wiring.build(chosen) as app:
        found = app.hindsight.status()
    late = found.head - found.entries
    return (
        f"a mirror, {late:,} entries behind",
        "`caselore hindsight sync` delivers." if late else "",
    )


def _forge(bank: str | None) -> tuple[str, str]:
    chosen = settings.load(bank=bank)
    for host in chosen.forges:
        forges.place_of(chosen, "https", host)
    named = ", ".join(chosen.forges)
    return (named or f"none of your own; {', '.join(forges.PUBLIC)} are known"), ""


def _queue(_bank: str | None) -> tuple[str, str]:
    return "embedded: work is done in the calling process", ""


PARTS: dict[str, Callable[[str | None], tuple[str, str]]] = {
    "installation": _installation,
    "engine": _engine,
    "settings": _settings,
    "home": _home,
    "store": _store,
    "identity": _identity,
    "model": _model,
    "vectors": _vectors,
    "hindsight": _hindsight,
    "forge": _forge,
    "queue": _queue,
}
