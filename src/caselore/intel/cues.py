"""Finds what a sentence reports by the parts that play in it: cues.toml. A person, a role and a start are a hiring.

Must not hold a pattern of a type itself, nor report what names nobody watched.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from caselore.intel.days import Day, apart
from caselore.intel.lexicon import pattern

RECENT = 14  # days by which a day that a sentence names may lie before its page's, to say that it is new


class Cue(NamedTuple):
    """One way to report an event."""

    event_type: str
    topic: str
    shape: re.Pattern[str]
    also: tuple[re.Pattern[str], ...]
    none: re.Pattern[str] | None
    who: str
    fresh: str
    own: bool
    lead: bool


class Scene(NamedTuple):
    """What is known of a sentence besides its words."""

    own: bool
    """On the competitor's own page."""
    lead: bool
    said_new: bool
    """It says itself that it is new."""
    dated: bool
    """Its page has a day."""


@cache
def cues(event_type: str, topic: str) -> tuple[Cue, ...]:
    """Give the ways to report an event of a type, or of one topic of it."""
    return tuple(one for one in _all() if (one.event_type, one.topic) == (event_type, topic))


@cache
def _all() -> tuple[Cue, ...]:
    text = resources.files("caselore.intel").joinpath("cues.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return tuple(_read(one, table["words"]) for one in table["cue"])


def _read(one: dict[str, Any], words: dict[str, str]) -> Cue:
    none = one.get("none", "")
    return Cue(
        one["type"], one.get("topic", ""), _shape(one["shape"], words),
        tuple(_shape(each, words) for each in one.get("also", ())),
        _shape(none, words) if none else None,
        one.get("who", "doer"), one.get("fresh", ""), bool(one.get("own")), bool(one.get("lead")),
    )  # fmt: skip


def _shape(text: str, words: dict[str, str]) -> re.Pattern[str]:
    """Put the classes of words into a shape, and a bounded run within a clause for each `{n}`."""
    text = text.replace("\n", "")
    for _ in range(2):  # a class may hold another
        text = re.sub(r"\{([a-z_]+)\}", lambda found: words[found[1]], text)
    text = re.sub(
        r"\{(\d\d+)\}\??",
        r"(?:[^.;]|\\.(?=\\d)|(?<=\\b(?:Dr|Co|St|Mr|Ms))\\.|(?<=\\b(?:Inc|Ltd|Mrs))\\.){0,\1}?",
        text,
    )
    return re.compile(text, re.IGNORECASE)


def found(
    event_type: str, topic: str, text: str, scene: Scene
) -> Iterator[tuple[tuple[int, int], str]]:
    """Give where a sentence may report an event of a type, and by what part its competitor is known."""
    for cue in cues(event_type, topic):
        if (cue.own and not scene.own) or (cue.lead and not scene.lead):
            continue
        if not _fresh(cue.fresh, scene):
            continue
        match = cue.shape.search(text)
        if match is None or (cue.none and cue.none.search(text)) or _unreal(text, match.span()):
            continue
        if all(one.search(text) for one in cue.also):
            yield match.span(), cue.who


def _fresh(wanted: str, scene: Scene) -> bool:
    """Say whether a sentence is as new as a cue wants it."""
    known = {
        "": True,
        "page": scene.own and scene.dated,
        "lead": scene.lead and scene.dated,
        "said": False,
    }
    return known[wanted] or scene.said_new


_THOUGHT = pattern("cues", "thought", re.IGNORECASE)
_NONE_OF = pattern("cues", "none_of", re.IGNORECASE)


def _unreal(text: str, span: tuple[int, int]) -> bool:
    """Say whether the words that would report an event are denied or only thought."""
    return bool(_THOUGHT.search(text[span[0] : span[1]]) or _NONE_OF.search(text[: span[0]]))


_NEW = pattern("cues", "new", re.IGNORECASE)


def says_new(text: str, named: tuple[Day, ...], anchor: str) -> bool:
    """Say whether a sentence itself says that what it tells is new."""
    near = any(
        one.kind != "vague" and one.day <= anchor and apart(one.day, anchor) <= RECENT
        for one in named
    )
    return near or bool(_NEW.search(text))


def told_topic(event_type: str, text: str) -> str:
    """Give the topic of what a text reports by a cue; empty where none fits."""
    for cue in _all():
        if cue.event_type == event_type and cue.topic and cue.shape.search(text):
            return cue.topic
    return ""
