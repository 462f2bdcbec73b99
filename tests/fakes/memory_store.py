"""A store that lives in memory, for tests that need a memory but no disk.

Must not judge or derive: rows in, rows out, as the real stores do.
"""

from __future__ import annotations

import copy
from collections import Counter
from contextlib import contextmanager

from caselore.memory.exhibit_ports import Counted
from caselore.memory.later_ports import JobRow
from caselore.memory.ledger import EMPTY, Head, Stored
from caselore.memory.loop_ports import COUNTED, NEWEST, InboxRow, LeaseRow
from caselore.memory.ports import ANYWHERE, Fixed, Seen, Tally
from caselore.memory.rows import TABLES, Put, key_of, table_of
from caselore.memory.tallies import kept_rows
from fakes.counts import MemoryCounts
from fakes.later_rows import MemoryLater


def newest(rows):
    return sorted(
        sorted(rows, key=lambda row: row.id), key=lambda row: row.happened_at, reverse=True
    )


def _written(row):
    return row.seq, row.id, row.target


class MemoryView(MemoryCounts, MemoryLater):
    """One state of all tables."""

    def __init__(self):
        self.ledger: dict[str, list] = {}
        self.payloads: dict[tuple[str, int], object] = {}
        self.tables: dict[str, dict] = {name: {} for name in TABLES}
        self.hints: dict[tuple, InboxRow] = {}
        self.leases: dict[tuple[str, str], LeaseRow] = {}
        self.later: dict[tuple[str, str], JobRow] = {}
        self.looks: dict[tuple[str, str], str] = {}
        self.schedules: dict[tuple[str, str], str] = {}

    def _all(self, table, bank, **equal):
        rows = (row for key, row in sorted(self.tables[table].items()) if key[0] == bank)
        return [
            row
            for row in rows
            if all(getattr(row, name) == value for name, value in equal.items())
        ]

    def head(self, bank):
        entries = self.ledger.get(bank)
        return Head(entries[-1].seq, entries[-1].hash) if entries else EMPTY

    def banks(self):
        return sorted(self.ledger)

    def entries(self, bank, subject=""):
        for entry in self.ledger.get(bank, []):
            if not subject or entry.subject == subject:
                yield Stored(entry, self.payloads.get((bank, entry.seq)))

    def asked(self, bank, since):
        for one in self.entries(bank):
            if one.entry.action in {"ask", "asking"} and one.entry.at >= since:
                yield one

    def spoken(self, bank, after):
        for one in self.entries(bank):
            if one.entry.seq > after and one.entry.action in {
                "observe",
                "confirm",
                "erase",
                "resign",
            }:
                yield one

    def hash_at(self, bank, seq):
        return next((one.hash for one in self.ledger.get(bank, []) if one.seq == seq), "")

    def bodies(self, bank, seqs):
        return {seq: self.payloads[bank, seq].body for seq in seqs if (bank, seq) in self.payloads}

    def subjects(self, bank, seqs):
        known = {entry.seq: entry.subject for entry in self.ledger.get(bank, [])}
        return {seq: known[seq] for seq in seqs if seq in known}

    def person_acted(self, bank):
        said = {
            "confirm",
            "refute",
            "unlike",
            "supersede",
            "merge",
            "split",
            "single_out",
            "retract",
            "release",
            "drop",
            "erase",
            "revoke",
        }
        judged = any(
            one.role == "human" and one.action in said for one in self.ledger.get(bank, [])
        )
        people = [
            *self._all("tokens", bank, role="human"),
            *self._all("tokens", bank, role="admin"),
        ]
        return judged or bool(people)

    def case(self, bank, id):
        return self.tables["cases"].get((bank, id))

    def opened(self, bank, id):
        row = self.case(bank, id)
        payload = row and self.payloads.get((bank, row.seq))
        return (row, payload.body) if payload else None

    def cases_of(self, bank, ids):
        return {id: row for id in ids if (row := self.case(bank, id))}

    def known(self, bank, known_as):
        rows = self._all("cases", bank, known_as=known_as) if known_as else []
        return min(rows, key=lambda row: row.seq, default=None)

    def recognised(self, bank, names):
        return {name for name in names if self.known(bank, name)}

    def foresee(self, bank, names, ids):
        """Every answer is quick here."""

    def judged(self, bank, subjects):
        known = [one for one in self.entries(bank) if one.entry.subject in subjects]
        return [one for one in known if one.entry.action != "observe"]

    def named(self, bank, name):
        fits = [
            row
            for row in self._all("cases", bank)
            if row.id.startswith(name) or row.deployment == name
        ]
        return newest(fits)[:50]

    def cases(self, bank, wanted):
        equal = {name: value for name, value in wanted._asdict().items() if value}
        since, until = equal.pop("since", ""), equal.pop("until", "9999")
        yield from newest(
            row for row in self._all("cases", bank, **equal) if since <= row.happened_at <= until
        )

    def page(self, bank, wanted, before, after, limit):
        rows = [
            row
            for row in self.cases(bank, wanted)
            if row.happened_at < before or (row.happened_at == before and row.id > after)
        ]
        return rows[:limit]

    def entries_after(self, bank, seq, limit, subject=""):
        return [one for one in self.entries(bank, subject) if one.entry.seq > seq][:limit]

    def entries_before(self, bank, seq, limit, subject=""):
        found = [one for one in self.entries(bank, subject) if one.entry.seq < seq]
        return found[::-1][:limit]

    def last_seq(self, bank, until):
        agree, best, chosen = 0, 0, 0
        for one in self.ledger.get(bank, []):
            agree += 1 if not until or one.at <= until else -1
            if agree >= best:
                best, chosen = agree, one.seq
        return chosen

    def near(self, bank, asked, narrow=ANYWHERE):
        return [row for alike, limit in asked for row in self._near(bank, alike, limit, narrow)]

    def _near(self, bank, alike, limit, narrow=ANYWHERE):
        equal = {name: value for name, value in alike._asdict().items() if value}
        statuses = equal.pop("statuses")
        found = []
        for status in statuses:
            rows = self._all("cases", bank, status=status, **equal)
            rows = [row for row in rows if narrow.admits(row)]
            found += sorted(rows, key=lambda row: (row.happened_at, row.id), reverse=True)[:limit]
        return found

    def seen(self, bank, signature):
        rows = self._all("cases", bank, signature=signature, counts=1)
        rows = [row for row in rows if row.status not in {"quarantined", "retracted"}]
        times = sorted(row.happened_at for row in rows) or [""]
        worked = [row for row in rows if (row.status, row.result) == ("confirmed", "succeeded")]
        left = {one.subject for one in self.ledger.get(bank, []) if one.action == "flake"}
        flaky = sum(row.id in left for row in rows)
        return Seen(len(rows), times[0], times[-1], len(worked), flaky)

    def services(self, bank, signatures=()):
        rows = self._all("cases", bank, counts=1)
        some = (row for row in rows if not signatures or row.signature in signatures)
        return len({row.service for row in some} - {""})

    def newest_fixes(self, bank, signatures):
        newest = {}
        for row in self._all("cases", bank, status="confirmed"):
            if row.signature in signatures:
                one = Fixed(row.fix, row.confirmed_at, row.outcome_seq)
                newest[row.fix] = max(one, newest.get(row.fix, one))
        return [one for _, one in sorted(newest.items())]

    def tallies(self, bank, signatures):
        return {one: self._tally(bank, one) for one in signatures}

    def told_of(self, bank, subjects, names):
        said = [one for one in self.entries(bank) if one.entry.subject in subjects]
        links = self._all("links", bank)
        return said, [row for row in links if {row.subject, row.target} & set(names)]

    def _tally(self, bank, signature):
        rows = self._all("cases", bank, signature=signature, status="confirmed")
        groups = Counter((row.fix, row.result, row.confirmed_by) for row in rows)
        return [Tally(*key, times) for key, times in sorted(groups.items())]

    def links_of(self, bank, subject):
        return self._all("links", bank, subject=subject)

    def links_to(self, bank, targets):
        return [row for target in targets for row in self._all("links", bank, target=target)]

    def related(self, bank, relation):
        return self._all("links", bank, relation=relation)

    def fared(self, bank, signatures, fixed, sought):
        return self.tallies(bank, signatures), self._returned(bank, fixed, sought)

    def _returned(self, bank, fixed, sought):
        gone = {"quarantined", "retracted"}
        return [
            min(
                20,
                sum(
                    row.happened_at > at and row.id != sought and row.status not in gone
                    for row in self._all(
                        "cases", bank, signature=signature, service=service, counts=1
                    )
                ),
            )
            for signature, service, at in fixed
        ]

    def touched(self, bank, ids, after):
        said = {one.subject for one in self.ledger.get(bank, []) if one.seq > after}
        return said & set(ids)

    def signed_anew(self, bank, after):
        said = (one for one in self.ledger.get(bank, []) if one.seq > after)
        return sorted({one.subject for one in said if one.action in {"resign", "single_out"}})

    def told_apart(self, bank, id, signature):
        apart = set()
        for link in self._all("links", bank, relation="unlike"):
            for one, other in ((link.subject, link.target), (link.target, link.subject)):
                a, b = self.case(bank, one), self.case(bank, other)
                same = a and b and a.signature == signature != b.signature
                if one == id or same:
                    apart.add(other)
                x = self.case(bank, id) if id else None
                if a and b and x and _rerun(a, x) and not _rerun(a, b):
                    apart.update(y.id for y in self._all("cases", bank) if _rerun(b, y))
        return apart

    def held(self, bank, subject=""):
        return self._all("held", bank, **({"subject": subject} if subject else {}))

    def greens(self, bank, service, stage):
        return self._all("greens", bank, service=service, stage=stage)[::-1]

    def tokens(self, bank):
        return sorted(self._all("tokens", bank), key=lambda row: (row.created_at, row.id))

    def tombstone(self, bank, id_or_known_as):
        rows = self._all("erased", bank)
        return next((row for row in rows if id_or_known_as in {row.id, row.known_as} - {""}), None)

    def exhibit(self, bank, id):
        return self.tables["exhibits"].get((bank, id))

    def exhibit_known(self, bank, known_as):
        rows = self._all("exhibits", bank, known_as=known_as) if known_as else []
        return min(rows, key=lambda row: row.seq, default=None)

    def exhibits_named(self, bank, name):
        return [row for row in self._all("exhibits", bank) if row.id.startswith(name)][:50]

    def exhibits_at(self, bank, seqs):
        return [row for row in self._all("exhibits", bank) if row.seq in seqs]

    def entries_of_some(self, bank, subjects):
        return (one for one in self.entries(bank) if one.entry.subject in subjects)

    def exhibits(self, bank, sought):
        yield from self._sought(bank, sought)[: sought.limit]

    def _sought(self, bank, sought):
        equal = {
            name: getattr(sought, name)
            for name in ("kind", "subject", "label", "status")
            if getattr(sought, name)
        }
        rows = [
            row
            for row in self._all("exhibits", bank, **equal)
            if sought.since <= row.happened_at <= (sought.until or "9999")
            and row.known_at <= (sought.known or "9999")
        ]
        return sorted(rows, key=lambda row: (row.happened_at, row.seq), reverse=True)

    def all_exhibits(self, bank):
        yield from sorted(self._all("exhibits", bank), key=lambda row: row.seq)

    def exhibit_subjects(self, bank, kind):
        return dict(
            sorted(Counter(row.subject for row in self._all("exhibits", bank, kind=kind)).items())
        )

    def exhibits_filed_last(self, bank, kind):
        return max((row.recorded_at for row in self._all("exhibits", bank, kind=kind)), default="")

    def exhibit_counts(self, bank, sought, recent="", grave=0):
        groups = {}
        for row in self._sought(bank, sought):
            if row.subject == sought.subject:
                key = (row.label, row.status, row.counts, row.trusted)
                groups.setdefault(key, []).append(row)
        return [
            Counted(
                *key,
                len(rows),
                sum(row.origins for row in rows),
                max(row.happened_at for row in rows),
                sum(row.happened_at >= recent for row in rows),
                sum(row.happened_at >= recent and row.impact >= grave for row in rows),
            )
            for key, rows in sorted(groups.items())
        ]

    def words_seqs(self, bank, word, limit):
        return sorted((row.seq for row in self._all("words", bank, word=word)), reverse=True)[
            :limit
        ]

    def change(self, bank, id):
        return self.tables["changes"].get((bank, id))

    def changes(self, bank, state="", after="", limit=1_000_000):
        rows = (row for row in self._all("changes", bank) if row.id > after)
        wanted = [row for row in rows if state in {"", row.state} or state == "live" != row.state]
        found = [row for row in wanted if state != "live" or row.state != "done"]
        return [row._replace(document="") for row in found][:limit]

    def changes_telling(self, bank, text):
        rows = [row for table in ("outbox", "attempts") for row in self._all(table, bank)]
        found = {row.change for row in rows if text in row.document}
        return sorted(
            found | {row.id for row in self._all("changes", bank) if text in row.document}
        )

    def attempts(self, bank, change):
        rows = self._all("attempts", bank, change=change)
        return sorted(rows, key=lambda row: row.place)

    def outgoing(self, bank, target="", after=0, limit=1_000):
        equal = {"target": target} if target else {}
        rows = self._all("outbox", bank, status="waiting", **equal)
        return sorted((row for row in rows if row.seq > after), key=_written)[:limit]

    def outgoing_of(self, bank, change):
        return sorted(self._all("outbox", bank, change=change), key=_written)

    def outgoing_one(self, bank, id):
        return sorted(self._all("outbox", bank, id=id), key=lambda row: row.target, reverse=True)

    def heard(self, bank, limit):
        rows = [row for row in self.hints.values() if row.bank == bank and not row.attended_at]
        return sorted(rows, key=lambda row: (row.received_at, row.source, row.key))[:limit]

    def changes_due(self, bank, now, after, limit):
        live = [
            row
            for row in self.changes(bank, "live", after)
            if self.looks.get((bank, row.id), "") <= now
        ]
        return live[:limit]

    def changes_by_id(self, bank, ids):
        return [row for row in self.changes(bank, "live") if row.id in ids]

    def attempts_some(self, bank, change, pipelines):
        rows = self.attempts(bank, change)
        kept = {*rows[-NEWEST:], *[row for row in rows if row.delivered][-COUNTED:]}
        return [row for row in rows if row in kept or row.pipeline in pipelines]

    def outgoing_open(self, bank, change):
        return [row for row in self.outgoing_of(bank, change) if row.status == "waiting"]

    def put_looks(self, bank, due):
        self.looks |= {(bank, change): at for change, at in due.items()}

    def hear(self, rows):
        for row in rows:
            self.hints.setdefault(row[:3], row)

    def attend(self, bank, change, until, at):
        for key, row in self.hints.items():
            if row.bank == bank and row.change == change and row.received_at <= until:
                self.hints[key] = row._replace(attended_at=row.attended_at or at)

    def forget_hints(self, bank, before):
        for key, row in list(self.hints.items()):
            if row.bank == bank and row.attended_at and row.attended_at < before:
                del self.hints[key]

    def lease(self, bank, name):
        return self.leases.get((bank, name))

    def put_lease(self, row):
        self.leases[row.bank, row.name] = row

    def end_lease(self, bank, name, fence):
        held = self.leases.get((bank, name))
        if held and held.fence == fence:
            self.leases[bank, name] = held._replace(until="")

    def rows(self, table):
        if table in {"tallies", "facets"}:
            yield from kept_rows(self.tables["cases"].values())[table]
        yield from (row for _, row in sorted(self.tables[table].items()))

    def faults(self):
        seqs = {(bank, entry.seq) for bank, entries in self.ledger.items() for entry in entries}
        for bank, seq in sorted(self.payloads.keys() - seqs):
            yield f"payload {seq} of bank {bank} belongs to no entry"

    def append(self, entry, payload, changes):
        self.ledger.setdefault(entry.bank, []).append(entry)
        if payload is not None:
            self.payloads[entry.bank, entry.seq] = payload
        self.apply(entry, changes)

    def clear(self, bank):
        for rows in self.tables.values():
            for key in [key for key in rows if key[0] == bank]:
                del rows[key]

    def apply(self, entry, changes):
        for change in changes:
            if isinstance(change, Put):
                self.tables[table_of(change.row)][key_of(change.row)] = change.row
            else:
                self._forget(entry, change)

    def _forget(self, entry, change):
        bank = entry.bank
        for row in (
            self._all("held", bank, subject=change.subject) if change.what == "held" else ()
        ):
            del self.tables["held"][key_of(row)]
        for seq in change.seqs:
            self.payloads.pop((bank, seq), None)
            self.tables["greens"].pop((bank, seq), None)
        if change.what == "subject":
            self._forget_subject(entry, change.subject)

    def _forget_subject(self, entry, subject):
        for old, payload in list(self.entries(entry.bank, subject)):
            if payload is not None and old.seq != entry.seq:
                del self.payloads[entry.bank, old.seq]
        row = self.exhibit(entry.bank, subject)
        for word in self._all("words", entry.bank, seq=row.seq) if row else ():
            del self.tables["words"][key_of(word)]
        for table in ("changes", "attempts", "outbox"):
            for row in self._all(table, entry.bank):
                if subject in {row.id if table == "changes" else row.change}:
                    del self.tables[table][key_of(row)]
        for table in ("held", "links", "cases", "exhibits"):
            column = "id" if table in {"cases", "exhibits"} else "subject"
            for row in self._all(table, entry.bank, **{column: subject}):
                del self.tables[table][key_of(row)]


class MemoryStore:
    """Transactions by copy: what raises inside a block leaves no trace."""

    def __init__(self):
        self._view = MemoryView()
        self.scrubs = Counter()

    @contextmanager
    def reading(self):
        yield self._view

    @contextmanager
    def writing(self, bank=""):
        draft = copy.copy(self._view)
        draft.ledger = {bank: list(entries) for bank, entries in self._view.ledger.items()}
        draft.payloads = dict(self._view.payloads)
        draft.hints, draft.leases = dict(self._view.hints), dict(self._view.leases)
        draft.later, draft.schedules = dict(self._view.later), dict(self._view.schedules)
        draft.looks = dict(self._view.looks)
        draft.tables = {name: dict(rows) for name, rows in self._view.tables.items()}
        yield draft
        self._view = draft

    def scrub(self):
        self.scrubs["asked"] += 1

    def close(self):
        pass


def _rerun(one, other):
    """Say whether two failures are of one deployment of a service, with one signature."""
    if one.id == other.id:
        return True
    return bool(one.deployment) and (one.service, one.deployment, one.signature) == (
        other.service, other.deployment, other.signature,
    )  # fmt: skip
