"""Tells of a name in a sentence whether somebody else's doing befalls it, happens at it or only belongs beside it.

Must not decide who acts.
"""

from __future__ import annotations

import re

from caselore.intel.entities import Book, Entity, Mention
from caselore.intel.lexicon import pattern, words

PREPOSITIONS = words("subjects", "prepositions")
OTHERS_OF = pattern("subjects", "others_of", re.IGNORECASE)
BEFORE_OTHERS = pattern("subjects", "before_others", re.IGNORECASE)
ROLES = pattern("subjects", "roles")
LONGEST = 90  # characters between what is done and whom it befalls

_ENABLES = re.compile(r"\b(?:can|may) now\b", re.IGNORECASE)
_IN = re.compile(r"\b(?:in|of|with|from|into|on|inside|within|through|via|to)$")
_PAYERS = re.compile(r"\s(?:customers|users|subscribers|members|teams|merchants)\b")
_PICKS = re.compile(r"(?:pick|cho|select|tap)\w*\b(?! by)", re.IGNORECASE)
_PUT_IN = re.compile(r"pour|invest|inject|put|plough|round|series|\bled\b|lead")


def stands_to(text: str, trigger: tuple[int, int], mention: Mention, event_type: str) -> bool:
    """Say whether a name behind a trigger is whom it befalls or where it happens.

    `acquires Velora`, `invested in Velora`, `joins Velora as`, `roles at Velora`, `launch of Velora X`.
    """
    if event_type == "pricing_change" and _PAYERS.match(text[mention.last :]):
        return trigger[0] - 2 <= mention.last <= trigger[0]
    if OTHERS_OF.match(text[mention.last :]) or BEFORE_OTHERS.search(text[: mention.first]):
        return False
    if event_type == "pricing_change":
        return _ahead(text, mention).endswith(" of") and one_within(trigger, mention)
    owned = event_type == "acquisition" and re.match(r"['’]s\b", text[mention.last :])
    before = event_type not in {"funding", "hiring"} and mention.first < trigger[1] - 3
    return not owned and not before and _object_of(text, trigger, mention, event_type)


def _object_of(text: str, trigger: tuple[int, int], mention: Mention, event_type: str) -> bool:
    told = text[trigger[1] : mention.first].strip()
    ahead = _ahead(text, mention)
    if event_type == "acquisition":
        return _direct(told.removeprefix("of "))
    if event_type == "feature_launch" and _ENABLES.search(text[trigger[0] : trigger[1]]):
        return bool(_IN.search(ahead))
    if event_type == "funding":
        backed = re.match(r"(?:back|bet|fund|financ)", text[trigger[0] :], re.IGNORECASE)
        into = ahead.endswith((" in", " into", " for"))
        return _direct(told) if backed else into and bool(_PUT_IN.search(ahead))
    if event_type == "hiring":
        return ahead.endswith((" at", " joins", " joined", " join", " joining"))
    picked = event_type == "partnership" and _PICKS.match(text[trigger[0] :])
    between = "of" if picked and _direct(told) else told.lower()
    return between in {"of", "of the", "at"} or (ahead.endswith(" of") and len(between) < 12)


def _ahead(text: str, mention: Mention) -> str:
    return text[: mention.first].rstrip().lower()


_OWN_WORDS = r"(?:the|a|an|its|his|her|their|former|new|rival|[a-z][\w'-]*|(?-i:[A-Z])[a-z]+(?:an|ish|ese|i|ch|based|-based))"


def partners(text: str, book: Book, first: Entity) -> tuple[Entity, ...]:
    """Give the further competitors that a sentence about a partnership names: it is theirs as well."""
    found = [one for one in book.mentions(text) if not OTHERS_OF.match(text[one.last :])]
    return tuple(dict.fromkeys(one.entity for one in found if one.entity.name != first.name))


_LINKS = PREPOSITIONS | {"and", "or", "but", "that", "which", "who", "as", "at", "from", "by"}


def _direct(between: str) -> bool:
    """Say whether the words between a verb and a name only describe the name: `backs payroll startup Acme`."""
    parts = between.split()
    return (
        bool(re.fullmatch(rf"(?:{_OWN_WORDS}\s*){{0,6}}", between))
        and not {one.lower() for one in parts} & _LINKS
    )


def befalls(text: str, trigger: tuple[int, int], mention: Mention) -> bool:
    """Say whether what another did fell on a name: `fined Acme`, `a suit against Acme`, `workers at Acme strike`."""
    if BEFORE_OTHERS.search(text[: mention.first]):
        return False
    if mention.last <= trigger[0]:
        return bool(
            re.search(r"\b(?:at|of|from|against|by|in)\s*$", text[: mention.first])
        ) and not (
            re.search(r"[;:]|\b(?:but|while|rival|unlike)\b", text[mention.last : trigger[0]])
        )
    between = text[trigger[1] : mention.first].strip(" ,\"“'")
    if len(between) > LONGEST or re.search(r"[;:]", between):
        return False
    direct = _direct(between)
    if re.match(r"[A-Z]", between) and not ROLES.match(between):
        return direct  # `bankrupt Tandem sold its bikes to Acme` befell Tandem
    named = re.search(r"\b(?:against|at|in|into|of|on|from|by|for|to|hits|hitting|over)$", between)
    return bool(direct or named or not between)


def one_within(span: tuple[int, int], mention: Mention) -> bool:
    """Say whether a name stands within a trigger."""
    return span[0] <= mention.first < span[1]
