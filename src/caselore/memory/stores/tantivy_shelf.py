"""One folder of the text index: what it holds, how it is asked and how it is added to.

Must not choose folders or take turns; no other module may touch tantivy, whose four known traps
are guarded here.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import tantivy

from caselore.errors import CaseloreError
from caselore.memory.encoding import digest, unstamp
from caselore.memory.ledger import Head, Stored
from caselore.memory.ports import Narrow, Reads
from caselore.memory.projection import spoken
from caselore.memory.rows import CaseRow
from caselore.memory.terms import KEY_VERSION, key_text

ASKED = 60  # rarest runs of a question that are looked up: as good as all, a tenth of the time
TIES = 1_000  # hits that are put in order where the last place is shared
NEARLY = 0.0005  # scores of the same text differ in their last bits
MARK = -1  # the id of the document that says how far the index is
HEAP, SMALL_HEAP = 64_000_000, 15_000_000  # bytes for a whole build, and for some entries
NAMES = ("service", "environment", "branch", "family")
OCCUR = tantivy.Occur
VERSION = f"{KEY_VERSION}-" + digest("id seq link happened_at grams4:freq", *NAMES)[:8]


class Mark(NamedTuple):
    """The ledger entry up to which an index holds everything."""

    seq: int
    link: int


def link_of(hash: str) -> int:
    """Give the part of an entry's hash that fits a signed column."""
    return int(hash[:15], 16)


@cache
def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    # Signed: a deletion by an unsigned field's term deletes nothing and says nothing.
    builder.add_integer_field("id", indexed=True, fast=True)
    for name in ("seq", "link"):
        builder.add_integer_field(name, fast=True)
    builder.add_integer_field("happened_at", indexed=True, fast=True)
    builder.add_text_field("grams", tokenizer_name="grams4", index_option="freq")
    for name in NAMES:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()


def opened(folder: Path) -> tantivy.Index:
    index = tantivy.Index(_schema(), path=str(folder), reuse=True)
    # Tokenizers are not kept in the folder: a writer without this one fails at its commit.
    cut = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.ngram(4, 4, prefix_only=False)).build()
    index.register_tokenizer("grams4", cut)
    index.config_reader("manual")
    return index


def _moment(at: str) -> int:
    return round(unstamp(at).timestamp() * 1_000_000)


def documents_of(view: Reads, bank: str, rows: Iterable[Stored]) -> Iterator[tantivy.Document]:
    for entry, payload in rows:
        text = key_text(spoken(entry, json.loads(payload.body))) if payload else ""
        row = view.case(bank, entry.subject) if text else None
        if row is not None:
            yield _document(entry.seq, text, row)


def _document(seq: int, text: str, row: CaseRow) -> tantivy.Document:
    document = tantivy.Document()
    document.add_integer("id", seq)
    document.add_integer("happened_at", _moment(row.happened_at))
    document.add_text("grams", text)
    for name in NAMES:
        document.add_text(name, getattr(row, name))
    return document


@dataclass(slots=True)
class Shelf:
    """One opened folder of an index, as it was at its last reload."""

    folder: Path
    index: tantivy.Index
    searcher: tantivy.Searcher
    mark: Mark
    stamp: tuple[int, int, int]

    @classmethod
    def of(cls, folder: Path) -> Shelf:
        """Open a folder. Raises whatever tantivy raises where it is damaged."""
        stamp = _stamp(folder)
        index = opened(folder)
        index.reload()
        searcher = index.searcher()
        return cls(folder, index, searcher, _mark(searcher), stamp)

    def fresh(self) -> Shelf:
        """Give this shelf as it is on the disk now."""
        stamp = _stamp(self.folder)
        if stamp != self.stamp:
            self.index.reload()
            searcher = self.index.searcher()
            return Shelf(self.folder, self.index, searcher, _mark(searcher), stamp)
        return self

    def find(self, asked: Sequence[str], limit: int, narrow: Narrow) -> list[int]:
        """Give the entries that are closest to a question, best first."""
        query = _query(self._rarest(asked), narrow)
        # A search for a thousand costs little more than one for fifty, and shows all who tie.
        hits = self.searcher.search(query, TIES, count=False).hits
        if len(hits) > limit:
            least = _score(hits[limit - 1]) - NEARLY
            hits = hits[: bisect_right(hits, -least, key=lambda hit: -_score(hit))]
        ids = map(_whole, self.searcher.fast_field_values("id", [place for _, place in hits]))
        found = [(-round(_score(hit), 3), -id) for hit, id in zip(hits, ids, strict=True)]
        return [-id for _, id in sorted(found)[:limit]]

    def _rarest(self, asked: Sequence[str]) -> list[str]:
        often = ((self.searcher.doc_freq("grams", gram), gram) for gram in asked)
        return [gram for _, gram in sorted(pair for pair in often if pair[0])[:ASKED]]


