"""Renders the fictional market of intel_world.toml as pages and feeds, and gives its answer key.

Must not hold a fact of its own: what a page says stands in the world, and every page says that it is fictional.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from datetime import date, timedelta
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

Row = list[Any]


class Truth(NamedTuple):
    """One event of the key, and the addresses that report it."""

    competitor: str
    event_type: str
    date: str
    amount: float | None
    currency: str
    plan: str
    words: str
    """A word that its quote or title must hold."""
    urls: tuple[str, ...]


class Version(NamedTuple):
    """One version of one page."""

    url: str
    at: str
    body: str
    kind: str = "html"


def world() -> dict[str, Any]:
    """Read the world."""
    text = resources.files("caselore.faces.demo").joinpath("intel_world.toml").read_text("utf-8")
    return tomllib.loads(text)


def names() -> tuple[str, ...]:
    """Give the competitors."""
    return tuple(one["name"] for one in world()["competitor"])


def key() -> tuple[Truth, ...]:
    """Give what really happened, in the order of the world."""
    return tuple(truth for truth, _ in _told())


def _companies() -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in world()["competitor"]}


def _told() -> Iterator[tuple[Truth, list[Version]]]:
    for group in world()["event"]:
        company = _companies()[group["of"]]
        for number, row in enumerate(group["rows"]):
            yield _event(company, row, number)


def _event(company: dict[str, Any], row: Row, number: int) -> tuple[Truth, list[Version]]:
    kind, day, seen = row[0], row[1], row[-1]
    own, other, third, headline = _SAID[kind](company["name"], row)
    slug = f"{day}-{number}"
    pages = (
        [_own_page(company, kind, row, slug, headline, own)] if kind != "pricing_change" else []
    )
    if "d" in seen or ("a" in seen):
        pages.append(
            _news("dailyhammer.example", slug + company["host"][:3], day, 1, headline, other)
        )
    if "a" in seen:
        pages.append(_copy(slug + company["host"][:3], day, headline, other))
    if "t" in seen:
        pages.append(
            _news(
                "tradebench.example",
                slug + company["host"][:3],
                day,
                2,
                f"{company['name']}: {third.split('.')[0]}",
                third,
            )
        )
    urls = tuple(one.url for one in pages) + (
        (f"https://{company['host']}/pricing",) if kind == "pricing_change" else ()
    )
    return Truth(company["name"], kind, day, *_value(kind, row), _word(kind, row), urls), pages


def _value(kind: str, row: Row) -> tuple[float | None, str, str]:
    if kind == "pricing_change":
        return float(row[4]), row[5], row[2]
    if kind == "acquisition":
        return float(row[3]), row[4], ""
    return (float(row[2]), row[3], "") if kind == "funding" else (None, "", "")


def _word(kind: str, row: Row) -> str:
    return str(
        {"market_signal": row[3], "hiring": row[2], "funding": "", "pricing_change": ""}.get(
            kind, row[2]
        )
    )


def money(amount: float, currency: str) -> str:
    """Write an amount as papers do: $28 million."""
    sign = {"USD": "$", "EUR": "€"}[currency]
    return f"{sign}{amount / 1e6:g} million" if amount >= 1e6 else f"{sign}{amount:g}"


def _launch(name: str, row: Row) -> tuple[str, str, str, str]:
    _, _, product, what, _ = row
    return (
        f"Today we are launching {product}, {what}. {product} is available to every customer of {name}.",
        f"{name} has released {product}, {what}. Teams had asked for it for a long time, the company said.",
        f"{name} ships {product}. The product is {what}, and existing users get it at no extra cost.",
        f"{name} launches {product}",
    )


def _hires(name: str, row: Row) -> tuple[str, str, str, str]:
    _, _, count, who, place, _ = row
    return (
        f"We are hiring {count} {who} in {place}. Have a look at the roles and write to us.",
        f"{name} wants to hire {count} {who} in {place}, according to its careers page.",
        f"{name} is recruiting {count} {who} for its {place} site.",
        f"{name} hires {count} {who} in {place}",
    )


def _partners(name: str, row: Row) -> tuple[str, str, str, str]:
    _, _, party, what, _ = row
    return (
        f"{name} and {party} today announced a partnership. {party} will {what}.",
        f"{name} has teamed up with {party}, which will {what}. Terms were not disclosed.",
        f"{name} signs partnership with {party}. The two expect first results within months.",
        f"{name} partners with {party}",
    )


def _funds(name: str, row: Row) -> tuple[str, str, str, str]:
    _, _, amount, currency, series, lead, _ = row
    sum_ = money(amount, currency)
    return (
        f"{name} today announced that it has raised {sum_} in {series} funding. The round was led by {lead}.",
        f"{name} secured {sum_} in a {series} round, with {lead} in the lead. It plans to double its team.",
        f"Investors around {lead} put {sum_} into {name}. The {series} round is its largest.",
        f"{name} raises {sum_}",
    )


def _prices(name: str, row: Row) -> tuple[str, str, str, str]:
    _, day, plan, before, after, currency, _ = row
    verb = "raises" if after > before else "cuts"
    old, new = money(before, currency), money(after, currency)
    when = f"{date.fromisoformat(day):%-d %B %Y}"
    return (
        f"{name} {verb} the price of its {plan} plan from {old} to {new} per seat per month, effective {when}.",
        f"{name} {verb} the price of its {plan} plan from {old} to {new} per seat per month, effective {when}. Other plans stay as they are.",
        f"The {plan} plan of {name} goes from {old} to {new} per seat on {when}.",
        f"{name} {verb} the price of its {plan} plan",
    )


def _buys(name: str, row: Row) -> tuple[str, str, str, str]:
    _, _, party, amount, currency, _ = row
    sum_ = money(amount, currency)
    return (
        f"{name} today announced that it has acquired {party} for {sum_} in cash. The team of {party} joins us.",
        f"{name} has bought {party}. The deal is worth {sum_}, both companies said.",
        f"{party} has been acquired by {name} for {sum_}, the latest purchase in a busy market.",
        f"{name} acquires {party}",
    )


def _signals(name: str, row: Row) -> tuple[str, str, str, str]:
    _, _, what, _, _ = row
    return (
        f"{name} {what}, we want you to hear it from us first.",
        f"{name} {what}, a spokesperson confirmed to this paper.",
        f"{name} {what}. Customers we asked took it calmly.",
        f"{name} {what}",
    )


_SAID = {
    "feature_launch": _launch, "hiring": _hires, "partnership": _partners, "funding": _funds,
    "pricing_change": _prices, "acquisition": _buys, "market_signal": _signals,
}  # fmt: skip


def _html(title: str, body: str, head: str = "") -> str:
    mark = world()["watermark"]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>{head}</head><body>'
        f'<nav><a href="/">Home</a> <a href="/news">News</a></nav>{body}<footer><p>{escape(mark)}</p></footer></body></html>'
    )


def _own_page(
    company: dict[str, Any], kind: str, row: Row, slug: str, headline: str, said: str
) -> Version:
    day = row[1]
    part = {"hiring": "careers", "feature_launch": "blog"}.get(kind, "press")
    shown = f"{date.fromisoformat(day):%B %-d, %Y}"
    about = f"<h2>About us</h2><p>{escape(company['alias_line'])}</p>" if part == "press" else ""
    body = f"<main><h1>{escape(headline)}</h1><p>{shown}</p><p>{escape(said)}</p>{about}</main>"
    return Version(
        f"https://{company['host']}/{part}/{slug}", f"{day}T12:00:00Z", _html(headline, body)
    )


def _news(host: str, slug: str, day: str, later: int, headline: str, said: str) -> Version:
    """Render an article that a paper publishes a day or two later, and that names the day."""
    published = date.fromisoformat(day) + timedelta(days=later)
    weekday = f"{date.fromisoformat(day):%A}"
    ld = json.dumps(
        {
            "@context": "https://schema.org",
            "@type": "NewsArticle",
            "headline": headline,
            "datePublished": f"{published}T08:00:00Z",
        }
    )
    first, dot, rest = said.partition(". ")
    told = (
        said
        if "effective" in said or " on " in first[-18:]
        else f"{first.rstrip('.')} on {weekday}.{' ' + rest if dot else ''}"
    )
    body = f"<article><h1>{escape(headline)}</h1><p>By a staff writer</p><p>{escape(told)}</p></article>"
    return Version(
        f"https://{host}/{slug}",
        f"{published}T09:00:00Z",
        _html(headline, body, f'<script type="application/ld+json">{ld}</script>'),
    )


def _copy(slug: str, day: str, headline: str, said: str) -> Version:
    copied = _news("newsmirror.aggregator.example", slug, day, 1, headline, said)
    return copied._replace(
        at=copied.at.replace("T09", "T15"),
        body=copied.body.replace("By a staff writer", "Found for you: the Daily Hammer writes"),
    )


def versions() -> list[Version]:
    """Give every version of every page, in the order of fetching."""
    made = [page for _, pages in _told() for page in pages]
    for company in world()["competitor"]:
        made += _price_pages(company)
        made.append(_feed(company))
    made += [page for row in world()["wrong"] for page in _wrong(row)]
    made += [_retitled(made), *_noise()]
    return sorted(made, key=lambda one: (one.at, one.url))


def _price_pages(company: dict[str, Any]) -> Iterator[Version]:
    """Render the price page at the year's beginning and on the morning of every change."""
    plans = dict(company["plans"])
    yield _price_page(company, plans, "2026-01-05T07:00:00Z", "2026-01-05")
    rows = next(group["rows"] for group in world()["event"] if group["of"] == company["name"])
    for row in sorted(
        (one for one in rows if one[0] == "pricing_change"), key=lambda one: str(one[1])
    ):
        plans[row[2]] = row[4]
        yield _price_page(company, plans, f"{row[1]}T07:00:00Z", row[1])


