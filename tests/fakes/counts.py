"""What a store in memory answers in numbers.

Must not judge or derive: rows in, rows out, as the real stores do.
"""

from __future__ import annotations

from collections import Counter

from caselore.memory.count_ports import Facet, GroupRow, Recurrence


class MemoryCounts:
    """Counts over the cases of a `MemoryView`."""

    def _chosen(self, bank, chosen, **equal):
        given = {name: value for name, value in chosen._asdict().items() if value}
        return self._all("cases", bank, **given, **equal)

    def _causes(self, bank, chosen, joined):
        by = {}
        for row in self._chosen(bank, chosen):
            by.setdefault(joined.get(row.signature, row.signature), []).append(row)
        for signature, rows in by.items():
            worked = sum((row.status, row.result) == ("confirmed", "succeeded") for row in rows)
            kind = "known" if worked else "recurring" if len(rows) > 1 else "new"
            yield signature, rows, worked, kind

    def groups(self, bank, chosen, novelty, after, limit, joined):
        found, (before, after) = [], after
        for signature, rows, worked, kind in self._causes(bank, chosen, joined):
            times = sorted(row.happened_at for row in rows)
            later = times[-1] > before or (times[-1] == before and signature <= after)
            if not later and novelty in ("", kind):
                proposed = sum(row.status == "proposed" for row in rows)
                found.append(GroupRow(signature, len(rows), times[0], times[-1], worked, proposed))
        found.sort(key=lambda one: one.signature)
        return sorted(found, key=lambda one: one.last, reverse=True)[:limit]

    def newest_of(self, bank, chosen, signatures, last):
        rows = self._chosen(bank, chosen, happened_at=last)
        rows = [row for row in rows if row.signature in signatures]
        return min(rows, key=lambda row: row.id, default=None)

    def of_signature(self, bank, signatures, limit):
        rows = [row for row in self._all("cases", bank) if row.signature in signatures]
        rows.sort(key=lambda row: row.id)
        return sorted(rows, key=lambda row: row.happened_at, reverse=True)[:limit]

    def facets(self, bank):
        rows = self._all("cases", bank)
        counted = Counter((r.status, r.service, r.environment, r.family) for r in rows)
        return [Facet(*key, times) for key, times in counted.items()]

    def novelties(self, bank, chosen, joined):
        counted = Counter()
        for _, rows, _, kind in self._causes(bank, chosen, joined):
            counted[kind] += len(rows)
        return dict(counted)

    def days(self, bank, since):
        rows = [row for row in self._all("cases", bank) if row.happened_at >= since]
        return sorted(Counter(row.happened_at[:10] for row in rows).items())

    def recurrence(self, bank, since, joined):
        every = self._all("cases", bank)
        rows = [
            row
            for row in every
            if row.counts
            and not row.generic
            and row.happened_at >= since
            and row.status not in {"quarantined", "retracted"}
        ]

        def alike(row):
            name = joined.get(row.signature, row.signature)
            return [
                one
                for one in every
                if joined.get(one.signature, one.signature) == name and one.id != row.id
            ]

        seen = sum(any(o.happened_at < row.happened_at for o in alike(row)) for row in rows)
        known = sum(
            any(
                (o.status, o.result) == ("confirmed", "succeeded")
                and o.confirmed_at < row.recorded_at
                for o in alike(row)
            )
            for row in rows
        )
        return Recurrence(len(rows), seen, known)

    def said(self, bank, since):
        told = {"observe", "confirm", "refute", "unlike", "propose", "release", "drop", "refused"}
        entries = [one for one in self.ledger.get(bank, []) if one.at >= since]
        return dict(Counter(one.action for one in entries if one.action in told))

    def fixed(self, bank, since, limit):
        rows = self._all("cases", bank, status="confirmed", result="succeeded")
        rows = [row for row in rows if row.confirmed_at >= since]
        rows.sort(key=lambda row: row.confirmed_at, reverse=True)
        return [(row.happened_at, row.confirmed_at) for row in rows[:limit]]
