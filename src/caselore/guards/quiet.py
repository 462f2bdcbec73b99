"""Tells at one look that a text holds nothing that a guard would look at twice.

Must not say so of a text in which a guard finds anything: the look is wider than every rule.
"""

from __future__ import annotations

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


def gives_no_order(text: str, rules: RuleSet) -> bool:
    """Say that no rule can fit any view of a text, disguised words included."""
    return holds_nothing(text, rules) and not disguise.suspected(text.encode())
