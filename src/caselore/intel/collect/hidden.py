"""Tells which elements of a page nobody sees.

Must not take anything out by itself: it only says.
"""

from __future__ import annotations

import re

from caselore.intel.lexicon import pattern

_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0*\.?0+\s*(?:[;!}]|$)"
    r"|font-size\s*:\s*0*\.?0*1?(?:px|pt|em|rem|%)?\s*(?:[;!}]|$)"
    r"|(?:left|top|right|text-indent|margin-left|margin-top)\s*:\s*-\d{3,}"
    r"|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]|clip-path\s*:\s*inset\(\s*(?:50|100)%"
    r"|(?:^|[;\s{])(?:max-)?(?:height|width)\s*:\s*[01](?:px)?\s*(?:[;!}]|$)"
    r"|transform\s*:\s*scale\(\s*0",
    re.IGNORECASE,
)
_PALE = pattern("hidden", "pale", re.IGNORECASE)
_SAME = re.compile(
    r"(?:^|[;\s{])color\s*:\s*(#[0-9a-f]{3,8}|[a-z]+)[^;]*;.*background(?:-color)?\s*:\s*\1\b",
    re.I,
)
_RULE = re.compile(r"([^{}@;]+)\{([^{}]*)\}")
_SIMPLE = re.compile(
    r"[a-z][\w-]*|\*?[.#][\w-]+(?:[.#][\w-]+)*|[a-z][\w-]*[.#][\w-]+", re.IGNORECASE
)
_NAMES = frozenset(
    {"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "hidden", "d-none",
     "invisible", "is-hidden", "offscreen", "off-screen"}
)  # fmt: skip


def hides(style: str) -> bool:
    """Say whether a style lets nobody see an element."""
    if _HIDING.search(style) or _SAME.search(style):
        return True
    return bool(_PALE.search(style)) and "background" not in style.lower()


def hiding_selectors(sheet: str) -> frozenset[str]:
    """Give the simple selectors that a style sheet hides: `.note`, `#x`, `p.note`."""
    bare = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    found = set()
    for selectors, style in _RULE.findall(bare):
        if _HIDING.search(style) or _SAME.search(style):
            found |= {
                one.strip() for one in selectors.split(",") if _SIMPLE.fullmatch(one.strip())
            }
    return frozenset(found)


def is_hidden(tag: str, attributes: dict[str, str | None], selectors: frozenset[str]) -> bool:
    """Say whether an element by its own attributes and the page's rules is seen by nobody."""
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    if (attributes.get("aria-hidden") or "").lower() == "true":
        return True
    style = attributes.get("style") or ""
    if style and hides(style):
        return True
    classes = (attributes.get("class") or "").split()
    if _NAMES & {one.lower() for one in classes}:
        return True
    return bool(selectors) and _selected(tag, attributes.get("id") or "", classes, selectors)


def _selected(tag: str, id: str, classes: list[str], selectors: frozenset[str]) -> bool:
    own = {f".{one}" for one in classes} | ({f"#{id}"} if id else set())
    return any(
        one in own or one == tag or (one.startswith(tag) and one[len(tag) :] in own)
        for one in selectors
    )
