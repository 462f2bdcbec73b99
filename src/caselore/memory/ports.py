"""What the memory needs of a store and of a text index, as small Protocols.

Must not know any database.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from caselore.memory.count_ports import CountReads
from caselore.memory.exhibit_ports import ExhibitReads
from caselore.memory.later_ports import LaterReads, LaterWrites
from caselore.memory.ledger import Entry, Head, Payload, Stored
from caselore.memory.loop_ports import LoopReads, LoopWrites
from caselore.memory.rows import (
    CaseRow,
    Change,
    ErasedRow,
    Fixing,
    GreenRow,
    HeldRow,
    LinkRow,
    Row,
    TokenRow,
)


class Wanted(NamedTuple):
    """Which cases to list; empty means any."""

    status: str = ""
    service: str = ""
    environment: str = ""
    branch: str = ""
    signature: str = ""
    family: str = ""
    since: str = ""
    until: str = ""
    commit_id: str = ""


class Alike(NamedTuple):
    """Which cases are near in one way: every field that is given must be equal."""

    statuses: tuple[str, ...]
    signature: str = ""
    unit: str = ""
    family: str = ""
    service: str = ""

    def fits(self, row: CaseRow) -> bool:
        """Say whether a case is near in this way."""
        wanted = ((name, getattr(self, name)) for name in self._fields[1:])
        equal = all(getattr(row, name) == value for name, value in wanted if value)
        return equal and row.status in self.statuses


class Narrow(NamedTuple):
    """Which records a search may bring; empty and 0 mean any."""

    service: str = ""
    environment: str = ""
    branch: str = ""
    family: str = ""
    since: str = ""
    until: str = ""
    last: int = 0
    """The last ledger entry that may be known."""

    def admits(self, row: CaseRow) -> bool:
        """Say whether a search may bring a record."""
        wanted = ((name, getattr(self, name)) for name in self._fields[:4])
        equal = all(getattr(row, name) == value for name, value in wanted if value)
        within = self.since <= row.happened_at <= (self.until or "9999")
        return equal and within and (not self.last or row.seq <= self.last)


ANYWHERE = Narrow()
RETURNS = 20
"""Returns of a failure that are counted; more say nothing more."""


class IndexStatus(NamedTuple):
    """How far an index is, of which kind, and where."""

    kind: str
    place: str
    version: str
    entries: int
    """The last ledger entry that it holds."""
    head: int
    """The last entry of the ledger; what lies between is read from the store at each search."""
    documents: int
    bytes: int
    sound: bool
    trouble: str = ""
    """Why it cannot be written here, and what to do; empty where it can."""


class Tally(NamedTuple):
    """How often one person confirmed one fix with one result on one signature."""

    fix: str
    result: str
    confirmed_by: str
    times: int


class Fixed(NamedTuple):
    """When a fix was last confirmed, and by which entry."""

    fix: str
    last: str
    outcome_seq: int


class Seen(NamedTuple):
    """How often a signature occurred among the incidents that count."""

    times: int
    first: str
    last: str
    resolved: int
    flaky: int


class Told(Protocol):
    """What a case is put together from."""

    def entries(self, bank: str, subject: str = "") -> Iterator[Stored]: ...
    def case(self, bank: str, id: str) -> CaseRow | None: ...
    def named(self, bank: str, name: str) -> list[CaseRow]: ...
    def links_of(self, bank: str, subject: str) -> list[LinkRow]: ...
    def links_to(self, bank: str, targets: Collection[str]) -> list[LinkRow]: ...


class Evidence(Told, Protocol):
    """What a recall reads: of a bank as it is, or as it stood."""

    def bodies(self, bank: str, seqs: Collection[int]) -> dict[int, str]: ...
    def cases_of(self, bank: str, ids: Collection[str]) -> dict[str, CaseRow]: ...
    def near(
        self, bank: str, asked: Sequence[tuple[Alike, int]], narrow: Narrow = ANYWHERE
    ) -> list[CaseRow]:
        """Give the newest cases of each way and status, that many of each."""

    def tallies(self, bank: str, signatures: Collection[str]) -> dict[str, list[Tally]]: ...
    def told_of(
        self, bank: str, subjects: Collection[str], names: Collection[str]
    ) -> tuple[list[Stored], list[LinkRow]]:
        """Give the entries about some records, and the links of or to some names, in order."""

    def related(self, bank: str, relation: str) -> list[LinkRow]:
        """Give every link of one kind, in the order of the ledger."""

    def told_apart(self, bank: str, id: str, signature: str) -> set[str]: ...
    def fared(
        self, bank: str, signatures: Collection[str], fixed: Sequence[Fixing], sought: str
    ) -> tuple[dict[str, list[Tally]], list[int]]:
        """Give the tallies, and how often each came back but as the one `sought`: to RETURNS."""

    def touched(self, bank: str, ids: Collection[str], after: int) -> set[str]:
        """Give which of the records were spoken of after an entry."""

    def signed_anew(self, bank: str, after: int) -> list[str]:
        """Give the records that were given another identity after an entry."""


class Reads(Evidence, ExhibitReads, LoopReads, LaterReads, CountReads, Protocol):
    """One consistent view of the store."""

    def head(self, bank: str) -> Head: ...
    def opened(self, bank: str, id: str) -> tuple[CaseRow, str] | None: ...  # with what it said
    def banks(self) -> list[str]: ...
    def spoken(self, bank: str, after: int) -> Iterator[Stored]:
        """Give the entries after one that an index must know: observe, confirm, erase, resign."""

    def asked(self, bank: str, since: str) -> Iterator[Stored]:
        """Give the entries about calls of a model from a time on."""

    def hash_at(self, bank: str, seq: int) -> str:
        """Give an entry's hash; empty where there is none."""

    def subjects(self, bank: str, seqs: Collection[int]) -> dict[int, str]: ...
    def judged(self, bank: str, subjects: Collection[str]) -> list[Stored]:
        """Give the entries about some records but their first; those written here or not."""

    def person_acted(self, bank: str) -> bool: ...
    def known(self, bank: str, known_as: str) -> CaseRow | None: ...
    def recognised(self, bank: str, names: Collection[str]) -> set[str]:
        """Give those of the keys by which a case is known again that one here has."""

    def foresee(self, bank: str, names: Collection[str], ids: Collection[str]) -> None:
        """Read at once what `known`, `tombstone` and `case` will be asked."""

    def cases(self, bank: str, wanted: Wanted) -> Iterator[CaseRow]: ...
    def page(
        self, bank: str, wanted: Wanted, before: str, after: str, limit: int
    ) -> list[CaseRow]:
        """Give the newest cases that happened before a time, or at it with an id after another."""

    def entries_after(
        self, bank: str, seq: int, limit: int, subject: str = ""
    ) -> list[Stored]: ...
    def entries_before(
        self, bank: str, seq: int, limit: int, subject: str = ""
    ) -> list[Stored]: ...
    def last_seq(self, bank: str, until: str) -> int:
        """Give the last entry of a time; 0 where the bank did not exist yet."""

    def seen(self, bank: str, signature: str) -> Seen: ...
    def services(self, bank: str, signatures: Collection[str] = ()) -> int:
        """Count the services with an incident that counts, of these signatures or of any."""

    def newest_fixes(self, bank: str, signatures: Collection[str]) -> list[Fixed]:
        """Give each fix that stands confirmed on some signatures, and when it last was."""

    def held(self, bank: str, subject: str = "") -> list[HeldRow]: ...
    def greens(self, bank: str, service: str, stage: str) -> list[GreenRow]: ...
    def tokens(self, bank: str) -> list[TokenRow]: ...
    def tombstone(self, bank: str, id_or_known_as: str) -> ErasedRow | None: ...
    def rows(self, table: str) -> Iterator[Row]: ...
    def faults(self) -> Iterator[str]: ...


