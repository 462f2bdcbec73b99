"""One folder of the text index: what it holds, how it is asked and how it is added to.

A text is cut into runs once for each place that it came from; whatever says the same again there
is a small document that shares the number of its text. So a failure that repeats ten thousand
times is one text to search, and fills no answer alone.
Must not choose folders or take turns; no other module may touch tantivy, whose four known traps
are guarded here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import tantivy

from caselore.errors import CaseloreError
from caselore.memory.encoding import digest, unstamp
from caselore.memory.ledger import Head, Stored
from caselore.memory.ports import Narrow, Reads
from caselore.memory.projection import spoken, spoken_line
from caselore.memory.rows import CaseRow
from caselore.memory.stores.said_words import words_of
from caselore.memory.terms import KEY_VERSION, codes_in, key_text

ASKED = 60  # rarest runs of a question that are looked up: as good as all, a tenth of the time
BROAD = 4  # times as many at most of a question that few share the rarest of
TEXTS = 200  # texts that are looked at first, then so many times more while they do not suffice
DEEPER = 5
ALL = 500_000
FEW = 5_000  # documents of a span of time up to which their texts are listed beforehand
TIES = 4  # times as many documents with a code as are wanted, so that those of one moment show
NEARLY = 0.0005  # scores of the same text differ in their last bits
MARK = -1  # the id of the document that says how far the index is
HEAP, SMALL_HEAP = 64_000_000, 15_000_000  # bytes for a whole build, and for some entries
PIECE = 500  # entries whose cases are read at once
NAMES = ("service", "environment", "branch", "family")
OCCUR, QUERY = tantivy.Occur, tantivy.Query
VERSION = f"{KEY_VERSION}-" + digest("id seq link text happened_at grams4:freq codes", *NAMES)[:8]


class Mark(NamedTuple):
    """The ledger entry up to which an index holds everything."""

    seq: int
    link: int


class Text(NamedTuple):
    """The first entry with a text of one place, and the number of both."""

    id: int
    text: int


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
    for name in ("text", "happened_at"):
        builder.add_integer_field(name, indexed=True, fast=True)
    builder.add_text_field("grams", tokenizer_name="grams4", index_option="freq")
    for name in (*NAMES, "codes"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()


def opened(folder: Path) -> tantivy.Index:
    index = tantivy.Index(_schema(), path=str(folder), reuse=True)
    # Tokenizers are not kept in the folder: a writer without this one fails at its commit.
    cut = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.ngram(4, 4, prefix_only=False)).build()
    index.register_tokenizer("grams4", cut)
    index.config_reader("manual")
    return index


@lru_cache(maxsize=1_024)
def _moment(at: str) -> int:
    return round(unstamp(at).timestamp() * 1_000_000)


def documents_of(
    view: Reads, bank: str, rows: Iterable[Stored], known: Callable[[int], bool]
) -> Iterator[tantivy.Document]:
    """Give the documents of entries; of a text that is known, or came before, no runs."""
    seen, source = set[int](), iter(rows)
    while some := list(islice(source, PIECE)):
        cases = view.cases_of(bank, {row.entry.subject for row in some})
        for entry, payload in some:
            case = cases.get(entry.subject)
            body = words_of(entry, payload.body) if payload and case else {}
            key = key_text(spoken(entry, body)) if body else ""
            if case is None or not key:
                continue
            text = _number(key, case)
            new = text not in seen and not known(text)
            seen.add(text)
            codes = codes_in(spoken_line(entry, body))
            yield _document(Text(entry.seq, text), key if new else "", codes, case)


def _number(key: str, case: CaseRow) -> int:
    """Number a text of one place, so that it fits a signed column."""
    place = "\0".join((key, case.service, case.environment, case.branch, case.family))
    return int.from_bytes(blake2b(place.encode(), digest_size=8).digest()) >> 1


def _document(one: Text, grams: str, codes: Sequence[str], case: CaseRow) -> tantivy.Document:
    document = tantivy.Document()
    document.add_integer("id", one.id)
    document.add_integer("text", one.text)
    document.add_integer("happened_at", _moment(case.happened_at))
    if grams:
        document.add_text("grams", grams)
    for code in codes:
        document.add_text("codes", code)
    for name in NAMES:
        document.add_text(name, getattr(case, name))
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

    def holds(self, text: int) -> bool:
        """Say whether a text was cut into runs before."""
        return bool(self.searcher.doc_freq("text", text))

    def find(
        self, asked: Sequence[str], limit: int, narrow: Narrow, broad: bool = False
    ) -> list[int]:
        """Give the entries that are closest to a question, best first; of a text the newest.

        `broad`: where few share its rarest runs, then those that share its next rarest.
        """
        runs, texts, found = self._held(asked), self._of_then(narrow), list[int]()
        for start in range(0, BROAD * ASKED if broad else ASKED, ASKED):
            if len(found) < limit:
                query = _question(runs[start : start + ASKED], narrow, texts)
                found += [id for id in self._sharing(query, limit, narrow) if id not in found]
        return found[:limit]

    def _sharing(self, query: tantivy.Query | None, limit: int, narrow: Narrow) -> list[int]:
        most, found, whole = TEXTS, list[int](), query is None
        while query is not None and len(found) < limit and not whole:
            texts, whole = self._closest(query, most)
            found = self._newest_each(texts, limit, narrow)
            if whole and len(found) < limit:
                found = self._newest_in_turn(texts, limit, narrow)
            most *= DEEPER
        return found

    def named(self, code: str, limit: int, narrow: Narrow) -> list[int]:
        """Give the newest entries whose line holds a code."""
        one = QUERY.term_query(_schema(), "codes", code, "basic")
        query = _all_of([one, *_places(narrow), *_spans(narrow)])
        hits = self.searcher.search(
            query, limit * TIES, count=False, order_by_field="happened_at"
        ).hits
        ids = map(_whole, self.searcher.fast_field_values("id", [place for _, place in hits]))
        found = [(-_whole(at), -id) for (at, _), id in zip(hits, ids, strict=True)]
        return [-id for _, id in sorted(found)[:limit]]

    def _held(self, asked: Sequence[str]) -> list[str]:
        """Give the runs that any text holds, the rarest first."""
        often = ((self.searcher.doc_freq("grams", gram), gram) for gram in asked)
        return [gram for _, gram in sorted(pair for pair in often if pair[0])]

    def _closest(self, query: tantivy.Query, most: int) -> tuple[list[Text], bool]:
        """Give the closest texts, the later first among equals, and whether that is all.

        Where more are equally close than were looked at, none of those is given: which of them
        came is by chance.
        """
        hits = self.searcher.search(query, most, count=False).hits
        whole = len(hits) < most or most >= ALL
        if not whole:
            least = _score(hits[-1]) + NEARLY
            hits = hits[: bisect_left(hits, -least, key=lambda hit: -_score(hit))]
        places = [place for _, place in hits]
        ids, texts = (self.searcher.fast_field_values(name, places) for name in ("id", "text"))
        found = [
            (-round(_score(hit), 3), -_whole(id), _whole(text))
            for hit, id, text in zip(hits, ids, texts, strict=True)
        ]
        return [Text(-id, text) for _, id, text in sorted(found)], whole

    def _newest_each(self, texts: Sequence[Text], limit: int, narrow: Narrow) -> list[int]:
        newest = (id for one in texts for id in self._newest(one, 1, narrow))
        return list(islice(newest, limit))

    def _newest_in_turn(self, texts: Sequence[Text], limit: int, narrow: Narrow) -> list[int]:
        """Give the newest of each text, then the one before it of each, and so on."""
        rows = [self._newest(one, limit, narrow) for one in texts]
        ids = (id for turn in zip_longest(*rows) for id in turn if id is not None)
        return list(islice(ids, limit))

    def _newest(self, one: Text, most: int, narrow: Narrow) -> list[int]:
        """Give the newest entries with a text, of those that a search may bring."""
        spans = list(_spans(narrow))
        if not spans and self.searcher.doc_freq("text", one.text) == 1:
            return [one.id]
        query = _all_of([QUERY.term_query(_schema(), "text", one.text, "basic"), *spans])
        hits = self.searcher.search(query, most, count=False, order_by_field="id").hits
        return [_whole(id) for id, _ in hits]

    def _of_then(self, narrow: Narrow) -> set[int] | None:
        """List the texts of a span of time, if few entries fall into it."""
        if not (narrow.since or narrow.until):
            return None
        query = _all_of([*_places(narrow), *_spans(narrow)])
        hits = self.searcher.search(query, FEW + 1, count=False).hits
        if len(hits) > FEW:
            return None
        return set(
            map(_whole, self.searcher.fast_field_values("text", [place for _, place in hits]))
        )


def _whole(value: object) -> int:
    """Give a column's number; a damaged column has none."""
    if not isinstance(value, int):
        raise TypeError(f"a column holds {value!r}")
    return value


