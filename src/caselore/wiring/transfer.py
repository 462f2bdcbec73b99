"""The part of the application that brings records in, from wherever they were written.

Must not judge a row: the memory's gate does.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from caselore.wiring.keeper import Keeper
from caselore.wiring.results import Imported
from caselore.wiring.sources import numbered

if TYPE_CHECKING:
    from caselore.memory.records import Actor
    from caselore.wiring.ahead import Ahead
    from caselore.wiring.identity import Caller


class Transfer(Keeper):
    """What comes in as rows; `App` is one."""

    @property
    @abstractmethod
    def _caller(self) -> Caller:
        """Say who calls."""

    def rows(self, lines: Iterable[bytes]) -> Iterator[tuple[int, Any]]:
        """Read JSON lines; what is no JSON comes with the reason, which an import reports."""
        from caselore.memory import read_lines  # noqa: PLC0415

        return read_lines(lines)

    def import_incidents(
        self,
        rows: Iterable[Mapping[str, Any] | tuple[int, Any]],
        actor: Actor | str | None = None,
        *,
        progress: Callable[[int], None] | None = None,
        part: bool = False,
        seal: str = "",
        processes: int | None = None,
    ) -> Imported:
        """Take in closed incidents; rows are objects, or pairs of a line number and an object.

        Rows that cannot be taken are reported with the reason, all others are in. `progress` is
        told how many rows are safely stored. `part`: lines of an export, each for itself; `seal`:
        that of its last line. What a row says was erased elsewhere is erased here if a person
        imports it, in every backup, too; else such a row is refused. `processes` help where many
        texts are signed: as many as there are processors, four at most, unless given.
        """
        from caselore.memory.records import Role  # noqa: PLC0415
        from caselore.memory.seals import Checked  # noqa: PLC0415

        importer = self._caller.importing() if actor is None else self._acting(actor)
        who = self._caller.actor if actor is None else importer
        sweep = self.sweep("import FILE") if who.role is Role.HUMAN else None
        memory = self.memory
        with self._ahead(processes) as ahead:
            report = memory.import_incidents(
                ahead.rows(numbered(rows)),
                importer,
                sign=ahead.sign,
                screen=ahead.screen,
                progress=progress,
                person=who if who.role is Role.HUMAN else None,
                seals=Checked(part=part, last=seal),
            )
        if not sweep or not report.erased:
            return Imported(report)
        return Imported(report, sweep.end(report.gone))

    def _ahead(self, processes: int | None) -> Ahead:
        from caselore.guards import secrets  # noqa: PLC0415
        from caselore.wiring import ahead  # noqa: PLC0415

        told = {
            "mask": secrets.named_values(),
            "families": [dict(row) for row in self.settings.families],
            "cache": str(self.settings.home / "cache") if self.settings.home.is_dir() else "",
        }
        most = ahead.processes() if processes is None else processes
        return ahead.Ahead(self.signer(), told, most)
