"""Tells at one look that a text holds nothing that a guard would look at twice.

Must not say so of a text in which a guard finds anything: the look is wider than every rule.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import re2

from caselore.guards import decode, disguise, splits
from caselore.guards.rules import RuleSet, options

# Beside letters, digits and signs: line ends and tabs. All else has views of its own.
_ODD = re2.compile(rb"[^\n\t -~]")


def _plain(text: str) -> bytes:
    """Give a text whose views are all what its bytes say; empty for any other."""
    data = text.encode() if text.isascii() else b""
    return data if text.isprintable() or not _ODD.search(data) else b""


@cache
def _stirs(rules: RuleSet, more: tuple[bytes, ...]) -> Any:
    """Give one pattern for all that lets a guard look twice."""
    parts = (rules.hint, splits.BREAK.pattern, splits.ESCAPED.pattern, *more)
    return re2.compile(b"|".join(b"(?:" + part + b")" for part in parts), options())


_MASKED = (decode.WRAPPED.pattern,)  # no other encoding is looked into for what would be masked
_ORDERED = (decode.ANY.pattern, decode.STAMPED.pattern)


def holds_nothing(text: str, rules: RuleSet) -> bool:
    """Say that no rule can fit any view that is masked, masks of named values apart."""
    data = _plain(text)
    return bool(data) and not _stirs(rules, _MASKED).search(data)


def hold_nothing(texts: Iterable[str], rules: RuleSet) -> bool:
    """Say that no rule can fit a view of any of several texts, each taken for itself.

    A digest has the form of an encoded text: it is looked at for what it would say.
    """
    kinds: tuple[list[str], list[str]] = ([], [])
    for one in texts:
        kinds[_is_noise(one)].append(one)
    others, digests = map(_APART.join, kinds)
    return not rules.hints_in(digests.encode()) and (not others or holds_nothing(others, rules))


_APART = "\n \n"  # across it, no end of a text hangs together with the next one's start
_DIGEST = re.compile(r"[0-9a-f]{64}")


def _is_noise(text: str) -> bool:
    """Say that a text is a digest, and encodes nothing in any of the ways in which it might."""
    if len(text) != 64 or not _DIGEST.fullmatch(text) or not text[24:40].strip("234567"):
        return False  # forty digits from 2 to 7 around the middle may be base32
    encoded = (bytes.fromhex(text), base64.b64decode(text))
    return not any(decode.may_say(one.decode("utf-8", "replace")) for one in encoded)


def gives_no_order(text: str, rules: RuleSet) -> bool:
    """Say that no rule can fit any view of a text, disguised words included."""
    data = _plain(text)
    return bool(data) and not (_stirs(rules, _ORDERED).search(data) or disguise.suspected(data))
