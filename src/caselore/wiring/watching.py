"""Opens what intelligence is read from: folders, pages, feeds, searches; and runs on a schedule.

Must not hold policy: it reads the [intel] table and hands on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from caselore.errors import Unavailable, WrongUse
from caselore.settings import nearest, passed_on

if TYPE_CHECKING:
    from caselore.intel.collect.folder import Brought
    from caselore.intel.collect.search import SearchProvider
    from caselore.intel.run import Ran, Source
    from caselore.intel.stages import Budget
    from caselore.jobs.ports import Every, Job, Jobs
    from caselore.memory.api import Memory

KIND = "intel.run"
SEARCH = "search"
_PROVIDERS = ("searxng", "brave", "tavily", "folder")
_WATCH = ("topic", "competitors", "sources", "every", "offset", "catch_up")
_SPAN = re.compile(r"(\d{1,4})([hdw])")
_UNIT = {"h": "hours", "d": "days", "w": "weeks"}
Table = Mapping[str, Any]


@dataclass(frozen=True)
class Sources:
    """The sources of one application's runs."""

    table: Table
    """The [intel] table."""
    memory: Callable[[], Memory]

    @property
    def standing(self) -> tuple[str, ...]:
        """Give the sources of runs that name none."""
        return tuple(str(one) for one in self.table.get("sources", ()))

    def opened(
        self,
        name: str,
        about: tuple[str, tuple[str, ...]],
        now: datetime,
        as_of: datetime | None,
    ) -> tuple[tuple[str, Source], ...]:
        """Give what opens a source; of a search one opener for each query. Raises WrongUse.

        `about`: the topic of the run, and its competitors.
        """
        if name == SEARCH or name.startswith(f"{SEARCH}:"):
            from caselore.intel.collect.search import queries  # noqa: PLC0415

            words = name.partition(":")[2].strip()
            asked = (words,) if words else tuple(queries(*about))[: self._most("queries", 20)]
            provider = self.provider(as_of)
            return tuple(
                (f"{SEARCH}: {one}", self._searching(provider, one, now)) for one in asked
            )
        if name.startswith(("http://", "https://")):
            return ((name, lambda: self._fetched(name, now)),)
        from caselore.intel.collect.folder import read_folder  # noqa: PLC0415

        return ((name, lambda: read_folder(Path(name).expanduser(), as_of)),)

    def provider(self, as_of: datetime | None = None) -> SearchProvider:
        """Give the search provider that the settings name. Raises: WrongUse, Unavailable."""
        from caselore.intel.collect import search  # noqa: PLC0415

        table = self._search
        chosen = str(table.get("provider", ""))
        if chosen not in _PROVIDERS:
            raise WrongUse(
                f"[intel.search] provider is {chosen!r}.", hint=f"Known: {', '.join(_PROVIDERS)}."
            )
        address = str(table.get("address", ""))
        if chosen == "folder":
            return search.FolderSearch(Path(address).expanduser(), as_of)
        if chosen == "searxng":
            if not address:
                raise WrongUse("[intel.search] of SearXNG needs its address.", hint="")
            return search.Searxng(address)
        kept = str(table.get("key_env", f"{chosen.upper()}_API_KEY"))
        key = passed_on([kept]).get(kept, "")
        if not key:
            raise Unavailable(f"The search of {chosen} needs a key.", hint=f"Set {kept}.")
        made = search.Brave if chosen == "brave" else search.Tavily
        return made(key, address) if address else made(key)

    def _searching(self, provider: SearchProvider, query: str, now: datetime) -> Source:
        from caselore.errors import CaseloreError  # noqa: PLC0415
        from caselore.intel.collect.folder import Brought  # noqa: PLC0415

        def open_() -> Brought:
            pages: list[Any] = []
            left: list[tuple[str, str]] = []
            for hit in provider.search(query, self._most("results", 10)):
                try:
                    found = provider.opened(hit, lambda url: self._fetched(url, now))
                except CaseloreError as error:  # one bad hit must not cost the others
                    left.append((hit.url, str(error)))
                    continue
                pages += found.pages
                left += found.left_out
            return Brought(tuple(pages), tuple(left))

        return open_

    def _fetched(self, url: str, now: datetime) -> Brought:
        from caselore.intel.collect.web import fetched  # noqa: PLC0415

        return fetched(url, self.memory(), now, self._limits)

    @cached_property
    def _limits(self) -> Any:
        from caselore.intel.collect.web import Limits  # noqa: PLC0415

        return Limits(private=bool(self.table.get("allow_private", False)))

    @property
    def budget(self) -> Budget:
        """Give what one run may use. Raises WrongUse."""
        from caselore.intel.stages import Budget  # noqa: PLC0415

        table, known = self.table.get("budget", {}), ("pages", "steps")
        for name, value in table.items():
            if name not in known:
                raise WrongUse(f"[intel.budget] has no {name!r}.", hint=nearest(name, known))
            if type(value) is not int or value < 1:
                raise WrongUse(f"[intel.budget] {name} must be a whole number from 1 on.")
        return Budget(**table)

    @property
    def _search(self) -> Table:
        found: Table = self.table.get("search", {})
        known = ("provider", "address", "key_env", "results", "queries")
        for name in found:
            if name not in known:
                raise WrongUse(f"[intel.search] has no {name!r}.", hint=nearest(name, known))
        return found

    def _most(self, name: str, default: int) -> int:
        value = self._search.get(name, default)
        if type(value) is not int or not 1 <= value <= 50:
            raise WrongUse(f"[intel.search] {name} must be a whole number from 1 to 50.")
        return value