def _price_page(company: dict[str, Any], plans: dict[str, int], at: str, day: str) -> Version:
    sign = {"USD": "$", "EUR": "€"}[company["currency"]]
    lines = "".join(
        f"<tr><td>{plan}</td><td>{sign}{price}</td><td>per seat / month</td></tr>"
        for plan, price in plans.items()
    )
    table = f"<table><tr><th>Plan</th><th>Price</th><th>Billing</th></tr>{lines}</table>"
    body = f"<main><h1>Pricing</h1><p>Prices valid from {date.fromisoformat(day):%-d %B %Y}.</p>{table}</main>"
    return Version(
        f"https://{company['host']}/pricing", at, _html(f"{company['name']} pricing", body)
    )


def _feed(company: dict[str, Any]) -> Version:
    """Render a feed that repeats the newest posts of a company's blog."""
    rows = [
        row
        for group in world()["event"]
        if group["of"] == company["name"]
        for row in enumerate(group["rows"])
    ]
    posts = [(number, row) for number, row in rows if row[0] == "feature_launch"][-3:]
    items = "".join(
        f"<item><title>{escape(_launch(company['name'], row)[3])}</title><link>https://{company['host']}/blog/{row[1]}-{number}</link>"
        f"<pubDate>{date.fromisoformat(row[1]):%a, %d %b %Y} 10:00:00 GMT</pubDate><description>{escape(_launch(company['name'], row)[0])}</description></item>"
        for number, row in posts
    )
    text = f'<?xml version="1.0"?><rss version="2.0"><channel><title>{escape(company["name"])}</title>{items}</channel></rss>'
    return Version(f"https://{company['host']}/feed.xml", "2026-09-25T06:00:00Z", text, "xml")


