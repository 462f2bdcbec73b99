"""Decides whose doing a sentence tells: that of the competitor, or that of somebody beside it.

Must not attribute what another company did.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from caselore.intel.days import MONTHS, WEEKDAYS
from caselore.intel.entities import Book, Entity, Mention
from caselore.intel.lexicon import pattern, words
from caselore.intel.objects import (
    BEFORE_OTHERS,
    OTHERS_OF,
    PREPOSITIONS,
    ROLES,
    befalls,
    stands_to,
)
from caselore.intel.sentences import ASIDE

_NP = re.compile(
    r"(?<![\w’'])[A-Z][\w&’'.+-]*[\w+](?:\s+(?:(?:[A-Z0-9][\w&’'.+-]*[\w+])|&|[A-Z0-9]))*"
)  # fmt: skip
_STARTERS = words("subjects", "starters")
_PRONOUN = pattern("subjects", "pronoun", re.IGNORECASE)
_COMPANY = pattern("subjects", "company", re.IGNORECASE)
_ITS_OWN = re.compile(r",? (?:its|their|our|the company’s) [a-z]")  # `Lantern, its tracing tool,`
_WE = re.compile(
    r"\b(?:we|our|we['’](?:re|ve|ll)|wir|unser\w*|nous|notre|nos|nosotros|nuestr\w+)\b",
    re.IGNORECASE,
)
_OBJECT_ORG = re.compile(r"\b(?:by|von|par|por|da)\s*$", re.IGNORECASE)


_HEAD_OF = re.compile(
    r"\b(?:CEO|CTO|CFO|COO|chief [\w ]{3,30}|co-?founders?|president|chair\w*|head|director|executive|officer|boss|board(?: of directors)?|directors|management|leadership|owners?|shareholders|administrators?|makers?|team) (?:of|at|behind)$",
    re.IGNORECASE,
)


_OWN_THINGS = frozenset({"feature_launch", "pricing_change"})
"""What a product does on its maker's own site; a large name there is rather a product than a company."""
_ARRIVES_IN = re.compile(
    r"arriv\w+ (?:in|inside|on|for) (?:all |your |every |the |our )?", re.IGNORECASE
)
"""Only what arrives in a watched product is a part of it; a person arrives in a town."""
_WITHIN = re.compile(r"\b(?:said|says|customer|partner|competitor|rival|Inc|Ltd|GmbH|Corp|LLC)\b")


class Context(NamedTuple):
    """What is known before a sentence is read."""

    owner: Entity | None
    """Whose site the page is on."""
    current: Entity | None
    """Whom the text speaks of at this point."""
    heading: bool = False
    item: bool = False
    topic: Entity | None = None
    """Whom the page's title names."""


def subject(
    text: str, trigger: tuple[int, int], book: Book, context: Context, event_type: str = ""
) -> Entity | None:
    """Give the competitor whose doing a trigger tells; none where it is another's or nobody's."""
    text = _without_asides(text, trigger[0])
    if _ARRIVES_IN.fullmatch(text[trigger[0] : trigger[1]]):
        return next((one.entity for one in book.mentions(text) if one.first == trigger[1]), None)
    return _doer(text, trigger, book, context, event_type)


def _doer(
    text: str, trigger: tuple[int, int], book: Book, context: Context, event_type: str
) -> Entity | None:
    mentions = [one for one in book.mentions(text) if _may_act(text, one)]
    acting = _nearest(text, trigger[0], mentions)
    if isinstance(acting, Mention):
        return acting.entity
    passive = _agent(text, trigger, mentions)
    if passive is not None:
        return passive
    if acting == "other" and _WE.search(text[: trigger[0]]):
        return context.owner
    for one in book.mentions(text):
        if stands_to(text, trigger, one, event_type) or (
            event_type == "market_signal" and befalls(text, trigger, one)
        ):
            return one.entity
    if acting == "other":
        own = event_type in _OWN_THINGS and not mentions and not _WITHIN.search(text[: trigger[0]])
        return context.owner if own else None
    later = [one for one in mentions if one.first >= trigger[1] - 1]
    if later and _names_it_later(text, trigger, later[0]):
        return later[0].entity
    named = {one.entity.name for one in book.mentions(text)}
    own = context.owner is not None and named == {context.owner.name}
    if named and not own and not _WE.search(text):
        return None
    return _implied(text, trigger, context)


