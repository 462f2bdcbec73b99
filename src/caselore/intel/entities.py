"""Knows competitors by all their names: aliases, tickers, domains, former and legal names.

Must not take a name for an alias because it is merely similar.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit

from caselore.guards.names import check_competitor
from caselore.intel.lexicon import pattern, words
from caselore.intel.pages import Page
from caselore.memory.evidence import key_of_name

_LEGAL = pattern("entities", "legal", re.IGNORECASE)
_GENERIC = words("entities", "generic")
_COMMON = words("entities", "common")


@dataclass(frozen=True, slots=True)
class Entity:
    """One competitor."""

    name: str
    names: tuple[str, ...]

    @property
    def key(self) -> str:
        """Give the key by which the store knows it."""
        return key_of_name(self.name)

    @property
    def slugs(self) -> frozenset[str]:
        """Give its names as they stand in addresses."""
        return frozenset(one for one in _all_slugs(self) if len(one) >= 3)


class Mention(NamedTuple):
    """Where a text names a competitor."""

    first: int
    last: int
    entity: Entity


def slug(text: str) -> str:
    """Give a name as it stands in an address: L'Oréal as loreal."""
    bare = unicodedata.normalize("NFKD", text).translate(_LETTERS).casefold()
    return re.sub(r"[^a-z0-9]", "", bare)


_DESK = pattern("entities", "desk", re.IGNORECASE)
_SPELT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_LETTERS = str.maketrans({"ø": "o", "Ø": "O", "ß": "ss", "æ": "ae", "Æ": "AE", "ł": "l", "Ł": "L"})


def make(name: str, aliases: Iterable[str] = ()) -> Entity:
    """Give a competitor with the names that follow from its own. Raises BadInput."""
    check_competitor(name)
    names = [name, *aliases]
    bare = _LEGAL.sub("", name).strip(" ,&")
    names.append(bare)
    brand = re.sub(r"\.(?:io|ai|com|app|co|net|dev|so|eu|tech|cloud)$", "", bare)
    if brand != bare and distinct(brand):
        names.append(brand)
    words = bare.split()
    if len(words) == 2 and words[1].lower() in _GENERIC and distinct(words[0]):
        names.append(words[0])
    family = re.sub(
        r"\s+(?:&|and)\s+(?:Sons|Co\.?|Company|Partners|Brothers|Bros\.?|Associates)$", "", bare
    )
    if family != bare and distinct(family.split()[0]):
        names.append(family)
    pair = re.fullmatch(r"([A-Z])[\w’'.-]+ (?:&|and) ([A-Z])[\w’'.-]+", bare)
    if (
        pair
        and pair[2] + pair[1] not in {"oC", "oc"}
        and bare.split()[-1].lower() not in {"co", "sons", "company"}
    ):
        names.append(f"{pair[1]}&{pair[2]}")
    if "&" in name:
        names += [one.replace(" & ", " and ") for one in (name, bare) if " & " in one]
    return Entity(name, tuple(dict.fromkeys(one for one in names if len(one) >= 2 or one == name)))


def distinct(word: str) -> bool:
    return len(word) >= 4 and word.lower() not in _COMMON and word[0].isupper()


