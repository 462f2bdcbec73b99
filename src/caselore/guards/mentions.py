"""Tells a text that quotes an order in order to speak about it from one that gives it.

Must not be relied on: it only keeps security prose readable, and an attacker can write it, too.
"""

from __future__ import annotations

import re

from caselore.guards.rules import Found

NEAR = 1_200  # bytes on either side in which prose tells what it is about
OPENS = 90  # bytes before a match in which the quotation that holds it must open
CLOSES = 300  # bytes behind it in which that must end
WORDS = 2  # different words of security prose that must stand near

_PAIRS = {b'"': b'"', b"'": b"'", b"`": b"`", b"\xe2\x80\x9c": b"\xe2\x80\x9d", b"*": b"*"}
_ATTACKS = re.compile(
    rb"(?i)prompt[ _-]injection|injections?\b|jailbreak|attack|adversar|malicious|payload|probe"
    rb"|vulnerab|red[ -]?team|exploit|hijack|owasp|canary|yara|prompt_entropy"
)
_TALK = re.compile(
    rb"(?i)detector|detection|detects?\b|scanner|guardrail|heuristic|classif|threat|mitigat"
    rb"|defen[cs]e|benign|e\.g\.|for example|such as|similarity"
)
_ATTRIBUTE = re.compile(rb"=[\"']")  # what an attribute of a page holds is no quotation
_LABEL = re.compile(
    rb"(?i)(?:malicious|attack|payload|inject|jailbreak|adversar|example|e\.g\.|trigger|such as)"
    rb"[^\n]{0,40}[:>][^\n:]{0,12}$"
)


def is_mention(data: bytes, found: Found) -> bool:
    """Say whether a place that a rule fits is a quotation in prose about attacks."""
    if found.rule.options.get("exact") and _is_quoted(data, found, opens=2, closes=2):
        return True
    before = data[max(0, found.first - OPENS) : found.first]
    labelled = _LABEL.search(before[before.rfind(b"\n") + 1 :]) is not None
    if not (labelled or _is_quoted(data, found, OPENS, CLOSES)):
        return False
    around = data[max(0, found.first - NEAR) : found.first]
    behind = data[found.last : found.last + NEAR]
    attacks, talk = (
        {word.lower() for word in (*words.findall(around), *words.findall(behind))}
        for words in (_ATTACKS, _TALK)
    )
    return bool(attacks) and len(attacks | talk) >= WORDS


def _is_quoted(data: bytes, found: Found, opens: int, closes: int) -> bool:
    """Say whether a quotation opens before the match and closes behind it, on one line each."""
    before = data[max(0, found.first - opens) : found.first + 1]
    before = _ATTRIBUTE.sub(b"", before[before.rfind(b"\n", 0, -1) + 1 :])
    behind = data[max(found.first, found.last - 1) : found.last + closes]
    behind = behind[: behind.find(b"\n", 1)] if b"\n" in behind[1:] else behind
    return any(
        before.count(one) % 2 == 1 and other in behind
        if one == other
        else _inside(before, one, other)
        for one, other in _PAIRS.items()
    )


def _inside(before: bytes, opening: bytes, closing: bytes) -> bool:
    return before.rfind(opening) > before.rfind(closing)
