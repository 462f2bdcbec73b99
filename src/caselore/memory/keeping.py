"""Keeps house around the evidence: passing runs, quarantine, tokens, the account and erasure.

Must not recall, rank or confirm.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from datetime import datetime

from caselore.errors import (
    BadInput,
    GateRefused,
    NotFound,
    StoreBusy,
    StoreDamaged,
    StoreFull,
    WrongUse,
)
from caselore.guards import names
from caselore.memory import gate, naming, tokens
from caselore.memory.arm_ports import VectorStatus
from caselore.memory.bank import Bank, halfway
from caselore.memory.encoding import stamp, unstamp
from caselore.memory.exhibits import resolve_exhibit
from caselore.memory.filing import is_exhibit
from caselore.memory.ledger import Broken, Stored, Verification
from caselore.memory.ports import IndexStatus, Reads, Wanted
from caselore.memory.projection import spoken_by
from caselore.memory.records import Actor, Case, Held, ModelCall, Role, TokenInfo, TokenRole, short
from caselore.memory.replay import derive, verify
from caselore.memory.rows import ChangeRow, HeldRow, Row
from caselore.memory.writing import (
    GREENS,
    call_body,
    calls_of,
    flake_body,
    must_pass,
    release_body,
    why_body,
)


def _ended(change: ChangeRow) -> ChangeRow:
    if change.state != "done":
        raise WrongUse(
            f"{change.id} is still watched: its account is needed.",
            hint=f"`caselore repair untrack {change.url}` first.",
        )
    return change


_OTHERS = "Close other caselore processes"


class Keeping(Bank):
    """The verbs that only keep the house."""

    def remember_green(
        self, service: str, stage: str, data: bytes, label: str, actor: Actor, commit: str = ""
    ) -> tuple[str, ...]:
        """Keep a passing run of a job; the last five are kept.

        Gives the incidents of the same job and commit: they left without a change, which is
        recorded of each. Raises GateRefused.
        """
        service, stage = short("service", service), short("stage", stage)
        with self._store.writing(self.bank) as view:
            older = [row.seq for row in view.greens(self.bank, service, stage)]
            gone = {*older[GREENS - 1 :], *self._forgotten(view, older[:1])}
            body = {
                "service": service,
                "stage": stage,
                "label": short("label", label),
                "data": base64.b64encode(data).decode(),
                "forgets": sorted(gone),
            }
            pen = self._pen(view)
            written = pen.write("green", "", body, actor)
            flaky = self._flaky(view, service, stage, commit) if not written.refusal else ()
            for id in flaky:
                pen.write("flake", id, flake_body(commit, label), actor)
        must_pass(written)
        return flaky

    def _forgotten(self, view: Reads, newest: list[int]) -> list[int]:
        """Give what the newest run forgot: said again, since its own payload goes in time, too."""
        said = view.bodies(self.bank, newest)
        return [seq for body in said.values() for seq in json.loads(body)["forgets"]]

    def _flaky(self, view: Reads, service: str, stage: str, commit: str) -> tuple[str, ...]:
        """Find failures of a job on a commit that are not yet known to have left by themselves."""
        if not commit:
            return ()
        rows = view.cases(self.bank, Wanted(service=service, commit_id=commit))
        failed = [row.id for row in rows if row.stage == stage]
        return tuple(
            id
            for id in failed
            if all(entry.action != "flake" for entry, _ in view.entries(self.bank, id))
        )

    def green(self, service: str, stage: str) -> list[tuple[str, bytes]]:
        """Give the remembered passing runs of a job, the newest first."""
        with self._store.reading() as view:
            rows = view.greens(self.bank, service, stage)
            bodies = view.bodies(self.bank, [row.seq for row in rows])
        read = [(row.label, json.loads(bodies[row.seq])["data"]) for row in rows]
        return [(label, base64.b64decode(data)) for label, data in read]

    def quarantine_list(self) -> tuple[Held, ...]:
        """Give what guards hold, in order of arrival."""
        with self._store.reading() as view:
            rows = view.held(self.bank)
            return tuple(one for row in rows for one in self._held(view, row))

    def quarantine_show(self, ref: str) -> tuple[Case, tuple[Held, ...]]:
        """Give one held case and what is held of it. Raises NotFound or Ambiguous."""
        case = self.get(ref)
        return case, tuple(one for one in self.quarantine_list() if one.subject == case.id)

    def _held(self, view: Reads, held: HeldRow) -> Iterator[Held]:
        for entry, payload in view.entries(self.bank, held.subject):
            if entry.seq == held.seq and payload is not None:
                body = json.loads(payload.body)
                actor, at = spoken_by(entry, body)
                yield Held(
                    held.subject,
                    held.seq,
                    entry.action,
                    tuple(body["findings"]),
                    Actor.parse(actor),
                    unstamp(at),
                )

    def release(self, id: str, why: str, actor: Actor) -> Case:
        """Let what a guard held of a record count. Raises GateRefused or WrongUse."""
        return self._free("release", id, why, actor)

    def drop(self, id: str, why: str, actor: Actor) -> Case:
        """Throw away what a guard held of a record. Raises GateRefused or WrongUse."""
        return self._free("drop", id, why, actor)

    def _free(self, action: str, ref: str, why: str, actor: Actor) -> Case:
        with self._store.reading() as view:
            row = naming.resolve(view, self.bank, ref)
            body = release_body(view, row, why)
        return self._say(action, row.id, body, actor)

    def keep_call(self, call: ModelCall, actor: Actor) -> None:
        """Account for one call of a language model. Raises GateRefused."""
        with self._store.writing(self.bank) as view:
            written = self._pen(view).write("ask", call.subject, call_body(call), actor)
        must_pass(written)

    def open_call(
        self,
        decide: Callable[[tuple[ModelCall, ...]], ModelCall],
        actor: Actor,
        since: datetime,
    ) -> int:
        """Account for a call before it is made, and give the entry that says so.

        `decide` is given the calls from a time on, and says what the new one may cost at most, or
        raises: nobody else begins a call meanwhile. Raises GateRefused.
        """
        with self._store.writing(self.bank) as view:
            call = decide(calls_of(view.asked(self.bank, stamp(since))))
            written = self._pen(view).write("asking", call.subject, call_body(call), actor)
        must_pass(written)
        return written.entry.seq

    def calls(self, since: datetime) -> tuple[ModelCall, ...]:
        """Give the calls of language models from a time on, in order."""
        with self._store.reading() as view:
            return calls_of(view.asked(self.bank, stamp(since)))

    def create_token(
        self,
        role: TokenRole | Role,
        name: str,
        expires: datetime | None,
        actor: Actor,
        *,
        setup: bool = False,
    ) -> tuple[str, TokenInfo]:
        """Give a new token's text, once. `setup`: the caller holds no token and no agent marker.

        Raises GateRefused.
        """
        at = self._clock()
        id, text = tokens.mint(self._random)
        body = tokens.token_body(_of_token(role), name, text, expires, actor, at)
        with self._store.writing(self.bank) as view:
            written = self._pen(view).write("token", id, body, actor, setup=setup)
        must_pass(written)
        return text, next(one for one in self.tokens() if one.id == id)

    def tokens(self) -> tuple[TokenInfo, ...]:
        """Give every token without its text."""
        with self._store.reading() as view:
            return tuple(tokens.info(row) for row in view.tokens(self.bank))

    def revoke_token(self, name_or_id: str, actor: Actor) -> TokenInfo:
        """End a token. Raises NotFound or GateRefused."""
        with self._store.writing(self.bank) as view:
            row = tokens.pick(view.tokens(self.bank), name_or_id)
            written = self._pen(view).write("revoke", row.id, tokens.revoked_body(row), actor)
        must_pass(written)
        return next(one for one in self.tokens() if one.id == row.id)

    def identify(self, token: str) -> Actor:
        """Give the actor whose token this is. Raises Refused, with the reason."""
        return self.bearer(token).actor

    def bearer(self, token: str) -> TokenInfo:
        """Give what is known of a valid token. Raises Refused, with the reason."""
        with self._store.reading() as view:
            rows = view.tokens(self.bank)
        return tokens.recognise(token, rows, self._clock())

    def erase(self, ref: str, why: str, actor: Actor) -> str:
        """Remove a record's content from every file for good; the chain still verifies.

        Raises GateRefused, and StoreBusy where a reader still holds a copy: call again to finish.
        """
        with self._store.writing(self.bank) as view:
            id, row = self._erasable(view, ref)
            body = {**why_body(why), "known_as": getattr(row, "known_as", "")}
            refusal = gate.judge(gate.Draft(self.bank, "erase", id, body, actor), True)
            written = self._pen(view).write("erase", id, body, actor) if row else None
        if written:
            must_pass(written)
        elif refusal:
            raise GateRefused(refusal)
        self._scrub(id, f"erase {id}")
        return id

    def _erasable(self, view: Reads, ref: str) -> tuple[str, Row | None]:
        if is_exhibit(ref.strip()) and view.exhibits_named(self.bank, ref.strip()):
            filed = resolve_exhibit(view, self.bank, ref)
            return filed.id, filed
        change = view.change(self.bank, ref.strip())
        if change is not None:
            return _ended(change).id, change
        try:
            row = naming.resolve(view, self.bank, ref)
        except NotFound:
            stone = view.tombstone(self.bank, ref.strip())
            if stone is None:
                raise
            return stone.id, None
        return row.id, row

    def told_in(self, id: str) -> tuple[str, ...]:
        """Give the tracked changes whose events still tell of a record, its lines included."""
        with self._store.reading() as view:
            return tuple(view.changes_telling(self.bank, id))

    def finish_erasing(self, command: str) -> None:
        """Remove what an erasure that was cut off may have left in old pages, index and vectors.

        Raises StoreBusy where a reader still holds a copy: call `command` again.
        """
        self._scrub("What an earlier call let go", command)

    def _scrub(self, what: str, command: str) -> None:
        try:
            self._store.scrub()
            self._index.forget(self.bank)
            if self._vectors:
                self._vectors.forget(self.bank)
        except (StoreBusy, StoreFull) as error:
            words = f"{what} is erased from every table, but old pages may still hold a copy"
            cure = "Make room on the disk" if isinstance(error, StoreFull) else _OTHERS
            raise halfway(error, words, f"{cure}, then `caselore {command}` again.") from error

    def ledger_verify(self, expected_head: str | None = None) -> Verification:
        """Check chain, payloads, every row and the file; name the first thing that is off."""
        try:
            with self._store.reading() as view:
                return verify(view, self.bank, expected_head)
        except StoreDamaged as error:
            return Verification(False, 0, "", Broken("the store", str(error)))

    def rebuild(self) -> int:
        """Derive every table and the text index from the ledger again; gives the entries read.

        Raises StoreDamaged where the ledger itself does not hold.
        """
        with self._store.writing(self.bank) as view:
            entries = derive(view, self.bank)
        self._index.rebuild(self.bank)
        return entries

    def index_rebuild(self) -> IndexStatus:
        """Derive the text index from the store again. Raises StoreBusy."""
        self._index.rebuild(self.bank)
        return self.index_status()

    def index_status(self) -> IndexStatus:
        """Say how far the text index is."""
        return self._index.status(self.bank)

    def vectors_status(self) -> VectorStatus | None:
        """Say how far the vectors are; none where this memory looks after none."""
        return self._vectors.status(self.bank) if self._vectors else None

    def vectors_behind(self) -> None:
        """Embed in a thread from now on what is written: for a process that stays."""
        if self._vectors:
            self._vectors.behind()

    def vectors_catch_up(
        self, progress: Callable[[int], None] | None = None, *, anew: bool = False
    ) -> None:
        """Embed what has no vector yet. Raises: Unavailable, StoreBusy; what was done is kept."""
        if self._vectors:
            self._vectors.catch_up(self.bank, progress, anew=anew)

    def ledger_show(self, subject: str | None = None) -> Iterator[Stored]:
        """Give the entries of the account in order, erased payloads as none."""
        with self._store.reading() as view:
            id = naming.reference(view, self.bank, subject) if subject else ""
            yield from view.entries(self.bank, id)


def _of_token(role: str) -> TokenRole:
    try:
        return TokenRole(role)
    except ValueError:
        known = ", ".join(one.value for one in TokenRole)
        raise BadInput(f"no token has the role {names.quoted(role)}: {known}") from None
