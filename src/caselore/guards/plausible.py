"""Judges whether a value beside a key-like name is a credential or stands for one.

Must not judge by the name: that is the rule's part.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import Counter
from typing import Any

LEAST_ENTROPY = 2.5  # bits a character; "xxxxxxxx" and "12341234" are below

_DIGEST = re.compile(
    rb"(?i:(?:(?:sha|md)-?\d{1,3}[:=-])?"
    rb"(?:[0-9a-f]{128}|[0-9a-f]{96}|[0-9a-f]{64}|[0-9a-f]{56}|[0-9a-f]{40}|[0-9a-f]{32}))"
    rb"|(?i:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
    rb"|sha(?:256|384|512)[-:][A-Za-z0-9+/]{40,90}={0,2}"
)
_STANDS_FOR = re.compile(
    rb"(?i:\$\{|\$\(|\{\{|%\(|\*\*\*|x{5}|\.\.\.|example|placeholder|change.?me|redacted|masked"
    rb"|dummy|your[-_ ]|insert|replace|\[secure|\[filter|\[hidden|process\.env|os\.environ"
    rb"|secrets\.|getenv|env\(|config\.|\[masked:)"
)
_WORD = re.compile(
    rb"(?i:\$\w+|%\w+%|<.*|\[.*|\{.*|true|false|null|none|nil|undefined|unset|empty|yes|no|string|str"
    rb"|required|optional|bool|boolean|https?:.*|\.{0,2}/.*|[a-z_][\w.]*\(.*"
    rb"|[\w/.-]+\.[a-z]{1,5}:\d+|(?:[a-z_][\w$#]*[.:]){3,}[\w$#.:]*|authentication|password|passwd|secret|token)[\"';,.]*"
)


def entropy(value: bytes) -> float:
    """Give the bits a byte of a value."""
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts)


def is_digest(value: bytes) -> bool:
    """Say whether a value is a hash or a UUID."""
    return _DIGEST.fullmatch(value) is not None


def stands_for(value: bytes) -> bool:
    """Say whether a value is a placeholder or a reference."""
    return _STANDS_FOR.search(value) is not None


def is_word(value: bytes) -> bool:
    """Say whether a value is a plain word, a path or a call in a configuration."""
    return _WORD.fullmatch(value) is not None


def mixed(value: bytes) -> bool:
    """Say whether a value mixes letters with digits or signs as generated ones do."""
    letters = any(65 <= c <= 90 or 97 <= c <= 122 for c in value)
    others = any(48 <= c <= 57 or c in b"!@#$%^&*+/=~" for c in value)
    return letters and others


def strong(value: bytes) -> bool:
    """Say whether a value holds small and capital letters and a digit."""
    return value.upper() != value != value.lower() and any(48 <= c <= 57 for c in value)


def is_pair(value: bytes) -> bool:
    """Say whether a value is the base64 of a name and a password with a colon between them."""
    try:
        pair = base64.b64decode(value + b"=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return pair.isascii() and pair.decode().isprintable() and pair.find(b":", 0, -1) >= 0


def accepts(value: bytes, options: dict[str, Any]) -> bool:
    """Judge a value by its rule's options: `pair`, `loose`, `strong`, `mixed`, `digest`,
    `entropy`."""
    if stands_for(value):
        return False
    if options.get("pair"):
        return is_pair(value)
    if options.get("loose"):
        return not is_word(value)
    if options.get("strong") and not strong(value):
        return False
    if options.get("mixed"):
        digest = is_digest(value) and not options.get("digest")
        if digest or is_word(value) or not mixed(value):
            return False
    return entropy(value) >= float(options.get("entropy", LEAST_ENTROPY))
