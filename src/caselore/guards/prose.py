"""Lists the words by which a writer speaks about evidence, and finds the stem of a word.

A word stands here only if it claims nothing about a system: grammar, and how one speaks of a log,
a record and a precedent. Must not hold a word that names a thing, an act, a measure, a quantity
or a degree: whatever is not here has to stand in the evidence.
"""

from __future__ import annotations

import re

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ENDINGS = ("ions", "ion", "ings", "ing", "ies", "ied", "ed", "es", "s", "e")
_NOUN = re.compile(r"(?<=\w{4})ments?$")
_ADVERB = re.compile(r"(?<=\w{4})ly$")
_FINAL_Y = re.compile(r"(?<=[^aeiou])y$")
_IRREGULAR = {
    form: base
    for base, forms in {
        "run": "ran", "hold": "held", "keep": "kept", "send": "sent", "lose": "lost",
        "begin": "began begun", "break": "broke broken", "take": "took taken",
        "give": "gave given",
        "write": "wrote written", "choose": "chose chosen", "find": "found", "leave": "left",
        "make": "made", "go": "went gone", "get": "got gotten", "fall": "fell fallen",
        "grow": "grew grown", "rise": "rose risen", "throw": "threw thrown", "tell": "told",
        "think": "thought", "bring": "brought", "hit": "hitting", "wait": "waits", "lead": "led",
        "come": "came", "become": "became", "freeze": "froze frozen", "build": "built",
        "catch": "caught", "mean": "meant", "bind": "bound", "shrink": "shrank shrunk",
    }.items()
    for form in forms.split()
}  # fmt: skip


def words(text: str) -> list[str]:
    """Give the words of a text in order; what holds a digit or an underscore is a value."""
    return WORD.findall(text)


def stem(word: str) -> str:
    """Give a word without its ending: reduce, reduced and reducing are one."""
    bare = word.casefold().replace("’", "'").removesuffix("'s")
    bare = _ADVERB.sub("", _NOUN.sub("", _IRREGULAR.get(bare, bare)))
    ending = next((e for e in _ENDINGS if bare.endswith(e) and len(bare) - len(e) >= 3), "")
    bare = bare.removesuffix(ending)
    bare = _FINAL_Y.sub("", bare) if len(bare) > 3 else bare
    doubled = len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "lsz"
    return bare[:-1] if doubled else bare


def stems(text: str) -> frozenset[str]:
    """Give the stems of the words of a text."""
    return frozenset(stem(word) for word in words(text))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATIONS = frozenset(
    {"no", "not", "never", "don't", "doesn't", "didn't", "won't", "cannot", "can't", "without"}
    | {"isn't", "wasn't", "aren't", "weren't", "shouldn't", "mustn't", "wouldn't", "couldn't"}
    | {"hasn't", "haven't", "hadn't", "needn't", "nor", "neither", "none", "nothing", "unless"}
    | {"avoid", "avoided", "avoids", "avoiding", "refrain", "unable", "hardly", "barely"}
)
# What a fix did for its failure; only the result that a person confirmed allows to say it.
WORKED = _words(
    """worked works working helped helps fixed fixes solved solves resolved resolves succeeded
    succeeds successful successfully success cured cures remedied effective effectively passed
    passes recovered healthy green"""
)
WORK = _words("work help solve resolve succeed fix cure")  # as in "did not work"
FAILED = _words(
    """fail failed fails failure unsuccessful unsuccessfully ineffective useless futile vain
    fruitless unhelpful worsened"""
)
# A cause is said only of a failure whose cause a person confirmed.
CAUSES = stems(
    """because cause problem issue fault due reason root lead trigger trace blame culprit owing
    thanks responsible explain why therefore hence thus so consequence consequently"""
)
CONFIRMED = stems("confirm verify proven prove person people outcome verdict")
# When, on what condition, and with which one: in a fix that is part of what was done.
SEQUENCE = stems(
    """again until then first before after while when if unless once next later earlier or during
    another other either different similar such like"""
)
# To speak of evidence is no act: no fix begins with it.
SPEAKING = _words(
    """record report show cite mention quote read tell recommend refer suggest match name say
    speak detail message"""
)
PLAIN = stems(
    """a according again along also although an and another appear approach are as
    at attempt be been being both but by can case cite current currently detail did differ
    different do does doing done during earlier either else ensure equal error event evidence
    example failed failing fails failure fix follow followed following for from
    had happen has have having here historical history how however if in incident include
    instead insufficient into is it its itself job just known later like line log match memory
    mention message must name named need next now occur of on or other our out
    own past pipeline precedent previous previously prior quote rather read recommend
    recommendation recommended record recorded refer related relevant repeat report resolution
    resolve respectively same say see seen should show shown signature similar similarly since
    solution some speak still such sufficient suggest sure tell than that the their
    them then there these they thing this those though through to too tried try unknown
    unlike until upon us use used using very via was way we were what when where whereas
    whether which while who whose with within yet you your"""
)
# These are grammar as they stand, and other words in any other form: "ordered", "likely".
AS_WRITTEN = _words("order currently previously respectively similarly")


def plain(word: str) -> bool:
    """Say whether a word is grammar: an adverb only if it is listed as it stands."""
    small = word.casefold()
    if small in AS_WRITTEN:
        return True
    return stem(word) in PLAIN and not _ADVERB.search(small)
