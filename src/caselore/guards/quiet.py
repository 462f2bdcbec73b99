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
def _stirs(rules: RuleSet) -> Any:
    """Give one pattern for all that lets a guard look twice."""
    parts = (
        rules.hint,
        splits.BREAK.pattern,
        splits.ESCAPED.pattern,
        decode.ANY.pattern,
        decode.STAMPED.pattern,
    )
    return re2.compile(b"|".join(b"(?:" + part + b")" for part in parts), options())


def holds_nothing(text: str, rules: RuleSet) -> bool:
    """Say that no rule can fit any view of a text, masks of named values apart."""
    data = _plain(text)
    return bool(data) and not _stirs(rules).search(data)


def hold_nothing(texts: Iterable[str], rules: RuleSet) -> bool:
    """Say that no rule can fit any of several texts, each taken for itself.

    A record's times and digests have the form of a runner's stamp and of an encoded text: they
    are looked at for what else may stand in them.
    """
    kinds: tuple[list[str], list[str]] = ([], [])
    for one in texts:
        kinds[_is_form(one)].append(one)
    others, forms = map(_APART.join, kinds)
    return not rules.hints_in(forms.encode()) and (not others or holds_nothing(others, rules))


_APART = "\n \n"  # across it, no end of a text hangs together with the next one's start
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_DIGEST = re.compile(r"[0-9a-f]{64}")


def _is_form(text: str) -> bool:
    if len(text) == 27:
        return bool(_TIME.fullmatch(text)) and text.isascii()
    return len(text) == 64 and bool(_DIGEST.fullmatch(text)) and _is_noise(text)


def _is_noise(digest: str) -> bool:
    """Say that 64 hex digits encode no text in any of the three ways in which they might."""
    if not digest[24:40].strip("234567"):
        return False  # forty digits around the middle may be base32
    encoded = (bytes.fromhex(digest), base64.b64decode(digest))
    return not any(decode.may_say(one.decode("utf-8", "replace")) for one in encoded)


def gives_no_order(text: str, rules: RuleSet) -> bool:
    """Say that no rule can fit any view of a text, disguised words included."""
    return holds_nothing(text, rules) and not disguise.suspected(text.encode())