def _whole(value: object) -> int:
    """Give a column's number; a damaged column has none."""
    if not isinstance(value, int):
        raise TypeError(f"a column holds {value!r}")
    return value


def _score(hit: Any) -> float:
    return float(hit[0])


def _query(grams: Sequence[str], narrow: Narrow) -> tantivy.Query:
    schema, query = _schema(), tantivy.Query
    asked = [(OCCUR.Should, query.term_query(schema, "grams", gram, "freq")) for gram in grams]
    if not asked:
        return query.empty_query()
    must = [
        query.term_query(schema, name, getattr(narrow, name), "basic")
        for name in NAMES
        if getattr(narrow, name)
    ]
    must += _ranges(schema, narrow)
    free = [(OCCUR.Must, query.const_score_query(one, 0.0)) for one in must]
    return query.boolean_query([(OCCUR.Must, query.boolean_query(asked)), *free])


def _ranges(schema: tantivy.Schema, narrow: Narrow) -> Iterator[tantivy.Query]:
    kind = tantivy.FieldType.Integer
    low = _moment(narrow.since) if narrow.since else None
    high = _moment(narrow.until) if narrow.until else None
    if low is not None or high is not None:
        yield tantivy.Query.range_query(schema, "happened_at", kind, low, high)
    if narrow.last:
        yield tantivy.Query.range_query(schema, "id", kind, None, narrow.last)


def _stamp(folder: Path) -> tuple[int, int, int]:
    state = (folder / "meta.json").stat()
    return state.st_ino, state.st_mtime_ns, state.st_size


def _mark(searcher: tantivy.Searcher) -> Mark:
    query = tantivy.Query.term_query(_schema(), "id", MARK, "basic")
    (hit,) = searcher.search(query, 2, count=False).hits  # two marks are damage, too
    place = [hit[1]]
    seq, link = (searcher.fast_field_values(name, place)[0] for name in ("seq", "link"))
    return Mark(_whole(seq), _whole(link))


def add(
    index: tantivy.Index, documents: Iterable[tantivy.Document], head: Head, heap: int
) -> None:
    """Add documents and the mark in one commit, by a writer that is used once."""
    writer = index.writer(heap, 1)
    try:
        writer.garbage_collect_files()  # or what a killed writer left makes every commit fail
        for document in documents:
            writer.add_document(document)
        writer.delete_documents_by_term("id", MARK)
        mark = tantivy.Document()
        for name, value in (("id", MARK), ("seq", head.seq), ("link", link_of(head.hash))):
            mark.add_integer(name, value)
        writer.add_document(mark)
        writer.commit()
    finally:
        # Without waiting, segments are never merged. A writer whose commit raised is not used
        # again: its later commits would say that they worked and drop every document.
        with suppress(ValueError):
            writer.wait_merging_threads()


@contextmanager
def guarded() -> Iterator[list[BaseException]]:
    """Keep trouble of the index in the list that is given; errors of the store go their way."""
    trouble: list[BaseException] = []
    try:
        yield trouble
    except (CaseloreError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of tantivy is no Exception
        trouble.append(error)
