"""The repair loop as the faces call it, put together.

Must not hold a rule of the loop: it reads the policy, opens what is needed and passes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from caselore.errors import NotFound, WrongUse
from caselore.repair import recorded
from caselore.repair.account import Account, Owner, Tracked, id_of
from caselore.repair.change import parse
from caselore.repair.comparison import Comparison
from caselore.repair.observations import Rearm, Untrack
from caselore.repair.policy import Policy
from caselore.repair.simulation import Simulation
from caselore.settings import Settings, nearest, passed_on
from caselore.wiring.forges import forge_of, token_names
from caselore.wiring.jobs import place

if TYPE_CHECKING:
    from caselore.jobs.ports import Jobs
    from caselore.memory.api import Memory
    from caselore.memory.records import Actor
    from caselore.repair.account import Remembered
    from caselore.repair.delivery import Dispatcher
    from caselore.repair.greens import ReadLog
    from caselore.repair.notify import Notifier
    from caselore.repair.ports import Forge
    from caselore.repair.proposing import Proposer
    from caselore.repair.rounds import Rounds
    from caselore.repair.watcher import Watcher
    from caselore.repair.workers.profiles import Profile


ROUND = 30.0  # seconds between two rounds of a watcher, unless it is told otherwise


def policy_of(given: Mapping[str, Any]) -> Policy:
    """Read the bounds of caselore.toml over the defaults.

    Raises: WrongUse for an unknown name; BadInput for a bound that is none.
    """
    known = tuple(one.name for one in fields(Policy))
    for name in given:
        if name not in known:
            raise WrongUse(f"[repair.policy] has no {name!r}.", hint=nearest(name, known))
    return Policy(**given)


@dataclass(frozen=True)
class Parts:
    """What the loop needs of the application around it."""

    settings: Settings
    now: Callable[[], datetime]
    memory: Callable[[], Memory]
    caller: Callable[[], Actor]
    read: ReadLog
    jobs: Callable[[], Jobs]


@dataclass(frozen=True)
class RepairDesk:
    """The verbs of the repair loop."""

    parts: Parts

    @property
    def policy(self) -> Policy:
        """Give the bounds in force. Raises: WrongUse or BadInput for what cannot be one."""
        return policy_of(self.parts.settings.repair.get("policy", {}))

    @cached_property
    def account(self) -> Account:
        """Give what is kept of the loop."""
        told = bool(self.parts.settings.repair.get("notify"))
        return Account(self.parts.memory(), self.policy, told=told)

    @cached_property
    def workers(self) -> dict[str, Profile]:
        """Give the workers that can be named. Raises: WrongUse or BadInput for one that cannot."""
        from caselore.repair.workers.profiles import configured  # noqa: PLC0415

        return configured(self.parts.settings.repair.get("workers", {}))

    def forge(self, url: str) -> Forge:
        """Give the forge of a change. Raises: Unavailable where none is set up for its host."""
        parts = urlsplit(url)
        key = f"{parts.scheme}://{parts.netloc}"
        if key not in self._forges:
            self._forges[key] = forge_of(self.parts.settings, url, self.parts.now)
        return self._forges[key]

    @cached_property
    def _forges(self) -> dict[str, Forge]:
        """Keep one connection pool, and its ETags, for each host."""
        return {}

    # Verbs

    def track(
        self,
        url: str,
        worker: str,
        *,
        session: str = "",
        folder: str = "",
        logins: Iterable[str] = (),
    ) -> Tracked:
        """Begin to track a change, or give it another worker; its count stays what it was.

        Raises: BadInput for what is no change, WrongUse for a worker that is not set up.
        """
        if worker not in self.workers:
            known = tuple(self.workers)
            raise WrongUse(f"There is no worker {worker!r}.", hint=nearest(worker, known))
        own = tuple(logins) or self.workers[worker].logins
        owner = Owner(worker, session, os.path.abspath(folder) if folder else "", own)
        return self.account.track(parse(url), owner, self.parts.caller())

    def find(self, url: str) -> Tracked:
        """Give a tracked change by its address or its id. Raises: NotFound."""
        known = url if url.startswith("chg_") else id_of(parse(url))
        found = self.account.tracked(known)
        if found is None:
            raise NotFound(
                f"{url} is not tracked.",
                hint=f"Track it first: caselore repair track {url} --worker NAME",
            )
        return found

    def status(self, url: str) -> dict[str, Any]:
        """Give where a change stands, in CONTRACT's shape. Raises: NotFound."""
        return self.find(url).status(self.policy.attempts)

    def statuses(self) -> Iterable[dict[str, Any]]:
        """Give where every tracked change stands."""
        after = ""
        while rows := self.account.listed("", after):
            after = rows[-1].id
            for row in rows:
                found = self.account.tracked(row.id)
                if found is not None:
                    yield found.status(self.policy.attempts)

    def history(self, url: str) -> list[Remembered]:
        """Give every step of a change with its reasons. Raises: NotFound."""
        return list(self.account.history(self.find(url).id))

    def rearm(self, url: str, why: str) -> dict[str, Any]:
        """Let the loop begin again, as a person. Raises: GateRefused, NotFound, WrongUse."""
        if not why.strip():
            raise WrongUse("A rearm says why.")
        found, caller = self.find(url), self.parts.caller()
        word = Rearm(self.parts.now(), str(caller), why.strip())
        self.account.step(found.id, word, caller, "rearm")
        return self.status(url)

    def untrack(self, url: str) -> dict[str, Any]:
        """Take a change out of the loop, as a person. Raises: GateRefused, NotFound."""
        found, caller = self.find(url), self.parts.caller()
        self.account.step(found.id, Untrack(self.parts.now(), str(caller)), caller, "untrack")
        return self.status(url)

    def simulate(
        self, lines: Iterable[bytes], settle: int = 0, **bounds: int
    ) -> tuple[Simulation, list[recorded.Told]]:
        """Read a recording and give what tells it again, under other `bounds` where given.

        Raises: BadInput for what is no recording or no bound; WrongUse for an unknown name.
        """
        policy = policy_of({**self.policy.to_json(), "settle": settle, **bounds})
        return Simulation(policy), list(recorded.read(lines))

    def compare(self, history: Iterable[recorded.Told], given: Policy) -> Comparison:
        """Hold a recording under the policy in force and under another one."""
        return Comparison.of(history, replace(self.policy, settle=given.settle), given)

    # Watching

    def rounds(self, interval: float = ROUND, *, only: str = "") -> Rounds:
        """Give the loop's work of this process: all of it, or `only` to watch or to work.

        Raises: WrongUse for a channel or a worker that is none.
        """
        from caselore.repair import rounds  # noqa: PLC0415

        settings, watches, works = self.parts.settings, only != "work", only != "watch"
        parts = rounds.Parts(
            watcher=self._watcher(interval) if watches else None,
            dispatcher=self._dispatcher() if works else None,
            notifier=self._notifier() if watches else None,
            proposer=self._proposer() if watches else None,
        )
        return rounds.Rounds(
            self.parts.jobs(), self.account, parts, place=place(settings), interval=interval
        )

    def _watcher(self, interval: float) -> Watcher:
        """Give what reads the forges; its rounds are `interval` seconds apart."""
        from caselore.repair.examination import Examiner  # noqa: PLC0415
        from caselore.repair.watcher import Watcher  # noqa: PLC0415

        caller, pace = self.parts.caller(), interval / ROUND
        examiner = Examiner(self.parts.memory(), self.parts.read, caller)
        return Watcher(
            self.account, self.forge, examiner, caller, self.parts.now,
            pace=pace, hooked=self._hooked,
        )  # fmt: skip

    @property
    def _hooked(self) -> bool:
        told = self.parts.settings.repair.get("webhooks", False)
        if not isinstance(told, bool):
            raise WrongUse("[repair] webhooks must be true or false.", hint="Mend caselore.toml.")
        return told

    def _notifier(self) -> Notifier:
        """Give what tells people. Raises: WrongUse for a channel that is none."""
        from caselore.repair.notify import Notifier, channels  # noqa: PLC0415

        told = channels(self.parts.settings.repair.get("notify", ()), passed_on)
        return Notifier(self.account, told, self.parts.caller(), self.parts.now)

    def _proposer(self) -> Proposer:
        from caselore.repair.proposing import Proposer  # noqa: PLC0415

        return Proposer(self.account, self.parts.caller(), self.parts.now)

    def _dispatcher(self) -> Dispatcher:
        """Give what starts and hears the workers of this machine."""
        from caselore.repair.delivery import Dispatcher  # noqa: PLC0415
        from caselore.repair.workers.runs import Runs  # noqa: PLC0415

        return Dispatcher(
            self.account,
            self.workers,
            Runs(self.parts.settings.home / "repair" / "runs"),
            self.forge,
            self.parts.caller(),
            self.parts.now,
            environment=passed_on,
            holder=place(self.parts.settings),
            tokens=token_names(self.parts.settings),
        )
