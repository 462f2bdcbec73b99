"""Takes what forges send: verified first, then kept as a hint of where to look.

Deliveries that arrive together are kept in one transaction; each is acknowledged after it only.
Must not act on what a delivery says: the watcher reads the forge.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Mapping

from caselore.errors import NotFound, Unidentified
from caselore.forges import webhooks
from caselore.memory.loops import Hint
from caselore.repair import hints
from caselore.repair.account import id_of
from caselore.settings import Settings
from caselore.wiring.app import App

STALE = 1.0  # seconds for which a list of what is tracked will do
KINDS = ("gitlab", "github", "gitea", "generic")


class Batch:
    """Hints that are kept together, and what came of that."""

    def __init__(self) -> None:
        """Begin with none."""
        self.hints: list[Hint] = []
        self.done = threading.Event()
        self.error: BaseException | None = None


class Intake:
    """Takes deliveries in, from as many threads as there are."""

    def __init__(self, app: App) -> None:
        """Take them in for an application."""
        self._app, self._lock = app, threading.Lock()
        self._batch, self._writing = Batch(), False
        self._live: tuple[float, list[tuple[str, str]]] = (-math.inf, [])

    def hear(self, kind: str, headers: Mapping[str, str], body: bytes) -> int:
        """Keep a delivery as hints, once; give how many changes it is about.

        Raises: NotFound for a kind that is none; Unidentified where the delivery proves nothing;
        Unavailable where nothing can be kept now.
        """
        if kind not in KINDS:
            raise NotFound(f"There is no hook {kind!r}.", hint=f"There are: {', '.join(KINDS)}.")
        now = self._app.now()
        told = verdict(self._app.settings, kind, headers, body, now.timestamp())
        if not told.ok:
            raise Unidentified(f"This delivery is not proven: {told.reason}.", hint=_HINT)
        found = hints.about(_parsed(body))
        ids = [id_of(one) for one in found.changes] or self._of_project(found.project)
        self._keep([Hint(kind, f"{told.key} {id}".strip(), id, now) for id in ids or [""]])
        return len(ids)

    def _keep(self, hints: list[Hint]) -> None:
        """Put hints into the next transaction, and wait until it is synced."""
        with self._lock:
            batch = self._batch
            batch.hints += hints
            leads, self._writing = not self._writing, True
        if leads:
            self._write_all()
        batch.done.wait()
        if batch.error is not None:
            raise batch.error

    def _write_all(self) -> None:
        """Write batch after batch, until nobody waits; what arrives meanwhile is the next one."""
        while True:
            with self._lock:
                batch = self._batch
                if not batch.hints:
                    self._writing = False
                    return
                self._batch = Batch()
            try:
                self._app.memory.hear(batch.hints)
            except BaseException as error:  # noqa: BLE001 - each who waits for it raises it
                batch.error = error
            batch.done.set()

    def _of_project(self, project: str) -> list[str]:
        """Give the live changes of a project, where a delivery names no change of it."""
        if not project:
            return []
        found = [id for url, id in self._tracked() if url.startswith(project)]
        return found[: hints.MOST]

    def _tracked(self) -> list[tuple[str, str]]:
        """List what is tracked, at most once a second; what is newer is found by looking."""
        now = time.monotonic()
        if now - self._live[0] > STALE:
            rows, after = [], ""
            while page := self._app.memory.loop_changes("live", after, 1_000):
                rows += [(row.url, row.id) for row in page]
                after = page[-1].id
            self._live = now, rows
        return self._live[1]


_HINT = "Set the hook's secret in CASELORE_HOOK_SECRET, and the same in the forge."


def verdict(
    settings: Settings, kind: str, headers: Mapping[str, str], body: bytes, now: float
) -> webhooks.Verdict:
    """Say whether a delivery is what it says."""
    secret = settings.hook_secrets.get(kind) or settings.hook_secrets.get("", "")
    if kind == "gitlab":
        signing = secret if secret.startswith("whsec_") else ""
        return webhooks.gitlab(headers, body, secret, now, signing=signing)
    if kind == "generic":
        return webhooks.generic(headers, body, secret, now)
    verify = webhooks.github if kind == "github" else webhooks.gitea
    return verify(headers, body, secret)


def _parsed(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
