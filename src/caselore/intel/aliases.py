"""Learns the further names of competitors from pages: short forms, tickers, former and legal names.

Must not give one name to two competitors, nor take a name for an alias because it is merely similar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from caselore.intel.entities import Book, Entity, distinct, make, slug
from caselore.intel.lexicon import words
from caselore.intel.pages import Page
from caselore.memory.evidence import key_of_name

NAME = r"[A-Z0-9][\w&'’.+!/-]*(?:\s+(?:&\s+)?[A-Z0-9][\w&'’.+!/-]*){0,4}"
_AFTER = (
    rf"\s*\(\s*(?:formerly|previously|f/?k/?a|née|fka)(?: known as| called| named)?\s+[\"“']?(?P<a>{NAME})",
    rf",?\s+(?:formerly|previously|once|originally)\s+(?:known as|called|named|branded as|operating as)?\s*[\"“']?(?P<a>{NAME})",
    r"\s*\([^)]{0,40}?(?:NASDAQ|NYSE(?: American| Arca)?|LSE|LON|FRA|XETRA|ETR|TSX|ASX|EPA|Euronext|HKEX|SIX|TYO|BME|OTC\w*|AMEX|Nasdaq|ticker(?: symbol)?)\s*:?\s*(?P<a>[A-Z0-9][A-Z0-9.]{0,6})\b",
    rf"\s*\((?:[\"“'](?P<a>{NAME})[\"”'])(?:\s*(?:or|and)\s*(?:the\s*)?[\"“'](?:the )?Company[\"”'])?\s*\)",
    rf"\s*\((?:a/?k/?a|also known as|known as|trading as|t/a|d/?b/?a|short[: ]|ticker[: ])\s*[\"“']?(?P<a>{NAME})",
    rf",?\s+(?:also known as|better known as|doing business as|trading as|which trades as|known as|operating as|d/b/a|a/k/a|aka)\s+[\"“']?(?P<a>{NAME})",
    rf"\s+(?:has |is )?(?:rebrand(?:s|ed|ing)?|renam(?:es|ed|ing)(?: itself)?|chang(?:es|ed|ing) its name)\s+(?:itself\s+)?(?:as|to|from)\s+[\"“']?(?P<a>{NAME})",
    rf"\s+(?:is now|becomes)\s+[\"“']?(?P<a>{NAME})(?=[,.;)\"”']|$)",
    rf"\s+(?:will now be|is now called|is now known as|is the new name of|is the trading name of|is the legal name of|is the brand name of|is a trading name of|is the brand of|is short for|was (?:formerly |previously |once )?(?:called|known as|named))\s+(?:called |known as )?[\"“']?(?P<a>{NAME})(?=[\s,.;)\"”']|$)",
    r"\s+(?:trades|listed|is listed|quoted)[^.]{0,40}?\b(?:under|as)\s+(?:the\s+)?(?:ticker|symbol)?\s*(?:symbol\s*)?[\"“']?(?P<a>[A-Z]{2,6})\b",
)  # fmt: skip
_BEFORE = (
    rf"(?P<a>{NAME})\s+(?:has |is )?(?:rebrand(?:s|ed|ing)?|renam(?:es|ed|ing)(?: itself)?|chang(?:es|ed|ing) its name)\s+(?:itself\s+)?(?:as|to)\s+[\"“']?$",
    rf"(?P<a>{NAME})\s+(?:is now|is now called|is now known as|becomes|was renamed|has become)\s+[\"“']?$",
    rf"(?P<a>{NAME})\s*\(\s*(?:now|today)(?: known as| called)?\s+[\"“']?$",
    rf"(?P<a>{NAME}),?\s+(?:now(?: known as| called)?|today(?: known as)?|the brand of|the trading name of|a trading name of|a brand of|the company now known as)\s+[\"“']?$",
)


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
    found = _short_forms(book, pages)
    for page in pages:
        found += [*_structured(book, page), *_of_the_owner(book, page)]
        for mention in book.mentions(page.text):
            rest = page.text[mention.last : mention.last + 160].split("\n")[0]
            head = page.text[max(0, mention.first - 120) : mention.first].split("\n")[-1]
            found += [(mention.entity, name) for name in _beside(rest, head)]
    return found


def _short_forms(book: Book, pages: list[Page]) -> list[tuple[Entity, str]]:
    """Give the first word of a name where pages go on with it alone.

    A page that gave the whole name, or the company's own, may do so; where none does, no other name
    of the pages may begin with that word: Summit Foods is not Summit Health.
    """
    found = []
    for entity in book.entities:
        parts = entity.name.split()
        first = parts[0].strip(",.")
        if len(parts) < 2 or not distinct(first) or first in parts[1:] or first in entity.names:
            continue
        alone = re.compile(
            rf"(?<![\w&-])(?<!& ){re.escape(first)}(?:['’]s)?(?![\w&-])(?! (?:&|[A-Z]))"
        )
        other = re.compile(rf"(?<![\w-]){re.escape(first)} (?P<n>&|[A-Z][\w-]*)")
        sure = loose = clash = False
        for page in pages:
            text = f"{page.title}\n{page.text}"
            if not alone.search(text):
                clash = clash or _other_company(other, text, parts)
            elif book.site_of(page) is entity or any(one in text for one in entity.names):
                sure = True
            else:
                loose = True
        if sure or (loose and not clash and "&" not in parts):
            found.append((entity, first))
    return found


def _other_company(shape: re.Pattern[str], text: str, parts: list[str]) -> bool:
    return any(
        match["n"].strip(".,") not in {one.strip(".,") for one in parts}
        for match in shape.finditer(text)
    )


_OWN = re.compile(
    r"\b(?i:it|we|the company|the firm|the business)\s+(?:was|were|is|are|has been)\s+(?:also |still |better )?"
    r"(?:formerly|previously|once|originally|until [\w ]{1,20}|also)?\s*(?:known as|called|named|renamed from|rebranded from|listed as|traded as)\s+[\"“']?(?P<a>"
    + NAME
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


_ORDINARY = words("subjects", "starters") | words("subjects", "prepositions")
_STANDARD = re.compile(r"(?:SOC ?\d|ISO ?\d|PCI|GDPR|HIPAA|FedRAMP|CE\b|GA\b)")


def _sound_alias(alias: str) -> bool:
    parts = alias.lower().split()
    if not parts or parts[0] in _NO_ALIAS or not 2 <= len(alias) <= 60 or alias.endswith("&"):
        return False
    if len(parts) == 1 and parts[0].strip(".,") in _ORDINARY:
        return False
    return any(char.isalpha() for char in alias) and not _STANDARD.match(alias)


_OWN_PART = re.compile(
    r"/(?:pricing|prices?|plans|careers|jobs|press|changelog|releases?|about)\b", re.IGNORECASE
)


def owners(pages: Iterable[Page]) -> tuple[str, ...]:
    """Name the companies whose own sites are among pages: those with prices, jobs or a press room."""
    kept = list(pages)
    slugs = {page.host.split(".")[0] for page in kept if page.host and _OWN_PART.search(page.url)}
    counts: dict[str, dict[str, int]] = {}
    for page in kept:
        for match in re.finditer(NAME, page.text):
            parts = match.group().split()
            for size in range(1, len(parts) + 1):
                name = " ".join(parts[:size]).strip(" .,'’")
                name = re.sub(r"['’]s$", "", name)
                if slug(name) in slugs:
                    forms = counts.setdefault(slug(name), {})
                    forms[name] = forms.get(name, 0) + 1
    return tuple(
        max(forms, key=lambda name: (forms[name], name)) for _, forms in sorted(counts.items())
    )