def _without_asides(text: str, at: int) -> str:
    """Blank what stands between commas about a name, before an offset: `, which competes with X,`."""
    for aside in ASIDE.finditer(text, 0, at):
        if aside.end() <= at:
            text = text[: aside.start()] + " " * len(aside.group()) + text[aside.end() :]
    return text


def _implied(text: str, trigger: tuple[int, int], context: Context) -> Entity | None:
    """Give whom a sentence without a name speaks of."""
    if context.owner is not None:
        return context.owner
    head = text[: trigger[0] + 1]
    if context.current is not None and (
        _PRONOUN.search(head) or (context.item and trigger[0] < 12)
    ):
        return context.current
    return context.topic if _COMPANY.match(head) else None


def bystander(text: str, mention: Mention) -> bool:
    """Say whether a name only tells whose rival, customer or former employee somebody is."""
    before = re.sub(r"\s(?:of|to|at|for)\s+$", " ", text[: mention.first])
    return bool(OTHERS_OF.match(text[mention.last :]) or BEFORE_OTHERS.search(before))


def affected(text: str, span: tuple[int, int], mention: Mention) -> bool:
    """Say whether what a span of a sentence tells is told of a name: it stands in it, opens it, or is whom it befalls."""
    if mention.first < span[1] and mention.last > span[0]:
        return True
    if mention.first >= span[1]:
        return befalls(text, span, mention)
    between = text[mention.last : span[0]]
    if re.search(r"[;:]|\b(?:but|while|whereas|unlike)\b", between):
        return False
    return (
        mention.first < 4
        or _nearest(text, span[0], [mention]) is mention
        or befalls(text, span, mention)
    )


def _may_act(text: str, mention: Mention) -> bool:
    """Say whether a name can be the subject: not `a rival of Acme`, `Acme customer`, `for Acme`."""
    if OTHERS_OF.match(text[mention.last :]):
        return False
    before = text[: mention.first].rstrip(" \"“'‘(")
    if _HEAD_OF.search(before):
        return True
    if BEFORE_OTHERS.search(before):
        return False
    word = re.split(r"[\s(]", before)[-1].lower() if before else ""
    return word not in PREPOSITIONS


def _nearest(text: str, at: int, mentions: list[Mention]) -> Mention | str | None:
    """Give the last acting name before an offset: a competitor's, `other`, or nothing."""
    mentions = [one for one in mentions if not _OBJECT_ORG.search(text[: one.first])]
    found: Mention | str | None = None
    for phrase in _NP.finditer(text, 0, at):
        first, last = phrase.span()
        own = next(
            (
                one
                for one in mentions
                if first <= one.first < last or one.first <= first < one.last
            ),
            None,
        )
        if own is not None:
            found = own
        elif _belongs(text, first, mentions) or (
            _ITS_OWN.match(text, last) and any(one.last <= first for one in mentions)
        ):
            found = next(one for one in reversed(mentions) if one.last <= first)
        elif _COMPANY.match(text, first):
            continue  # `The London company` is one spoken of before
        elif _is_other(text, first, phrase.group()) and not _common_noun(text, first, last, at):
            nearer = next((one for one in mentions if last <= one.first and one.last <= at), None)
            found = nearer or _coordinated(text, first, mentions) or "other"
    last_own = [one for one in mentions if one.last <= at]
    if found is None and last_own:
        return last_own[-1]
    return found


_VERBAL = re.compile(
    r"(?:['’]s|has|have|had|is|are|was|were|will|would|did|does|today|yesterday|also|just|now|recently|said|says|on|in"
    r"|this|last|and(?! [a-z])|to|that|who|which|announces?|announced|plans?|agreed|agrees|quietly|finally|officially)\b|\w+ed\b"
)


def _common_noun(text: str, first: int, last: int, at: int) -> bool:
    """Say whether a single large word that opens a sentence only begins it: `Card payments were down`."""
    before = text[:first].rstrip()
    if (before and before[-1] not in ".!?:•|–—-") or " " in text[first:last]:
        return False
    rest = text[last:at].lstrip()
    return bool(rest) and rest[0].islower() and not _VERBAL.match(rest)