def _wrong(row: dict[str, Any]) -> Iterator[Version]:
    hidden = (
        f"<div style='display:none'>{escape(row['hidden'])}</div><!-- {escape(row['hidden'])} -->"
        if "hidden" in row
        else ""
    )
    for day, said in ((row["at"], row["text"]), (row.get("fixed"), row.get("says"))):
        if day and said:
            shown = f"{date.fromisoformat(row['at']):%-d %B %Y}"
            title = said.split(",")[0].split(". ")[0]
            body = (
                f"<main><h1>{escape(title)}</h1><p>{shown}</p><p>{escape(said)}</p>{hidden}</main>"
            )
            yield Version(row["url"], f"{day}T10:00:00Z", _html(title, body))


def _retitled(made: list[Version]) -> Version:
    """Give an article of the Daily Hammer once more under another headline, at its address."""
    first = next(one for one in made if one.url.startswith("https://dailyhammer.example/"))
    other = first.body.replace("<h1>", "<h1>What it means: ").replace(
        "<title>", "<title>What it means: "
    )
    return first._replace(at="2026-01-19T09:00:00Z", body=other)


def _noise() -> Iterator[Version]:
    """Give pages that change every day, compare products or speak of somebody else."""
    for day in ("2026-02-01", "2026-02-02", "2026-02-03"):
        text = f"<main><h1>Velora status</h1><p>{date.fromisoformat(day):%-d %B %Y}</p><p>All systems of Velora are working.</p></main>"
        yield Version(
            "https://velora.example/status", f"{day}T06:00:00Z", _html("Velora status", text)
        )
    guide = "<main><h1>Seven build tools compared</h1><p>3 June 2026</p><p>Velora is quick, Quarrystone is thorough. Rivals of Velora, such as Globewright, raised $30 million in May.</p></main>"
    yield Version(
        "https://tradebench.example/compared",
        "2026-06-03T08:00:00Z",
        _html("Seven build tools compared", guide),
    )
    rival = "<main><h1>Globewright launches Pulley</h1><p>9 July 2026</p><p>Globewright, which competes with Velora and Quarrystone, today launched Pulley.</p></main>"
    yield Version(
        "https://globewright.example/pulley",
        "2026-07-09T08:00:00Z",
        _html("Globewright launches Pulley", rival),
    )
    yield Version(
        "https://hushed.example/robots.txt",
        "2026-01-01T00:00:00Z",
        "User-agent: *\nDisallow: /\n",
        "txt",
    )
    secret = "<main><h1>Velora acquires Hushed</h1><p>2 April 2026</p><p>Velora has acquired Hushed for $5 million.</p></main>"
    yield Version(
        "https://hushed.example/deal",
        "2026-04-02T08:00:00Z",
        _html("Velora acquires Hushed", secret),
    )


def render(folder: Path, *, until: str = "9999") -> Path:
    """Write the pages that were fetched by a day into a folder, with its site.json."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = []
    for number, one in enumerate(versions()):
        if one.at[:10] <= until:
            name = f"{number:03d}.{one.kind}"
            (folder / name).write_text(one.body, "utf-8")
            pages.append({"url": one.url, "file": name, "fetched_at": one.at})
    (folder / "site.json").write_text(json.dumps({"pages": pages}, indent=1), "utf-8")
    return folder
