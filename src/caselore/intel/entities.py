"""Knows competitors by all their names: aliases, tickers, domains, former and legal names.

Must not take a name for an alias because it is merely similar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from caselore.guards.names import check_competitor
from caselore.intel.lexicon import pattern, words
from caselore.intel.pages import Page
from caselore.memory.evidence import key_of_name

_LEGAL = pattern("entities", "legal", re.IGNORECASE)
_GENERIC = words("entities", "generic")
_COMMON = words("entities", "common")
_NAME = r"[A-Z0-9][\w&'’.+!/-]*(?:\s+(?:&\s+)?[A-Z0-9][\w&'’.+!/-]*){0,4}"
_AFTER = (
    rf"\s*\(\s*(?:formerly|previously|f/?k/?a|née|fka)(?: known as| called| named)?\s+[\"“']?(?P<a>{_NAME})",
    rf",?\s+(?:formerly|previously|once|originally)\s+(?:known as|called|named|branded as|operating as)?\s*[\"“']?(?P<a>{_NAME})",
    r"\s*\([^)]{0,40}?(?:NASDAQ|NYSE(?: American| Arca)?|LSE|LON|FRA|XETRA|ETR|TSX|ASX|EPA|Euronext|HKEX|SIX|TYO|BME|OTC\w*|AMEX|Nasdaq|ticker(?: symbol)?)\s*:?\s*(?P<a>[A-Z0-9][A-Z0-9.]{0,6})\b",
    rf"\s*\((?:[\"“'](?P<a>{_NAME})[\"”'])(?:\s*(?:or|and)\s*(?:the\s*)?[\"“'](?:the )?Company[\"”'])?\s*\)",
    rf"\s*\((?:a/?k/?a|also known as|known as|trading as|t/a|d/?b/?a|short[: ]|ticker[: ])\s*[\"“']?(?P<a>{_NAME})",
    rf",?\s+(?:also known as|better known as|doing business as|trading as|which trades as|known as|operating as|d/b/a|a/k/a|aka)\s+[\"“']?(?P<a>{_NAME})",
    rf"\s+(?:has |is )?(?:rebrand(?:s|ed|ing)?|renam(?:es|ed|ing)(?: itself)?|chang(?:es|ed|ing) its name)\s+(?:itself\s+)?(?:as|to|from)\s+[\"“']?(?P<a>{_NAME})",
    rf"\s+(?:is now|becomes|will now be|is now called|is the new name of|is the trading name of|is the legal name of|is the brand name of|is a trading name of|is the brand of|is short for|was (?:formerly |previously |once )?(?:called|known as|named))\s+(?:called |known as )?[\"“']?(?P<a>{_NAME})(?=[\s,.;)\"”']|$)",
    r"\s+(?:trades|listed|is listed|quoted)[^.]{0,40}?\b(?:under|as)\s+(?:the\s+)?(?:ticker|symbol)?\s*(?:symbol\s*)?[\"“']?(?P<a>[A-Z]{2,6})\b",
)  # fmt: skip
_BEFORE = (
    rf"(?P<a>{_NAME})\s+(?:has |is )?(?:rebrand(?:s|ed|ing)?|renam(?:es|ed|ing)(?: itself)?|chang(?:es|ed|ing) its name)\s+(?:itself\s+)?(?:as|to)\s+[\"“']?$",
    rf"(?P<a>{_NAME})\s+(?:is now|is now called|is now known as|becomes|was renamed|has become)\s+[\"“']?$",
    rf"(?P<a>{_NAME})\s*\(\s*(?:now|today)(?: known as| called)?\s+[\"“']?$",
    rf"(?P<a>{_NAME}),?\s+(?:now(?: known as| called)?|today(?: known as)?|the brand of|the trading name of|a trading name of|a brand of|the company now known as)\s+[\"“']?$",
)


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
        return frozenset(slug for one in self.names if len(slug := _slug(one)) >= 3)


class Mention(NamedTuple):
    """Where a text names a competitor."""

    first: int
    last: int
    entity: Entity


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.casefold())


def make(name: str, aliases: Iterable[str] = ()) -> Entity:
    """Give a competitor with the names that follow from its own. Raises BadInput."""
    check_competitor(name)
    names = [name, *aliases]
    bare = _LEGAL.sub("", name).strip(" ,")
    names.append(bare)
    words = bare.split()
    if len(words) == 2 and words[1].lower() in _GENERIC and _distinct(words[0]):
        names.append(words[0])
    family = re.sub(
        r"\s+(?:&|and)\s+(?:Sons|Co\.?|Company|Partners|Brothers|Bros\.?|Associates)$", "", bare
    )
    if family != bare and _distinct(family.split()[0]):
        names.append(family)
    if "&" in name:
        names += [one.replace(" & ", " and ") for one in (name, bare) if " & " in one]
    return Entity(name, tuple(dict.fromkeys(one for one in names if len(one) >= 2 or one == name)))


def _distinct(word: str) -> bool:
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

    def owner_of(self, page: Page) -> Entity | None:
        """Give the competitor whose own site a page is on."""
        labels = [_slug(one) for one in page.host.split(".")[:-1]] or [_slug(page.host)]
        for entity in self.entities:
            slugs = entity.slugs
            if any(_own_label(label, slugs) for label in labels):
                return entity
            if page.facts.publisher and _slug(page.facts.publisher) in slugs:
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


def _own_label(label: str, slugs: frozenset[str]) -> bool:
    """Say whether a part of a host is a name, or one with an addition such as hq, get or app."""
    if label in slugs:
        return True
    bare = re.sub(
        r"^(?:get|try|use|go|my|the|join)|(?:hq|app|inc|corp|labs?|software|tech|group|global|io|ai)$",
        "",
        label,
    )
    return len(bare) >= 4 and bare in slugs


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


def learn(entities: Iterable[Entity], pages: Iterable[Page]) -> tuple[Entity, ...]:
    """Give the competitors with the further names that pages give them, twice over.

    A name that a page gives to two of them is given to neither.
    """
    known = tuple(entities)
    kept = list(pages)
    for _ in range(2):
        found = _found(known, kept)
        taken = {key_of_name(name) for one in known for name in one.names}
        added: dict[str, dict[str, None]] = {}
        for entity, alias in found:
            owners = {one.name for one, other in found if other == alias}
            if key_of_name(alias) not in taken and len(owners) == 1 and _sound_alias(alias):
                added.setdefault(entity.name, {})[alias] = None
        known = tuple(make(one.name, (*one.names[1:], *added.get(one.name, ()))) for one in known)
    return known


def _found(known: tuple[Entity, ...], pages: list[Page]) -> list[tuple[Entity, str]]:
    book = Book(known)
    found = []
    for page in pages:
        found += _short_forms(book, page)
        found += [*_structured(book, page), *_of_the_owner(book, page)]
        for mention in book.mentions(page.text):
            rest = page.text[mention.last : mention.last + 160].split("\n")[0]
            head = page.text[max(0, mention.first - 120) : mention.first].split("\n")[-1]
            found += [(mention.entity, name) for name in _beside(rest, head)]
    return found


def _short_forms(book: Book, page: Page) -> list[tuple[Entity, str]]:
    """Give the first word of a name by which a page goes on once it gave the whole name."""
    found = []
    for entity in book.entities:
        words = entity.name.split()
        first = words[0].strip(",.")
        if (
            len(words) > 1
            and words[1] != "&"
            and _distinct(first)
            and len(first) >= 5
            and entity.name in page.text
        ):
            rest = page.text.replace(entity.name, " ")
            if re.search(rf"(?<![\w-]){re.escape(first)}(?:['’]s)?(?=[ ,.](?![A-Z]))", rest):
                found.append((entity, first))
    return found


_OWN = re.compile(
    r"\b(?i:it|we|the company|the firm|the business)\s+(?:was|were|is|are|has been)\s+(?:also |still |better )?"
    r"(?:formerly|previously|once|originally|until [\w ]{1,20}|also)?\s*(?:known as|called|named|renamed from|rebranded from|listed as|traded as)\s+[\"“']?(?P<a>"
    + _NAME
    + ")"
)


def _of_the_owner(book: Book, page: Page) -> Iterator[tuple[Entity, str]]:
    """Give the names that a page gives to whom it is about, without repeating its name."""
    owner = book.owner_of(page) or next((one.entity for one in book.mentions(page.title)), None)
    for match in _OWN.finditer(page.text) if owner else ():
        name = match["a"].strip(" .,'’\"”")
        if owner and name[:1].isupper():
            yield owner, name


def _structured(book: Book, page: Page) -> Iterator[tuple[Entity, str]]:
    for names in page.facts.names:
        owner = next((one for name in names if (one := book.by_name(name))), None)
        if owner:
            yield from ((owner, name) for name in names)


def _beside(rest: str, head: str) -> Iterator[str]:
    rest = re.sub(r"^,?\s+(?:Inc|Corp|Ltd|LLC|GmbH|AG|plc)\.?(?=[\s,(])", "", rest)
    for shape in _AFTER:
        match = re.match(shape, rest)
        if match:
            yield match["a"].strip(" .,'’\"”")
    for shape in _BEFORE:
        match = re.search(shape, head)
        if match:
            yield match["a"].strip(" .,'’\"”")


_NO_ALIAS = frozenset(
    [
        "the",
        "a",
        "an",
        "it",
        "its",
        "they",
        "we",
        "this",
        "that",
        "company",
        "inc",
        "ceo",
        "cto",
        "ai",
        "api",
        "available",
        "open",
        "live",
        "part",
        "one",
        "number",
        "generally",
        "free",
        "public",
        "q1",
        "q2",
        "q3",
        "q4",
        "leader",
        "owner",
    ]
)


def _sound_alias(alias: str) -> bool:
    words = alias.lower().split()
    if not words or words[0] in _NO_ALIAS or len(alias) < 2 or len(alias) > 60:
        return False
    return any(char.isalpha() for char in alias)


_OWN_PART = re.compile(
    r"/(?:pricing|prices?|plans|careers|jobs|press|changelog|releases?|about)\b", re.IGNORECASE
)


def owners(pages: Iterable[Page]) -> tuple[str, ...]:
    """Name the companies whose own sites are among pages: those with prices, jobs or a press room."""
    kept = list(pages)
    slugs = {page.host.split(".")[0] for page in kept if page.host and _OWN_PART.search(page.url)}
    counts: dict[str, dict[str, int]] = {}
    for page in kept:
        for match in re.finditer(_NAME, page.text):
            words = match.group().split()
            for size in range(1, len(words) + 1):
                name = " ".join(words[:size]).strip(" .,'’")
                name = re.sub(r"['’]s$", "", name)
                if _slug(name) in slugs:
                    forms = counts.setdefault(_slug(name), {})
                    forms[name] = forms.get(name, 0) + 1
    return tuple(
        max(forms, key=lambda name: (forms[name], name)) for _, forms in sorted(counts.items())
    )
