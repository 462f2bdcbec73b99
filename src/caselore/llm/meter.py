"""Keeps every question to a model within its limits, asks again where that helps, and accounts.

Must not look into prompts or answers, read a clock by itself, or have a value for "unlimited".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from caselore.errors import ModelBusy, ModelGarbled, ModelLimit, ModelUnavailable
from caselore.llm.ports import NOTHING, Answer, Budget, Model, Prompt, Schema

CHARACTERS_A_TOKEN = 3  # few for English, so that a prompt is rather held to be too long
ROOM = 400  # tokens that an answer needs at least
TRIES = 3
LONGEST_WAIT = 20.0  # seconds between two tries, whatever a provider asks for
FIRST_WAIT = 0.5


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be spent on one call, on one subject, and on one day (UTC) of one bank."""

    call: Budget
    subject: Budget
    day: Budget


DEFAULTS = Limits(
    call=Budget(seconds=60, tokens=16_000, dollars=0.25),
    subject=Budget(seconds=120, tokens=40_000, dollars=0.50),
    day=Budget(seconds=7_200, tokens=2_000_000, dollars=10.0),
)


@dataclass(frozen=True, slots=True)
class Call:
    """One call as the account keeps it: the prompt's hash, never its text."""

    model: str
    prompt: str
    hash: str
    result: str
    """`answered`, or the code of the error."""
    read: int
    written: int
    dollars: float | None
    seconds: float


UNFINISHED = "unfinished"


class Book(Protocol):
    """The account of a bank, which outlives this process and is shared by several."""

    def open(self, decide: Callable[[Budget], Call]) -> int:
        """Note a call before it is made, and give the note's number.

        `decide` is given what was spent today and what open calls may still cost; what it raises
        leaves nothing noted.
        """

    def close(self, opened: int, call: Call) -> None:
        """Note how a call ended; from then on it counts as that."""


def quiet(_: str) -> None:
    """Tell nobody."""


@dataclass
class Meter:
    """A model within limits, for one subject: itself a model."""

    model: Model
    limits: Limits
    book: Book
    clock: Callable[[], float]
    """Seconds that only grow."""
    wait: Callable[[float], None]
    tell: Callable[[str], None] = quiet
    """Is told how far the call is; never what was asked or answered."""
    spent: Budget = NOTHING

    @property
    def name(self) -> str:
        """Give the model's name."""
        return self.model.name

    def ask(self, prompt: Prompt, schema: Schema, budget: Budget) -> Answer:
        """Ask within what is left of every limit. Raises: ModelLimit before anything is paid."""
        for attempt in range(1, TRIES + 1):
            opened, left = self._open(prompt, schema, budget)
            again = f", try {attempt} of {TRIES}" if attempt > 1 else ""
            self.tell(f"asking {self.name} ({prompt.name}{again}), {left.seconds:.0f} s at most")
            try:
                return self._once(prompt, schema, left, opened)
            except ModelBusy as error:
                wait = min(error.after or FIRST_WAIT * 2**attempt, LONGEST_WAIT)
                own = budget.within(self.limits.call).within(self.limits.subject.less(self.spent))
                if attempt == TRIES or wait >= own.seconds:
                    raise
                self.tell(f"{self.name} is busy; waiting {wait:.0f} s")
                self.wait(wait)
                self.spent = self.spent.plus(Budget(wait, 0, 0))
        raise AssertionError("the last try returns or raises")

    def _open(self, prompt: Prompt, schema: Schema, budget: Budget) -> tuple[int, Budget]:
        """Set aside what a call may cost. Raises: ModelLimit."""
        lefts: list[Budget] = []

        def decide(today: Budget) -> Call:
            left = self._left(prompt, budget, today)
            lefts.append(left)
            read = prompt.size // CHARACTERS_A_TOKEN
            most = Answer({}, self.name, read, left.tokens - read, left.dollars, left.seconds)
            return self._call(prompt, schema, UNFINISHED, most)

        opened = self.book.open(decide)
        return opened, lefts[-1]

    def _left(self, prompt: Prompt, budget: Budget, today: Budget) -> Budget:
        """Give what a call may cost. Raises: ModelLimit."""
        call = budget.within(self.limits.call)
        subject = self.limits.subject.less(self.spent)
        day = self.limits.day.less(today)
        for whose, left in (("this call", call), ("this incident", subject), ("today", day)):
            if left.gone:
                raise ModelLimit(f"The model's {left.gone} for {whose} are used up.")
        left = call.within(subject).within(day)
        needed = prompt.size // CHARACTERS_A_TOKEN + ROOM
        if needed > left.tokens:
            raise ModelLimit(
                f"The prompt needs about {needed} tokens, and {left.tokens} are left to spend."
            )
        return left

    def _once(self, prompt: Prompt, schema: Schema, left: Budget, opened: int) -> Answer:
        began = self.clock()
        try:
            answer = self.model.ask(prompt, schema, left)
        except ModelUnavailable as error:
            # a garbled answer was paid for, though nobody says how dearly
            read = prompt.size // CHARACTERS_A_TOKEN if isinstance(error, ModelGarbled) else 0
            took = self.clock() - began
            failed = Answer({}, self.name, read, 0, None, took)
            self._close(opened, self._call(prompt, schema, error.code, failed), failed)
            raise
        self._close(opened, self._call(prompt, schema, "answered", answer), answer)
        return answer

    def _close(self, opened: int, call: Call, answer: Answer) -> None:
        self.spent = self.spent.plus(answer.spent)
        self.book.close(opened, call)
        said = "answered" if call.result == "answered" else f"gave nothing ({call.result})"
        self.tell(f"{self.name} {said} after {call.seconds:.1f} s; checking")

    def _call(self, prompt: Prompt, schema: Schema, result: str, answer: Answer) -> Call:
        return Call(
            model=answer.model,
            prompt=prompt.name,
            hash=prompt.hash(schema),
            result=result,
            read=answer.read,
            written=answer.written,
            dollars=answer.dollars,
            seconds=answer.seconds,
        )
