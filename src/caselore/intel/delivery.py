"""Lays a briefing out for its readers: Markdown, HTML, Slack blocks, e-mail, text, RSS.

Must not add, drop or reword a claim; what is shown is escaped for where it is shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from html import escape
from typing import Any

from caselore.errors import WrongUse

Document = dict[str, Any]
SECTIONS = ("new", "changed", "disputed", "still open")
_IN_SHORT = "In short, in a model's words held to the claims below:"
_NOTHING = "Nothing material happened."


def deliver(brief: Document, form: str) -> str:
    """Lay a briefing out in a form. Raises WrongUse for one that is not known."""
    forms: dict[str, Callable[[Document], str]] = {
        "md": markdown, "html": html, "json": json.dumps, "slack": slack, "email": email, "text": text, "rss": rss,
    }  # fmt: skip
    if form not in forms:
        raise WrongUse(f"no form {form!r}", hint=f"Forms: {', '.join(forms)}.")
    return forms[form](brief)


def _title(brief: Document) -> str:
    return f"{brief['topic']}: {', '.join(brief['competitors'])}, {brief['until']}"


def _summary(brief: Document) -> str:
    return " ".join(f"{one['text']} [{', '.join(one['cites'])}]" for one in brief["summary"])


def _sections(brief: Document) -> list[tuple[str, list[Document]]]:
    found = [
        (name, [one for one in brief["claims"] if one["section"] == name]) for name in SECTIONS
    ]
    return [(name, some) for name, some in found if some]


def _plain(text_: str) -> str:
    """Escape what Markdown would obey."""
    out = " ".join(text_.split())
    for sign in "\\`*_[]<>#|!":
        out = out.replace(sign, "\\" + sign)
    return out


def _head(one: Document) -> str:
    """Give what a reader asks first of a claim: who, when, what kind, how grave, how many say so."""
    parts = [
        one["competitor"],
        one.get("date") or "",
        (one.get("event_type") or "").replace("_", " "),
    ]
    if one.get("impact"):
        parts.append(f"impact {one['impact']:g}")
    if one.get("origins", 1) > 1:
        parts.append(f"{one['origins']} origins")
    return " · ".join(part for part in parts if part)


def _beside(one: Document) -> list[str]:
    """Give what stands under a claim: its figures, and what was said of it since."""
    lines = [one["detail"]] if one.get("detail") else []
    return lines + ([f"Since then: {'; '.join(one['changes'])}."] if one.get("changes") else [])


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _glance(brief: Document) -> list[tuple[str, str]]:
    """Give each competitor with its sums in a line."""
    return [
        (
            one["competitor"],
            f"{_counted(one['total_events'], 'event')}, confidence {one['confidence_score']:.2f}, risk {one['risk_level']}"
            + (f", last {one['last_event_at'][:10]}" if one["last_event_at"] else ""),
        )
        for one in brief.get("profiles", ())
    ]  # fmt: skip


def _silent(brief: Document) -> list[str]:
    """Say since when who is quiet, and of whom nothing is known."""
    days = {one["competitor"]: one["last_event"] for one in brief.get("quiet_since", ())}
    return [
        f"{name}: nothing since {days[name]}" if days.get(name) else f"{name}: nothing known yet"
        for name in brief["quiet"]
    ]


def _supposed(brief: Document) -> list[str]:
    """Give the hypotheses that are new or revised, and how many stand as they did."""
    fresh = [one for one in brief["strategies"] if one.get("changed", True)]
    lines = [
        f"{one['statement']} ({one['confidence']:.2f}{': ' + one['why'] if one.get('why') else ''})"
        for one in fresh
    ]
    same = len(brief["strategies"]) - len(fresh)
    return lines + ([f"{same} more stand as they did."] if same else [])


def _foretold(brief: Document) -> list[str]:
    """Give the predictions: how the decided ones ended, and by when the others are."""
    return [
        f"{one['competitor']}: {one['statement']} — said {one['probability']:.0%}, "
        + (
            f"open until {one['deadline']}"
            if one["outcome"] == "open"
            else f"ended {one['outcome']}" + (f", Brier {one['brier']:.2f}" if one["brier"] is not None else "")
        )
        for one in brief.get("predictions", ()) if not one.get("told_before")
    ]  # fmt: skip


def _omitted(brief: Document) -> list[str]:
    """Give what was left out and why; what an earlier briefing said of it is only counted."""
    fresh = [one for one in brief["left_out"] if not one.get("told_before")]
    lines = [f"{one['text'][:200]}: {one['reason']}" for one in fresh]
    told = len(brief["left_out"]) - len(fresh)
    if told:
        lines.append(f"{told} more for the reasons that an earlier briefing gave.")
    return lines or ["Nothing."]


def _lists(brief: Document) -> list[tuple[str, list[str]]]:
    """Give the parts after the claims, each a title and its lines; empty ones are left away."""
    parts = [
        ("Gone quiet", _silent(brief)),
        ("What they may be after (hypotheses)", _supposed(brief)),
        ("Predictions", _foretold(brief)),
        ("What did not work in this run", list(brief.get("notes", ()))),
        ("Left out, and why", _omitted(brief)),
    ]
    return [(title, lines) for title, lines in parts if lines]


def markdown(brief: Document) -> str:
    """Give Markdown; every claim has its quote's address and id."""
    lines = [f"# {_plain(_title(brief))}", ""]
    if brief.get("summary"):
        lines += [f"*{_IN_SHORT}* {_plain(_summary(brief))}", ""]
    if brief["empty"]:
        lines += [_NOTHING, ""]
    for name, some in _sections(brief):
        lines += [f"## {name.capitalize()}", ""]
        for one in some:
            lines.append(f"- **{_plain(_head(one))}**: {_plain(one['shown'])}")
            lines += [f"  {_plain(more)}" for more in _beside(one)]
            lines.append(f"  ({_plain(one['url'])}; `why {one['id']}`)")
        lines.append("")
    if glance := _glance(brief):
        lines += ["## At a glance", "", *(f"- {_plain(a)}: {_plain(b)}" for a, b in glance), ""]
    for title, some_lines in _lists(brief):
        lines += [f"## {title}", "", *(f"- {_plain(one)}" for one in some_lines), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def html(brief: Document) -> str:
    """Give one page of HTML without scripts or remote content."""
    parts = [f"<h1>{escape(_title(brief))}</h1>"]
    if brief.get("summary"):
        parts.append(f"<p><em>{_IN_SHORT}</em> {escape(_summary(brief))}</p>")
    if brief["empty"]:
        parts.append(f"<p>{_NOTHING}</p>")
    for name, some in _sections(brief):
        items = "".join(map(_item, some))
        parts.append(f"<h2>{escape(name.capitalize())}</h2><ul>{items}</ul>")
    if glance := _glance(brief):
        rows = "".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in glance)
        parts.append(f"<h2>At a glance</h2><dl>{rows}</dl>")
    for title, lines in _lists(brief):
        listed = "".join(f"<li>{escape(one)}</li>" for one in lines)
        parts.append(f"<h2>{escape(title)}</h2><ul>{listed}</ul>")
    body = "".join(parts)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(_title(brief))}</title>'
        f"<style>{_STYLE}</style></head><body>{body}</body></html>"
    )


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}"
    "blockquote{margin:.3rem 0;padding-left:.8rem;border-left:3px solid #bbb;color:#444}li{margin:.4rem 0}"
    "small{color:#555;overflow-wrap:anywhere}dt{font-weight:600}dd{margin:0 0 .4rem}"
)


