"""Turns what is stored into what a page may show: plain text, times, links and their words.

Must not mark anything as safe HTML: the templates escape all of it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode, urlsplit

from caselore.faces.terminal import safe

LONGEST = 1_500  # characters of one text on a page; `.json` has all of it
LINE = 500  # characters of one line of a log
_STEPS = ((60, "s"), (60, "min"), (24, "h"), (10_000, "d"))


def plain(text: object, most: int = LONGEST) -> str:
    """Give a text whose control, invisible and reordering characters are spelt out, cut."""
    whole = safe("" if text is None else str(text)).replace("\r", "\\r")
    return whole if len(whole) <= most else f"{whole[:most]}… [{len(whole) - most} more]"


def line(text: object, most: int = 120) -> str:
    """Give a text on one line, cut."""
    flat = " ".join(safe("" if text is None else str(text)).split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def ago(at: str | None, now: datetime) -> str:
    """Say how long ago a moment was, to the step that tells."""
    if not at:
        return ""
    left = max(0.0, (now - datetime.fromisoformat(at)).total_seconds())
    for size, unit in _STEPS:
        if left < size:
            return "now" if unit == "s" else f"{int(left)} {unit}"
        left /= size
    return ""


def minute(at: str | None) -> str:
    """Write a moment to the minute in UTC."""
    if not at:
        return ""
    return f"{datetime.fromisoformat(at).astimezone(UTC):%Y-%m-%d %H:%M}"


def web(url: object) -> str:
    """Give an address only if a browser may follow it from here."""
    text = str(url or "")
    return text if urlsplit(text).scheme in ("http", "https") else ""


def name(case: dict[str, Any]) -> str:
    """Give the short name of an incident: its deployment, or the start of its id."""
    deployment = case.get("deployment")
    return f"#{line(deployment, 40)}" if deployment else str(case["incident"])[:12]


def address(path: str, **query: object) -> str:
    """Give an address with those of the given facts that say something."""
    said = {key: value for key, value in query.items() if value not in ("", None)}
    return f"{path}?{urlencode(said)}" if said else path


def count(number: int, one: str, many: str = "") -> str:
    """Say a number of things."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