class Runs(Protocol):
    """What runs a watch."""

    def __call__(
        self, topic: str, competitors: tuple[str, ...], sources: tuple[str, ...]
    ) -> Ran: ...


@dataclass(frozen=True)
class Watch:
    """One entry of [intel.watch.NAME]: what is run, and how often."""

    name: str
    topic: str
    competitors: tuple[str, ...]
    sources: tuple[str, ...]
    schedule: Every
    catch_up: int

    def to_json(self) -> dict[str, Any]:
        """Give it as plain JSON values."""
        return {
            "watch": self.name, "topic": self.topic, "competitors": list(self.competitors),
            "sources": list(self.sources),
            "every_hours": self.schedule.period.total_seconds() / 3600,
        }  # fmt: skip


def watches(table: Table) -> Iterator[Watch]:
    """Read the schedule of the settings. Raises WrongUse."""
    from caselore.jobs.ports import Every  # noqa: PLC0415

    for name, one in table.get("watch", {}).items():
        for key in one:
            if key not in _WATCH:
                raise WrongUse(f"[intel.watch.{name}] has no {key!r}.", hint=nearest(key, _WATCH))
        if not one.get("competitors"):
            raise WrongUse(f"[intel.watch.{name}] names no competitors.", hint="")
        yield Watch(
            name, str(one.get("topic", name)), tuple(one["competitors"]),
            tuple(one.get("sources", ())),
            Every(_span(name, one.get("every", "1w")), _span(name, one.get("offset", "0h"))),
            int(one.get("catch_up", 1)),
        )  # fmt: skip


def _span(name: str, text: Any) -> timedelta:
    match = _SPAN.fullmatch(str(text))
    if not match:
        raise WrongUse(
            f"[intel.watch.{name}]: {text!r} is no span of time.", hint="Like 12h, 1d or 1w."
        )
    return timedelta(**{_UNIT[match[2]]: int(match[1])})


def register(jobs: Jobs, table: Table, run: Runs) -> tuple[Watch, ...]:
    """Let each watch be run when it is due, and once for those times that were missed.

    A run that fails whole is tried again; one that is done twice adds nothing the second time.
    """
    found = {one.name: one for one in watches(table)}

    def act(job: Job) -> None:
        one = found.get(str(job.about.get("watch")))
        if one is None:
            return  # it is watched no longer
        ran = run(one.topic, one.competitors, one.sources)
        if ran.status == "failed":
            why = "; ".join(str(line["why"]) for line in ran.audit if line["state"] == "failed")
            raise Unavailable(f"the run of {one.name} failed: {why}", hint="")

    jobs.handle(KIND, act)
    for one in found.values():
        jobs.every(
            f"intel:{one.name}", KIND, one.schedule, {"watch": one.name}, catch_up=one.catch_up
        )
    return tuple(found.values())
