"""What each stage of a run is given, where that is more than one thing.

Must not do a stage's work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from caselore.intel.briefing import Before, Brief, Cited, compile_brief
from caselore.intel.dossier import Dossier
from caselore.intel.entities import Book
from caselore.intel.intake import Reported
from caselore.intel.pages import Page


class Found(NamedTuple):
    """Pages, and the names by which to tell whom they are of: for Research and Analyst."""

    pages: Sequence[Page]
    book: Book


class Analysed(NamedTuple):
    """Pages, and what they report: for Memory."""

    pages: Sequence[Page]
    said: Sequence[Reported]


class Telling(NamedTuple):
    """What is to be told, parted by what the last briefing said: for Writer."""

    topic: str
    competitors: tuple[str, ...]
    run: str
    until: str
    """The day that the run looks from."""
    since: str
    events: Sequence[Dossier]
    new: Sequence[Dossier]
    changed: Sequence[Dossier]
    standing: Sequence[Dossier]
    book: Book
    before: Before

    def brief(
        self,
        new: Sequence[Cited] = (),
        changed: Sequence[Cited] = (),
        standing: Sequence[Cited] = (),
        left_out: Sequence[tuple[str, str]] = (),
        **more: Any,
    ) -> Brief:
        """Compile a briefing of what is cited; of nothing, one that says nothing."""
        return compile_brief(
            self.topic, self.competitors, self.run, self.until, self.since, new, changed, standing,
            left_out, self.before, **more,
        )  # fmt: skip
