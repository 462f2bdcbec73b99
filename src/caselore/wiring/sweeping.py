"""Reaches every copy of what was erased: backups, kept answers and logs, runs, a mirror.

Must not remove anything from the store: that is done by then, and the ledger tells of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from caselore.memory.encoding import digest
from caselore.memory.stores.ledger_mark import LedgerMark
from caselore.settings import on_server
from caselore.wiring.results import Swept

if TYPE_CHECKING:
    from caselore.memory.api import Memory
    from caselore.memory.aside_ports import Aside
    from caselore.memory.ledger import Head
    from caselore.settings import Settings


BEYOND = (
    "No table of the server holds it any more. Its write-ahead log does until the segments are "
    "used again; archives, replicas and dumps of the server are for its own people to let go."
)


class House(Protocol):
    """What a sweep needs of the application."""

    @property
    def settings(self) -> Settings: ...
    @property
    def memory(self) -> Memory: ...
    @property
    def aside(self) -> Aside: ...
    def withdrawn(self) -> str: ...


class Sweep:
    """One sweep: begun before anything is erased, so that one that is cut off is found again."""

    def __init__(self, app: House, command: str) -> None:
        """Begin, and finish in this store what an earlier sweep left; `command` is what calls.

        Raises: StoreBusy where a reader still holds a copy of that.
        """
        self._app, memory = app, app.memory
        name = f"{digest('sweep', memory.bank)[:16]}.json"
        self._mark = LedgerMark(app.settings.home / "sweeps" / name, memory.bank)
        head = self._head()
        with memory.store.reading() as view:
            self._from = self._mark.reached(view, otherwise=head.seq)
        if memory.erased_after(self._from):
            memory.finish_erasing(command)
        else:
            self.passed(head)

    def _head(self) -> Head:
        with self._app.memory.store.reading() as view:
            return view.head(self._app.memory.bank)

    def passed(self, head: Head | None = None) -> None:
        """Say that up to here nothing is left to be swept."""
        with suppress(OSError):  # a home that cannot be written: the store itself is elsewhere
            self._mark.move(head or self._head())

    def end(self, ids: Iterable[str] = ()) -> Swept:
        """Sweep what was erased since the last sweep, and `ids`; say which copies are left."""
        from caselore.repair.workers import runs  # noqa: PLC0415
        from caselore.wiring import backup  # noqa: PLC0415

        app, head = self._app, self._head()
        gone = {*ids, *app.memory.erased_after(self._from)}
        if gone:
            app.aside.forget(app.memory.bank, gone)
            runs.forget(app.settings.home / "repair" / "runs", gone)
        server = BEYOND if gone and on_server(app.settings.database_url) else ""
        swept = Swept(backup.reach(app.memory), app.withdrawn(), server)
        self.passed(head)
        return swept
