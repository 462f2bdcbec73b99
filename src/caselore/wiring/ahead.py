"""Lets other processes screen and sign the texts of an import's coming rows.

Must not change what is stored: an answer that does not come is worked out here instead.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import IO, Any

from caselore.incidents import ingest
from caselore.memory.closed import READ, Screen, Sign
from caselore.memory.records import Signed

BLOCK = 1_000  # rows whose texts are sent together
FEW = 500  # rows that are given on at once before that
BEGIN = 500  # texts signed here before processes are started, if enough rows are left
HERE = 2  # blocks that are screened and signed here meanwhile
MOST = 4  # processes
KEPT = 4  # blocks whose answers are held: those of one transaction, and of what was read ahead
LONGEST = 20_000  # characters of a text that is sent; a longer one is read here
HEAVY = 4_000_000  # characters of errors after which a block ends
NOTES = 1_000_000  # characters of other texts of a block that are sent; more is screened here
TEXTS = frozenset({"root_cause", "resolution", "title", "why_failed"})

Screened = tuple[str, tuple[str, ...]]
Rows = list[tuple[int, Any]]


def processes() -> int:
    """Give how many processes help; none where there is a single processor."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(there or 1, MOST) if (there or 1) > 1 else 0


class Worker:
    """One process, asked one thing at a time."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        """Start it, and tell it how to sign."""
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "caselore.wiring.apart"],  # -P: no module of the folder
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self.send(told)

    def send(self, message: Any) -> bool:
        """Hand something over; False where the process is gone."""
        try:
            _open(self._process.stdin).write(json.dumps(message, default=str) + "\n")
            _open(self._process.stdin).flush()
        except OSError:
            return False
        return True

    def answer(self) -> Mapping[str, list[Any]]:
        """Wait for the answer; nothing where the process is gone."""
        line = _open(self._process.stdout).readline()
        found: Mapping[str, list[Any]] = json.loads(line) if line.endswith("\n") else {}
        return found

    def end(self) -> None:
        """Let it end; what it still works on is of no use."""
        self._process.kill()
        self._process.communicate()


def _open(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


class Ahead:
    """Gives rows on in order, their texts screened and signed meanwhile."""

    def __init__(
        self, sign: Sign, told: Mapping[str, Any], most: int, begin: int = BEGIN, here: int = HERE
    ) -> None:
        """Prepare; `told` is what a process must know to sign as `sign` does."""
        self._compute = sign
        self._sign = ingest.once(self._signed_here)
        self._screen: Screen = ingest.once(ingest.screen)
        self._told, self._most, self._begin, self._here = told, most, begin, here
        self._workers: list[Worker] = []
        self._answers: deque[tuple[dict[str, Screened], dict[str, Signed]]] = deque(maxlen=KEPT)
        self._screened: dict[str, Screened] = {}
        self._signed: dict[str, Signed] = {}
        self._done_here = self._given = self._asked = self._wanted = 0
        self._signing = True

    def __enter__(self) -> Ahead:
        """Start nothing yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """End every process."""
        for worker in self._workers:
            worker.end()

    def screen(self, text: str) -> Screened:
        """Give a text without its secrets, and what a guard found in it."""
        self._asked += 1
        found = self._screened.get(text)
        return self._screen(text) if found is None else found

    def sign(self, text: str) -> Signed:
        """Give the identity of an error."""
        self._wanted += 1
        found = self._signed.get(text)
        return self._sign(text) if found is None else found

    def _signed_here(self, text: str) -> Signed:
        self._done_here += 1
        return self._compute(text)

    def rows(self, rows: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
        """Give every row on, in order; once many were signed here, blocks are sent ahead."""
        source = iter(rows)
        while self._done_here < self._begin or not self._most:
            block = list(islice(source, FEW))
            if not block:
                return
            yield from block
        blocks = _Blocks(source)
        yield from self._sent_ahead(blocks)
        blocks.end()

    def _begin_work(self) -> None:
        """Start the processes, as many as there can be."""
        try:
            for _ in range(self._most):
                self._workers.append(Worker(self._told))
        except OSError:
            self._most = len(self._workers)  # no more can be started here

    def _sent_ahead(self, blocks: _Blocks) -> Iterator[tuple[int, Any]]:
        here = [blocks.next() for _ in range(self._here)]  # they are done while processes start
        waiting = self._begun(blocks)
        for block in here:
            yield from block
        turn = 0
        while waiting:
            block, collect = waiting.popleft()
            collect()
            more = blocks.next()
            if more and self._workers:
                waiting.append(self._ask(self._workers[turn % self._most], more))
            elif more:
                waiting.append((more, _nothing))
            turn += 1
            yield from block
            self._given += len(block)
            self._learn()

    def _begun(self, blocks: _Blocks) -> deque[tuple[Rows, Callable[[], None]]]:
        """Start the processes where enough rows are left, and ask each for a block."""
        first = blocks.next()
        if first:
            self._begin_work()
        waiting = deque([(first, _nothing)] if first and not self._workers else [])
        for worker in self._workers:
            waiting.append(self._ask(worker, first or blocks.next()))
            first = []
        return waiting

    def _learn(self) -> None:
        """See whether rows are new: what is known here is not signed again.

        Rows that were given but not yet read say nothing.
        """
        if self._asked:
            self._signing = 2 * self._wanted >= self._given
            self._given = self._wanted = self._asked = 0

    def _ask(self, worker: Worker, block: Rows) -> tuple[Rows, Callable[[], None]]:
        errors, texts = _texts_of(block)
        texts -= self._screened.keys()
        errors -= self._signed.keys() & self._screened.keys()
        if not self._signing:
            texts, errors = texts | (errors - self._screened.keys()), set()
        asked = {"texts": _light(texts - errors), "errors": sorted(errors)}
        sent = any(asked.values()) and worker.send(asked)
        return block, (lambda: self._take(asked, worker.answer())) if sent else (lambda: None)

    def _take(self, asked: Mapping[str, Sequence[str]], found: Mapping[str, list[Any]]) -> None:
        """Hold the answers for the rows to come, and let the oldest go."""
        screened, signed = dict[str, Screened](), dict[str, Signed]()
        for kind in ("texts", "errors"):
            for text, one in zip(asked[kind], found.get(kind, ()), strict=False):
                if one:
                    masked = text if one[0] is None else one[0]
                    screened[text] = masked, tuple(one[1])
                    if kind == "errors":
                        signed[masked] = Signed(*one[2])
        self._answers.append((screened, signed))
        self._screened = {text: one for held, _ in self._answers for text, one in held.items()}
        self._signed = {text: one for _, held in self._answers for text, one in held.items()}


def _nothing() -> None:
    """Collect no answer: nobody was asked."""


class _Blocks:
    """Reads rows in blocks; what goes wrong in reading is told after the rows before it."""

    def __init__(self, source: Iterator[tuple[int, Any]]) -> None:
        self._source = source
        self._error: Exception | None = None

    def next(self) -> Rows:
        block: Rows = []
        held = 0
        try:
            while self._error is None and len(block) < BLOCK and held < HEAVY:
                block.append(next(self._source))
                held += sum(map(len, _errors(block[-1:])))
        except StopIteration:
            pass
        except Exception as error:  # noqa: BLE001 - told by `end`
            self._error = error
        return block

    def end(self) -> None:
        if self._error is not None:
            raise self._error


def _texts_of(block: Rows) -> tuple[set[str], set[str]]:
    """Give the errors of closed incidents, and what else of them is screened."""
    texts = {
        one
        for _, row in block
        if _closed(row)
        for name in row
        if (name in TEXTS or name not in READ)
        and isinstance(one := row[name], str)
        and 0 < len(one) <= LONGEST
    }
    return {one for one in _errors(block) if len(one) <= LONGEST}, texts


def _light(texts: set[str]) -> list[str]:
    """Give the shortest texts, so many as may be sent: every answer holds its text twice."""
    weights = accumulate(map(len, shortest := sorted(texts, key=len)))
    return [text for text, weight in zip(shortest, weights, strict=True) if weight <= NOTES]


def _errors(rows: Rows) -> Iterator[str]:
    for _, row in rows:
        error = row.get("error") if _closed(row) else None
        if isinstance(error, str):
            yield error


def _closed(row: Any) -> bool:
    """Say whether a row is a closed incident, and no line of an export."""
    return isinstance(row, dict) and "caselore" not in row