def _item(one: Document) -> str:
    more = "".join(f"<p>{escape(line)}</p>" for line in _beside(one))
    # the words of a claim are mostly its quote: told once
    same = " ".join(one["quote"].split()) == " ".join(one["text"].split())
    quote = (
        ""
        if same
        else f'<blockquote cite="{escape(one["url"])}">{escape(one["quote"])}</blockquote>'
    )
    return (
        f'<li id="{escape(one["id"])}"><p><strong>{escape(_head(one))}</strong><br>{escape(one["shown"])}</p>{more}{quote}'
        f"<p><small>{_link(one['url'])} · {escape(one['id'])}</small></p></li>"
    )  # fmt: skip


def _link(url: str) -> str:
    safe = url.startswith(("https://", "http://"))
    return f'<a href="{escape(url)}" rel="noreferrer">{escape(url)}</a>' if safe else escape(url)


def slack(brief: Document) -> str:
    """Give Slack blocks as JSON; at most 50, as Slack takes."""
    blocks: list[Document] = [_block("header", _title(brief)[:150])]
    if brief["empty"]:
        blocks.append(_section(_NOTHING))
    for name, some in _sections(brief):
        blocks.append(_section(f"*{name.capitalize()}*"))
        blocks += [
            _section(
                f"*{_mrkdwn(_head(one))}*\n"
                + "\n".join(_mrkdwn(line) for line in [one["shown"], *_beside(one)])
                + f"\n{_mrkdwn(one['url'])} · {one['id']}"
            )
            for one in some
        ]
    if len(blocks) > 49:
        blocks = [*blocks[:48], _section(f"… and {len(blocks) - 48} more in the full briefing.")]
    blocks.append(
        _section(f"{len(brief['left_out'])} statements were left out; the briefing says why.")
    )
    return json.dumps({"blocks": blocks}, ensure_ascii=False)


