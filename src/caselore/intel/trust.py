"""Says how far a source is to be trusted, from an editable table.

Must not take a page's own word for it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from caselore.intel.entities import Book
from caselore.intel.pages import Page
from caselore.memory.evidence import TIERS, one_of

WEIGHT = {
    "primary": 6,
    "press": 5,
    "field": 4,
    "trade": 4,
    "aggregator": 2,
    "unknown": 2,
    "forum": 1,
}


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    text = resources.files("caselore.intel").joinpath("trust.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@dataclass(frozen=True)
class Trust:
    """The table of this installation: the one that ships, and over it a person's own."""

    own: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a tier that is none."""
        for tier in self.own.values():
            one_of("a source's tier", tier, TIERS)

    def tier(self, page: Page, book: Book) -> str:
        """Give a page's tier."""
        if page.private:
            return "field"
        if book.site_of(page) is not None:  # whose word a page claims to be is no proof
            return "primary"
        return self.of_host(page.host)

    def of_host(self, host: str) -> str:
        """Give a host's tier; a file without an address is as good as who gives it: field."""
        if not host:
            return "field"
        for name, tier in self.own.items():
            if host == name or host.endswith("." + name):
                return tier
        table = _table()
        for tier, row in table.items():
            if any(host == one or host.endswith("." + one) for one in row["hosts"]):
                return tier
        for tier in ("forum", "aggregator", "primary", "press", "trade"):
            words = "|".join(table[tier]["words"])
            if re.search(
                rf"(?:^|[^a-z])(?:{words})(?:[^a-z]|$)|(?:{words})(?:\.|-|$)|^(?:{words})", host
            ):
                return tier
        return "unknown"
