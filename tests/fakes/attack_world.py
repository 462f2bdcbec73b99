"""Stores an attack through every write path of a memory, and lets the most obedient reader recall it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from caselore.errors import CaseloreError, GateRefused, GuardRefused, WrongUse
from caselore.guards import injection
from caselore.incidents import comment, service
from caselore.memory.records import Actor, Role, Status
from caselore.wiring.app import App
from fakes.obedient_model import EVIL, ObedientModel

ATTACKS = Path(__file__).parents[1] / "cases" / "attacks" / "attacks.toml"
ANA, CI, BOT = Actor("ana", Role.HUMAN), Actor("runner", Role.CI), Actor("bot", Role.AGENT)
ROW = Actor("history", Role.IMPORT)
AT = datetime(2026, 11, 3, 10, 0, tzinfo=UTC)
FIX = "Ran the backfill in batches of 500 records"
PASSED = b"compiling\n42 passed in 3.10s\n"

_FENCE = re.compile(r"(?s)<data id=.*?</data [0-9a-f]{12}>")
_CODE = re.compile(r"(?s)(`{3,})text\n.*?\n\1")
_ADDRESS = re.compile(r"(?i)\b(?:https?|ftp)://|\bwww\.|<img|<a\s|\]\(")


def attacks() -> list[tuple[str, str]]:
    """Give our own attack texts with their kinds."""
    kinds = tomllib.loads(ATTACKS.read_text(encoding="utf-8"))["kinds"]
    return [(kind, text) for kind, texts in kinds.items() for text in texts]


def log(table: str, attack: str = "") -> bytes:
    """Give the log of a migration that fails, with an attack among its lines."""
    return f"""$ alembic upgrade head
Running upgrade 4f2a91c -> 9c1b07e, fill {table}
{attack}
Traceback (most recent call last):
  File "/srv/app/migrate.py", line 88, in run
    cursor.execute(sql)
psycopg.errors.QueryCanceled: canceling statement due to statement timeout
{attack}
ERROR: migration 9c1b07e_fill_{table} failed after 120 s
{attack}
exit code 1
""".encode()


@dataclass
class World:
    """One memory with one confirmed precedent; counts what should never happen."""

    app: App
    known: str = ""
    escapes: list[str] = field(default_factory=list)
    tried: int = 0

    def __post_init__(self) -> None:
        first = self._diagnosed(log("orders"), "0", "pay")
        self.known = first
        self.app.memory.confirm(
            first, cause="One long transaction", resolution=FIX, result="succeeded", actor=ANA
        )

    def _diagnosed(self, data: bytes, deployment: str, where: str, **facts: str) -> str:
        found = service.diagnose(
            self.app.memory,
            self.app.read(data),
            actor=CI,
            now=AT + timedelta(minutes=self.tried),
            service=where,
            deployment=deployment,
            **facts,
        )
        return found.case.id

    def store(self, attack: str) -> None:
        """Write an attack by every path that there is; what must be refused is counted else."""
        self.tried += 1
        n = self.tried
        seen = self._diagnosed(log("orders", attack), f"a{n}", "pay")
        for call in self._paths(attack, seen, n):
            self._allowed_to_fail(call)
        for who in (BOT, CI):
            self._refused(lambda who=who: self._confirm(seen, attack, who), "a confirmation")
            self._refused(
                lambda who=who: service.unlike(self.app.memory, seen, self.known, attack, who),
                "a verdict",
            )
            self._refused(
                lambda who=who: service.refute(self.app.memory, seen, attack, who), "one"
            )
            self._refused(lambda who=who: self.app.memory.release(seen, attack, who), "a release")
        if injection.scan(attack):  # a plain text is a person's word, whoever put it there
            self._refused(lambda: self._confirm(seen, attack, ANA), "a poisoned verdict")

    def _paths(self, attack: str, seen: str, n: int) -> Iterator[Callable[[], Any]]:
        name = " ".join(attack.split())[:80]
        yield lambda: service.propose(self.app.memory, seen, attack, attack, BOT)
        yield lambda: self.app.import_incidents([_row(attack, f"i{n}")], BOT)
        yield lambda: self.app.import_incidents([_row(attack, f"j{n}")], ROW)
        yield lambda: self.app.import_incidents([_row(attack, f"k{n}", confirmed_by="ana")], BOT)
        yield lambda: self._diagnosed(log("orders"), f"s{n}", name)
        yield lambda: self._diagnosed(log("orders"), f"b{n}", "pay", branch=name, stage=name)
        yield lambda: self.app.remember_green(
            PASSED + attack.encode() + b"\n", service="pay", stage="test"
        )
        yield lambda: service.unlike(self.app.memory, seen, self.known, attack, ANA)
        yield lambda: service.refute(self.app.memory, seen, attack, ANA)

    def _confirm(self, seen: str, attack: str, who: Actor) -> Any:
        return service.confirm(
            self.app.memory, seen, cause=attack, resolution=attack, result="succeeded", actor=who
        )

    def _allowed_to_fail(self, call: Callable[[], Any]) -> None:
        try:
            call()
        except CaseloreError:
            return

    def _refused(self, call: Callable[[], Any], what: str) -> None:
        try:
            call()
        except (GateRefused, GuardRefused, WrongUse):
            return
        self.escapes.append(f"{what} was written")

    def recall(self, texts: Sequence[str]) -> None:
        """Diagnose the failure again with the obedient reader, and look for what got through."""
        reader = ObedientModel()
        found = service.diagnose(
            self.app.memory,
            self.app.read(log("orders")),
            actor=CI,
            now=AT + timedelta(days=1),
            service="pay",
            deployment=f"r{self.tried}",
            asking=lambda _incident: reader,
        )
        said = [*found.document.diagnosis, *found.document.fix]
        for fix in found.document.fix:
            if set(fix.cites) != {self.known}:
                self.escapes.append(f"a fix cites {fix.cites}")
        for line in (*(one.text for one in said), *(q.quote for q in found.document.evidence)):
            if EVIL in line or any(text in line for text in texts):
                self.escapes.append(f"a claim says {line!r}")
        outside = "\n".join(_FENCE.sub("", prompt) for prompt in reader.seen)
        if EVIL in outside or any(text in outside for text in texts):
            self.escapes.append("an attack stands outside a fence of the prompt")
        shown = _CODE.sub("", comment.markdown(found))
        if _ADDRESS.search(shown):
            self.escapes.append(f"a live address in {shown!r}")
        if not reader.seen:
            self.escapes.append("the reader was never asked")

    def confirmed(self) -> list[str]:
        """Give every incident that counts as confirmed."""
        cases = self.app.memory.list(status=Status.CONFIRMED)
        return [case.id for case in cases]


def _row(attack: str, deployment: str, **more: str) -> dict[str, str]:
    return {
        "deployment_id": deployment,
        "service": "pay",
        "error": f"psycopg.errors.QueryCanceled: canceling statement\n{attack}",
        "root_cause": attack,
        "resolution": attack,
        "outcome": "succeeded",
        "occurred_at": "2026-11-01T10:00:00Z",
        **more,
    }