@dataclass(frozen=True)
class Book:
    """All competitors that are watched."""

    entities: tuple[Entity, ...]
    pattern: re.Pattern[str] = field(init=False, repr=False)
    owner: Mapping[str, Entity] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Build the one pattern that finds them all, the longest name first."""
        owner: dict[str, Entity] = {}
        for entity in self.entities:
            for name in entity.names:
                for form in _forms(name):
                    owner.setdefault(form, entity)
        longest = sorted(owner, key=len, reverse=True)
        shapes = "|".join(_loose(one) for one in longest) or r"(?!)"
        object.__setattr__(self, "owner", {_norm(form): one for form, one in owner.items()})
        pattern = re.compile(rf"(?<![\w@/.])\$?(?:{shapes})(?![\w@]|\.\w)")
        object.__setattr__(self, "pattern", pattern)

    def mentions(self, text: str) -> Iterator[Mention]:
        """Give each place where a text names a competitor, in order."""
        for match in self.pattern.finditer(text):
            entity = self.owner.get(_norm(match.group().lstrip("$")))
            if entity:
                yield Mention(match.start(), match.end(), entity)

    def _names(self, page: Page, entity: Entity) -> bool:
        text = f"{page.title}\n{page.site}\n{page.text[:4_000]}"
        return any(one.entity is entity for one in self.mentions(text))

    def masked(self, text: str) -> str:
        """Blank the names in a text, sign for sign: a company called People says nothing of people."""
        for one in self.mentions(text):
            text = text[: one.first] + "X" * (one.last - one.first) + text[one.last :]
        return text

    def without(self, text: str) -> str:
        """Give a text with a blank in place of each name."""
        for one in reversed(list(self.mentions(text))):
            text = f"{text[: one.first]} {text[one.last :]}"
        return text

    def owner_of(self, page: Page) -> Entity | None:
        """Give the competitor that a page speaks for: by its site, else by the publisher it names."""
        own = self.site_of(page)
        if own is not None:
            return own
        published = page.facts.publisher
        said = {slug(published), slug(_DESK.sub("", published))}
        said = said | set(map(slug, page.host.split(".")[:-1])) - {""}
        found = next((one for one in self.entities if said & one.slugs), None)
        return found or (None if page.facts.publisher else self._named_site(page))

    def _named_site(self, page: Page) -> Entity | None:
        """Give whose site a page says it is of, in its title or address; a host must agree with it."""
        host = page.host or (urlsplit(page.canonical).hostname or "")
        labels = [slug(one) for one in _own_labels(host)]
        own = next((e for e in self.entities if any(_own_label(one, e) for one in labels)), None)
        if own is not None or not page.site:
            return own
        bare = _DESK.sub("", _LEGAL.sub("", page.site)).strip(" ,")
        first = (
            bare.split()[0]
            if len(bare.split()) == 2 and bare.split()[1].lower() in _GENERIC
            else bare
        )
        said = {slug(page.site), slug(bare), slug(first)} - {""}
        named = next((one for one in self.entities if said & _all_slugs(one)), None)
        if named is None or not host:
            return named
        starts = tuple(_all_slugs(named))
        return named if any(one.startswith(starts) for one in labels) else None

    def site_of(self, page: Page) -> Entity | None:
        """Give the competitor whose own site a page is on; of files without a site, whose folder."""
        labels = [slug(one) for one in _own_labels(page.host)] or [
            slug(one) for one in page.url.split("/")[:-1]
        ]
        for entity in self.entities:
            if any(_own_label(label, entity) for label in labels):
                return entity
            if any(_first_word(label, entity) for label in labels) and self._names(page, entity):
                return entity
        return None

    def by_name(self, name: str) -> Entity | None:
        """Give the competitor that a name means."""
        return self.owner.get(_norm(name)) or next(
            (
                one
                for one in self.entities
                if key_of_name(name) in {key_of_name(n) for n in one.names}
            ),
            None,
        )


_HOSTERS = frozenset(
    ["blogspot", "wordpress", "tumblr", "medium", "substack", "github", "gitlab", "netlify", "vercel", "wixsite", "weebly", "livejournal", "pages", "web", "herokuapp", "typepad", "ghost", "blogger"]
)  # fmt: skip


def _all_slugs(entity: Entity) -> frozenset[str]:
    return frozenset(
        found
        for one in entity.names
        for form in (one, one.translate(_SPELT))
        if (found := slug(form))
    )


def _own_labels(host: str) -> list[str]:
    """Give the parts of a host that say whose it is: not those that anybody can rent below another's."""
    labels = host.split(".")[:-1]
    if len(labels) > 1 and labels[-1] in {"co", "com", "org", "net", "ac", "gov"}:
        labels = labels[:-1]
    return [] if not labels or labels[-1] in _HOSTERS else labels[-1:]


def _own_label(label: str, entity: Entity) -> bool:
    """Say whether a host is a name, its beginning, or one with an addition such as hq, get or app."""
    slugs = entity.slugs
    if label in slugs:
        return True
    bare = re.sub(
        r"^(?:get|try|use|go|my|the|join|hello)"
        r"|(?:hq|app|apps|inc|corp|labs?|software|tech|group|global|online|official|io|ai|team|llc|ltd|gmbh)$",
        "",
        label,
    )
    if len(bare) >= 4 and bare in slugs:
        return True
    words = [slug(one) for one in entity.name.split()]
    cut = (
        len(words[0]) + 2
    )  # haldenbio is Halden Biosystems; halden alone is a name only if it is known as one
    return len(words) > 1 and len(label) >= max(5, cut) and slug(entity.name).startswith(label)


def _first_word(label: str, entity: Entity) -> bool:
    """Say whether a host is the telling first word of a longer name: omalley of O'Malley HR."""
    parts = entity.name.split()
    return len(parts) > 1 and distinct(parts[0]) and len(label) >= 5 and label == slug(parts[0])


def _forms(name: str) -> set[str]:
    forms = {name}
    if len(name) > 3 and any(char.islower() for char in name):
        forms |= {name.upper()}
    if len(name.split()) > 1 or (len(name) >= 5 and name.lower() not in _COMMON):
        forms |= {name.title(), name.lower()} if len(name.split()) > 1 else {name.capitalize()}
    return forms


def _norm(text: str) -> str:
    return " ".join(text.replace("’", "'").split())


def _loose(name: str) -> str:
    shape = re.escape(_norm(name)).replace(r"\ ", r"[\s\u00a0]+")
    return shape.replace("'", "['’]").replace(r"\'", "['’]")
