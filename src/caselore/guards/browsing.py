"""Says what a browser would show of a text that holds HTML: no comments, attributes, hidden parts.

Must not parse HTML for its content, and must stay linear: a log may hold a million open tags.
"""

from __future__ import annotations

import re

_TAG = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9-]{0,30})([^<>]{0,4096})>")
_HIDING = re.compile(
    rb"""(?ix) display\s*:\s*none | visibility\s*:\s*hidden | opacity\s*:\s*0(?![.\d]*[1-9])
    | font-size\s*:\s*0(?![.\d]*[1-9]) | (?:^|\s)hidden(?=[\s=/]|$)""",
)
_NEVER = frozenset({b"script", b"style", b"template", b"head", b"noscript"})
_VISIBLE = re.compile(rb"[^\n]")


def browsed(data: bytes) -> bytes:
    """Give a text with a blank for every byte that a browser shows nobody; lines stay lines."""
    if b"<" not in data:
        return data
    out = bytearray(data)
    for first, last in (*_comments(data), *_unseen(data)):
        out[first:last] = _VISIBLE.sub(b" ", data[first:last])
    return bytes(out)


def _comments(data: bytes) -> list[tuple[int, int]]:
    found, at = [], data.find(b"<!--")
    while at >= 0:
        end = data.find(b"-->", at)
        if end < 0:
            break
        found.append((at, end + 3))
        at = data.find(b"<!--", end)
    return found


def _unseen(data: bytes) -> list[tuple[int, int]]:
    """Give the tags themselves, and the whole of each element that hides what it holds."""
    lower, open_for_good, found, at = data.lower(), set(), [], 0
    while tag := _TAG.search(data, at):
        at, name = tag.end(), tag[2].lower()
        hides = not tag[1] and (name in _NEVER or _HIDING.search(tag[3]))
        if hides and name not in open_for_good:
            end = lower.find(b"</" + name, at)
            if end < 0:
                open_for_good.add(name)  # asked once: else many open tags would cost a pass each
            else:
                at = end
        found.append((tag.start(), at))
    return found