def _score(hit: Any) -> float:
    return float(hit[0])


def _all_of(queries: Iterable[tantivy.Query]) -> tantivy.Query:
    """Ask for all at once, for no score."""
    free = [(OCCUR.Must, QUERY.const_score_query(one, 0.0)) for one in queries]
    return QUERY.boolean_query(free)


def _question(
    grams: Sequence[str], narrow: Narrow, texts: set[int] | None
) -> tantivy.Query | None:
    """Ask for any of the runs, within the filters; None where nothing can be found."""
    if not grams or texts == set():
        return None
    schema = _schema()
    asked = QUERY.boolean_query(
        [(OCCUR.Should, QUERY.term_query(schema, "grams", gram, "freq")) for gram in grams]
    )
    must = list(_places(narrow))
    if narrow.last:  # the first entry with a text came before all others with it
        must.append(_span("id", None, narrow.last))
    if texts is not None:
        must.append(QUERY.term_set_query(schema, "text", sorted(texts)))
    return (
        QUERY.boolean_query([(OCCUR.Must, asked), (OCCUR.Must, _all_of(must))]) if must else asked
    )


def _places(narrow: Narrow) -> Iterator[tantivy.Query]:
    for name in NAMES:
        if getattr(narrow, name):
            yield QUERY.term_query(_schema(), name, getattr(narrow, name), "basic")


def _spans(narrow: Narrow) -> Iterator[tantivy.Query]:
    low = _moment(narrow.since) if narrow.since else None
    high = _moment(narrow.until) if narrow.until else None
    if low is not None or high is not None:
        yield _span("happened_at", low, high)
    if narrow.last:
        yield _span("id", None, narrow.last)


def _span(field: str, low: int | None, high: int | None) -> tantivy.Query:
    return QUERY.range_query(_schema(), field, tantivy.FieldType.Integer, low, high)


def _stamp(folder: Path) -> tuple[int, int, int]:
    state = (folder / "meta.json").stat()
    return state.st_ino, state.st_mtime_ns, state.st_size


def _mark(searcher: tantivy.Searcher) -> Mark:
    query = QUERY.term_query(_schema(), "id", MARK, "basic")
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