def _block(kind: str, words: str) -> Document:
    return {"type": kind, "text": {"type": "plain_text", "text": words}}


def _section(words: str) -> Document:
    return {"type": "section", "text": {"type": "mrkdwn", "text": words[:2_900]}}


def _mrkdwn(words: str) -> str:
    """Escape what Slack would take for a mention, a link or markup."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def text(brief: Document) -> str:
    """Give plain text."""
    lines = [_title(brief), "=" * min(78, len(_title(brief))), ""]
    if brief.get("summary"):
        lines += [f"{_IN_SHORT} {_summary(brief)}", ""]
    if brief["empty"]:
        lines += [_NOTHING, ""]
    for name, some in _sections(brief):
        lines.append(name.upper())
        for one in some:
            told = [f"  - {_head(one)}", one["shown"], *_beside(one), one["url"]]
            lines.append("\n    ".join(told))
        lines.append("")
    if glance := _glance(brief):
        lines += ["AT A GLANCE", *(f"  - {a}: {b}" for a, b in glance), ""]
    for title, some_lines in _lists(brief):
        lines += [title.upper(), *(f"  - {one}" for one in some_lines), ""]
    return "\n".join(lines)


def email(brief: Document) -> str:
    """Give a message with a text and an HTML part; who sends it adds the addresses."""
    message = EmailMessage()
    message["Subject"] = " ".join(_title(brief).split())[:200]
    message.set_content(text(brief))
    message.add_alternative(html(brief), subtype="html")
    return message.as_string()


def rss(brief: Document) -> str:
    """Give an RSS feed with an item a claim."""
    items = "".join(
        f"<item><title>{escape((one['competitor'] + ': ' + one['shown'])[:200])}</title><link>{escape(one['url'])}</link>"
        f"{_published(one)}<category>{escape(one.get('event_type') or '')}</category>"
        f'<guid isPermaLink="false">{escape(one["id"])}</guid><description>{escape(one["quote"])}</description></item>'
        for one in brief["claims"]
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel>'
        f"<title>{escape(_title(brief))}</title><link>{escape(_first_url(brief))}</link><description>{escape(brief['topic'])}</description>{items}</channel></rss>"
    )


def _first_url(brief: Document) -> str:
    """Give an address for the feed: RSS asks for one, and a briefing has none of its own."""
    return next((one["url"] for one in brief["claims"]), "about:blank")


def _published(one: Document) -> str:
    """Give the day of a claim's event as RSS writes it."""
    try:
        at = datetime.fromisoformat(one.get("date") or "").replace(tzinfo=UTC)
    except ValueError:
        return ""
    return f"<pubDate>{format_datetime(at)}</pubDate>"
