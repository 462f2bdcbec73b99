"""Fictional markets in one file each: unpacks the pages, runs the product over them, scores it against the key."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import date
from itertools import combinations
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "cases" / "intel" / "worlds"


def unpack(name, folder):
    """Write a world's pages and their list into a folder; give each page's address by its id."""
    folder.mkdir(parents=True)
    listed, urls = [], {}
    text = (FOLDER / f"{name}.pages").read_text(encoding="utf-8")
    for part in re.split(r"^@@ ", text, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        id, url, fetched, *more = [one.strip() for one in head.split("|")]
        urls[id] = url
        row = {"url": url, "fetched_at": fetched}
        kind = more[0] if more else "html"
        if "=" in kind:
            field_, _, value = kind.partition("=")
            row[field_] = int(value) if value.isdigit() else value
        else:
            row["file"] = f"{id}.{kind}"
            (folder / row["file"]).write_text(body, encoding="utf-8")
        listed.append(row)
    (folder / "site.json").write_text(json.dumps({"pages": listed}))
    return urls


def key(name):
    """Give a world's answers."""
    return json.loads((FOLDER / f"{name}.key.json").read_text(encoding="utf-8"))


@dataclass
class Score:
    """How a run did against the key."""

    found: list = field(default_factory=list)
    missed: list = field(default_factory=list)
    wrong: list = field(default_factory=list)
    wrong_amount: list = field(default_factory=list)
    wrong_date: list = field(default_factory=list)
    forbidden: list = field(default_factory=list)
    due: int = 0
    reported: int = 0
    pairs: tuple = (0, 0, 0)

    @property
    def recall(self):
        return len(self.found) / self.due

    @property
    def precision(self):
        return 1 - len(self.wrong) / self.reported if self.reported else 0.0

    @property
    def dedupe(self):
        both, told, true = self.pairs
        return 2 * both / (told + true) if told + true else 1.0

    @property
    def dated(self):
        return 1 - len(self.wrong_date) / len(self.found)


def fits(true, event, urls):
    kinds = true["type"] if isinstance(true["type"], list) else [true["type"]]
    days = [true["date"], *true.get("or_dates", ())]
    near = min(
        abs(date.fromisoformat(one) - date.fromisoformat(event["date"])).days for one in days
    )
    text = f"{event['title']} {event['quote']}".lower()
    return (
        event["competitor"] == true["competitor"]
        and event["event_type"] in kinds
        and near <= 14
        and (
            any(word.lower() in text for word in true["words"].split("|"))
            or (near <= 3 and {urls[one] for one in true["pages"]} & set(event["urls"]))
        )
    )


def score(answers, urls, events):
    """Compare the reported events with the key."""
    out = Score(reported=len(events))
    left = list(events)
    told, true_pairs = set(), set()
    for true in answers["events"]:
        hits = [one for one in left if fits(true, one, urls)]
        # an exact amount first, then the nearest day
        hits.sort(
            key=lambda one: (
                one["amount"] != true.get("amount"),
                abs(date.fromisoformat(true["date"]) - date.fromisoformat(one["date"])).days,
            )
        )
        optional = true.get("optional", False)
        out.due += not optional
        if not hits:
            out.missed += [] if optional else [true]
            continue
        hit = hits[0]
        left.remove(hit)
        if true.get("twice") and len(hits) > 1 and hits[1]["event_type"] != hit["event_type"]:
            left.remove(hits[1])
        if not optional:
            out.found.append((true, hit))
        told_amount = (hit["amount"], hit["currency"])
        priced = true.get("amount") is not None or hit["event_type"] == "pricing_change"
        if priced and told_amount != (true.get("amount"), true.get("currency")):
            out.wrong_amount.append((true, hit))
        if hit["date"] not in {true["date"], *true.get("or_dates", ())}:
            out.wrong_date.append((true, hit))
        due = {urls[one] for one in true["pages"]}
        spare = {urls[one] for one in true.get("optional_pages", ())}
        true_pairs |= {(hit["id"], *pair) for pair in combinations(sorted(due), 2)}
        told |= {(hit["id"], *pair) for pair in combinations(sorted(set(hit["urls"]) - spare), 2)}
    out.wrong = left
    for one in left:
        told |= {(one["id"], *pair) for pair in combinations(sorted(set(one["urls"])), 2)}
    out.pairs = (len(told & true_pairs), len(told), len(true_pairs))
    text = [f"{one['title']} {one['quote']}" for one in events]
    out.forbidden = [word for word in answers["forbidden"] if any(word in one for one in text)]
    return out