def _belongs(text: str, first: int, mentions: list[Mention]) -> bool:
    """Say whether a phrase follows a name closely enough to be a part of it: its product or head."""
    for one in reversed(mentions):
        if one.last <= first:
            between = text[one.last : first]
            near = (
                bool(re.fullmatch(r"(?:['’]s)?[\s,]*(?:[\w-]+[\s,]+){0,3}", between))
                and len(between) < 45
            )
            verb = re.search(
                r"\b(?:said|says|that|rival|when|because|and|after|whether|while|but)\b", between
            )
            return (
                near
                and not verb
                and (
                    "’s" in between
                    or "'s" in between
                    or bool(ROLES.search(text[one.last : first + 24]))
                    or between.strip() == ""
                )
            )
    return False


_AND = re.compile(
    r"(?:,?\s*(?:and|&|und|et|y|e|with)|[+/,])"
    r"(?:\s+(?:the|its|a|an|fellow|rival)?(?:\s*[a-z][\w'-]*|\s*[A-Z][a-z]+['’]s){0,4})?"
)


def _coordinated(text: str, first: int, mentions: list[Mention]) -> Mention | None:
    for one in reversed(mentions):
        if one.last <= first:
            between = text[one.last : first].strip()
            return one if _AND.fullmatch(between) else None
    return None


def _is_other(text: str, first: int, phrase: str) -> bool:
    """Say whether a phrase is somebody else who acts."""
    words = phrase.split()
    head = words[0].lower().strip(".,'’")
    if all(
        word.lower().strip(".,") in _STARTERS | MONTHS.keys() | WEEKDAYS.keys()
        or word[0].isdigit()
        for word in words
    ):
        return False
    before = text[:first].rstrip(" \"“'‘(")
    previous = re.split(r"[\s(]", before)[-1].lower().strip(",") if before else ""
    if previous in PREPOSITIONS | {
        "at",
        "from",
        "by",
        "the",
        "a",
        "an",
        "its",
        "our",
        "their",
        "new",
        "called",
        "named",
        "dubbed",
        "as",
        "or",
        "plus",
    }:
        return previous == "by"
    opens = not before or before[-1] in ".!?:•|–—-"
    if opens and len(words) == 1 and (head in _STARTERS or head.endswith(("ing", "ed", "ly"))):
        return False
    if ROLES.search(phrase) or ROLES.search(before[-30:]):
        return False
    return not (len(words) == 1 and words[0].isupper() and len(words[0]) <= 4)


def _agent(text: str, trigger: tuple[int, int], mentions: list[Mention]) -> Entity | None:
    """Give the competitor that a passive sentence or a noun names with `by`."""
    for one in mentions:
        if one.first >= trigger[0] and _OBJECT_ORG.search(text[: one.first]):
            return one.entity
    return None


def _names_it_later(text: str, trigger: tuple[int, int], mention: Mention) -> bool:
    """Say whether a name behind the trigger is the doer: `New from Acme`, `At Acme`, `Introducing Acme X`."""
    between = text[trigger[1] : mention.first]
    opening = trigger[0] < 12
    return (
        opening
        and (len(between) < 60)
        and not re.search(r"\b(?:with|to|for|of|against)\s*$", between)
    )


def foreign(title: str, book: Book) -> bool:
    """Say whether a title tells of somebody who is not watched: its text is about that one."""
    start = _NP.match(title)
    own = any(True for _ in book.mentions(title))
    return bool(
        start
        and not own
        and _is_other(title, 0, start.group())
        and _TELLS.match(title[start.end() :])
    )


_TELLS = re.compile(
    r"(?:['’]s)? [a-z]+(?:s|ed)\b"
)  # a verb: `Kontor nets`, `Kontor's owners sell`
OPENS = 40  # characters at the head of a sentence in which its subject stands


def speaks_of(
    text: str, book: Book, before: Entity | None, *, heading: bool = False, aside: bool = False
) -> Entity | None:
    """Give whom the text speaks of after a sentence; `aside`: its page is about another."""
    mentions = [one for one in book.mentions(text) if _may_act(text, one)]
    if aside:
        mentions = [one for one in mentions if one.first < OPENS]
    if mentions:
        return mentions[0].entity
    if heading:
        return before
    start = _NP.match(text)
    if start and _is_other(text, 0, start.group()) and len(start.group()) > 3:
        return None
    return before