class Writes(Reads, LoopWrites, LaterWrites, Protocol):
    """One transaction: all of it is kept, or nothing."""

    def append(self, entry: Entry, payload: Payload | None, changes: Iterable[Change]) -> None: ...
    def apply(self, entry: Entry, changes: Iterable[Change]) -> None:
        """Make an entry's changes in the projections."""

    def clear(self, bank: str) -> None:
        """Empty a bank's projections; ledger and payloads stay."""


class Store(Protocol):
    """Where banks live."""

    def reading(self) -> AbstractContextManager[Reads]: ...
    def writing(self, bank: str) -> AbstractContextManager[Writes]:
        """Give one transaction that writes to a bank: writers of one bank take turns."""

    def scrub(self) -> None:
        """Leave no copy of removed content in any file. Raises StoreBusy if a reader holds one."""

    def close(self) -> None: ...


class Index(Protocol):
    """Finds records by their text; derived, never the truth."""

    def search(
        self, view: Reads, bank: str, text: str, limit: int, narrow: Narrow = ANYWHERE, *,
        broad: bool = False,
    ) -> Sequence[str]:  # fmt: skip
        """Give the ids of the closest records, best first; `broad`: of what is less rare, too."""

    def coded(
        self, view: Reads, bank: str, code: str, limit: int, narrow: Narrow = ANYWHERE
    ) -> Sequence[str]:
        """Give the ids of the newest records whose line holds a word as it stands."""

    def catch_up(self, bank: str, written: int = 1) -> None:
        """Hear that entries were written, and take them in when there are enough."""

    def forget(self, bank: str) -> None:
        """Keep no trace of what was erased. Raises StoreBusy where another process hinders it."""

    def rebuild(self, bank: str) -> None:
        """Derive the whole index from the store again. Raises StoreBusy."""

    def status(self, bank: str) -> IndexStatus:
        """Say how far the index is."""

    def close(self) -> None: ...
