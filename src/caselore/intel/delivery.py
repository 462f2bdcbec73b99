"""Lays a briefing out for its readers: Markdown, HTML, Slack blocks, e-mail, text, RSS.

Must not add, drop or reword a claim; what is shown is escaped for where it is shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from email.message import EmailMessage
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
            lines.append(
                f"- {_plain(one['shown'])} ({_plain(one['competitor'])}; {_plain(one['url'])}; `why {one['id']}`)"
            )
        lines.append("")
    if brief["quiet"]:
        lines += ["## Gone quiet", "", *(f"- {_plain(name)}" for name in brief["quiet"]), ""]
    if brief["strategies"]:
        lines += ["## What they may be after (hypotheses)", ""]
        lines += [
            f"- {_plain(one['statement'])} ({one['confidence']:.2f})"
            for one in brief["strategies"]
        ] + [""]
    lines += ["## Left out, and why", ""]
    lines += [
        f"- {_plain(one['text'][:200])}: {_plain(one['reason'])}" for one in brief["left_out"]
    ] or ["- Nothing."]
    return "\n".join(lines)


def html(brief: Document) -> str:
    """Give one page of HTML without scripts or remote content."""
    parts = [f"<h1>{escape(_title(brief))}</h1>"]
    if brief.get("summary"):
        parts.append(f"<p><em>{_IN_SHORT}</em> {escape(_summary(brief))}</p>")
    if brief["empty"]:
        parts.append(f"<p>{_NOTHING}</p>")
    for name, some in _sections(brief):
        items = "".join(
            f'<li id="{escape(one["id"])}"><p>{escape(one["shown"])}</p><blockquote cite="{escape(one["url"])}">{escape(one["quote"])}</blockquote>'
            f"<p><small>{escape(one['competitor'])} · {_link(one['url'])} · {escape(one['id'])}</small></p></li>"
            for one in some
        )
        parts.append(f"<h2>{escape(name.capitalize())}</h2><ul>{items}</ul>")
    if brief["quiet"]:
        parts.append(f"<h2>Gone quiet</h2><p>{escape(', '.join(brief['quiet']))}</p>")
    left = "".join(
        f"<li>{escape(one['text'][:200])}: {escape(one['reason'])}</li>"
        for one in brief["left_out"]
    )
    parts.append(f"<h2>Left out, and why</h2><ul>{left or '<li>Nothing.</li>'}</ul>")
    body = "".join(parts)
    return f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(_title(brief))}</title></head><body>{body}</body></html>'


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
            _section(f"{_mrkdwn(one['shown'])}\n{_mrkdwn(one['url'])} · {one['id']}")
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
        lines += [name.upper(), *(f"  - {one['shown']}\n    {one['url']}" for one in some), ""]
    lines += [
        "LEFT OUT, AND WHY",
        *(f"  - {one['text'][:200]}: {one['reason']}" for one in brief["left_out"]),
    ]
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
        f"<item><title>{escape(one['shown'][:200])}</title><link>{escape(one['url'])}</link>"
        f'<guid isPermaLink="false">{escape(one["id"])}</guid><description>{escape(one["quote"])}</description></item>'
        for one in brief["claims"]
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel>'
        f"<title>{escape(_title(brief))}</title><link>about:blank</link><description>{escape(brief['topic'])}</description>{items}</channel></rss>"
    )
