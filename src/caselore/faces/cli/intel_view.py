"""Lays out what the intelligence desk answers for a person at a terminal.

Must not leave out a warning, nor show text that a terminal would obey.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from caselore.faces.terminal import Paper, one_line

if TYPE_CHECKING:
    from caselore.intel.prediction import Calibration
    from caselore.intel.profile import Profile
    from caselore.intel.run import Ran

Document = dict[str, Any]


def ran(found: Ran, paper: Paper) -> list[str]:
    """Lay out a run: its claims, what was left out, what is held."""
    lines = [paper.heading(f"{found.run}  {found.status}  {len(found.events)} events"), ""]
    for claim in found.brief.claims:
        head = f"{claim.section}: {claim.competitor} {claim.date} {claim.event_type}: "
        lines += paper.wrap(one_line(head + claim.shown), first="  • ", indent="    ")
        for more in (claim.detail, *claim.changes):
            lines += paper.wrap(one_line(more), first="    ", indent="    ") if more else []
        lines += paper.wrap(one_line(f"{claim.url}  why: {claim.id}"), first="    ", indent="    ")
    told = [f"{one['stage']}: {one['why']}" for one in found.audit if one.get("why")]
    for one in dict.fromkeys([*told, *found.brief.notes]):
        lines += paper.wrap(one_line(one), first="  ! ", indent="    ")
    if found.brief.empty and found.status != "failed":
        lines.append("  Nothing material happened.")
    if found.brief.left_out:
        lines += ["", paper.heading("Left out, and why")]
        lines += [
            paper.cut(f"  {one_line(reason)}: {one_line(text)}", paper.width)
            for text, reason in found.brief.left_out[:30]
        ]
    for url, rule in found.quarantined:
        lines += paper.wrap(one_line(f"{url} is held: {rule}"), first="  ! ", indent="    ")
    return lines


def events(found: Sequence[Document], paper: Paper) -> list[str]:
    """Lay out events, one a block."""
    if not found:
        return ["No event."]
    lines: list[str] = []
    for one in found:
        head = f"{one['date']}  {one['event_type']}  {one['competitor']}"
        head += f"  impact {one['impact_score']:g}  {one['origins']} origin(s)"
        lines.append(paper.heading(one_line(head)))
        lines += paper.wrap(one_line(f"“{one['quote']}”"), first="  ", indent="  ")
        lines += paper.wrap(one_line(f"{one['url']}  {one['id']}"), first="  ", indent="  ")
    return lines


def profile(found: Profile, paper: Paper) -> list[str]:
    """Lay out a profile with its reasons."""
    rows = (
        ("events", f"{found.total_events}, from {found.independent_events} independent origins"),
        ("confidence", f"{found.confidence_score:.2f}: {found.why['confidence_score']}"),
        ("risk", f"{found.risk_level}: {found.why['risk_level']}"),
        ("by type", ", ".join(f"{name} {count}" for name, count in found.by_type.items())),
        ("last", found.last_event_at[:10]),
    )
    return [paper.heading(one_line(found.competitor)), *paper.table(rows)]


def strategies(found: Sequence[Document], paper: Paper) -> list[str]:
    """Lay out hypotheses."""
    lines: list[str] = []
    for one in found:
        lines += paper.wrap(
            one_line(
                f"{one['statement']} ({one['confidence']:.2f}, {one['status']}): {one['why']}"
            ),
            first="  • ",
            indent="    ",
        )
    return lines or ["No hypothesis yet."]


def predictions(found: Sequence[Document], paper: Paper) -> list[str]:
    """Lay out predictions."""
    lines: list[str] = []
    for one in found:
        score = f", Brier {one['brier']:.3f}" if one["brier"] is not None else ""
        lines += paper.wrap(
            one_line(
                f"{one['competitor']}: {one['statement']} — {one['probability']:.0%}"
                f" by {one['deadline']}: {one['outcome']}{score}"
            ),
            first="  • ", indent="    ",
        )  # fmt: skip
    return lines or ["No prediction."]


def calibration(found: Calibration, paper: Paper) -> list[str]:
    """Lay out the scores and the bins."""
    if not found.n:
        return [f"No decided prediction yet ({found.open} open, {found.void} void): no score."]
    lines = [
        f"n = {found.n}, Brier {found.brier:.3f}, log score {found.log_score:.3f}"
        f", base rate {found.base_rate:.2f}",
        f"reliability {found.reliability:.3f}, resolution {found.resolution:.3f}"
        f", uncertainty {found.uncertainty:.3f}",
    ]
    lines += [
        f"  said {one.said:.0%}  happened {one.happened:.0%}  n = {one.n}" for one in found.bins
    ]
    return lines if found.n >= 30 else [*lines, "Fewer than 30: not enough to judge by."]


def why(found: Document, paper: Paper) -> list[str]:
    """Lay out a quote in its page."""
    if "quote" not in found:
        return [paper.heading(one_line(found["url"])), *paper.wrap(found["text"])]
    now = (
        "still says so"
        if found["page_says_so_now"]
        else "reads otherwise by now; this is the stored version"
    )
    rows = (
        ("page", found["url"]),
        ("title", found["title"]),
        ("fetched", found["fetched_at"]),
        ("today", f"The page {now}."),
        ("snapshot", found["snapshot"]),
    )
    around = found["context"]
    quoted = f"…{around['before']}»{found['quote']}«{around['after']}…"
    return [
        *paper.table([(name, one_line(str(value))) for name, value in rows]),
        "",
        *paper.wrap(quoted),
    ]


def backtest(found: Document, paper: Paper) -> list[str]:
    """Lay out the learning curve."""
    lines = [paper.heading("as of       events  new  claims  citations  Brier")]
    for one in found["steps"]:
        score = "-" if one["brier"] is None else f"{one['brier']:.3f}"
        right = one["citation_accuracy"]
        cited = "-" if right is None else f"{right:.0%}"
        lines.append(
            f"{one['as_of']}  {one['events']:6d} {one['new']:4d} {one['claims']:7d}"
            f" {cited:>10}  {score}"
        )
    return lines


def battlecard(found: Document, paper: Paper) -> list[str]:
    """Lay out a battlecard."""
    lines = [paper.heading(one_line(f"{found['competitor']}, as of {found['as_of']}"))]
    for one in found["lines"]:
        stale = f"  STALE: {one['stale_why']}" if one["stale"] else ""
        head = f"{one['topic']} ({one['as_of']}, {one['age_days']} days){stale}: {one['fact']}"
        lines += paper.wrap(one_line(head), first="  • ", indent="    ")
    return lines


def _figure(value: float | None) -> str:
    return "?" if value is None else f"{value:,.10g}"


def prices(found: Sequence[Document], paper: Paper) -> list[str]:
    """Lay out a history of prices."""
    return [
        paper.cut(
            one_line(
                f"{one['date']}  {one['plan'] or '-'}  "
                f"{_figure(one['before'])} → {_figure(one['amount'])}"
                f" {one['currency'] or ''} {one['unit'] or ''}"
            ),
            paper.width,
        )
        for one in found
    ] or ["No change of a price is known."]


def alerts(found: Sequence[Document], paper: Paper) -> list[str]:
    """Lay out alerts, grouped."""
    lines: list[str] = []
    for group in found:
        lines.append(paper.heading(one_line(group["competitor"])))
        for one in group["events"]:
            told = f"{one['date']}  {one['rule']}: {one['text']}"
            lines += paper.wrap(one_line(told), first="  ! ", indent="    ")
    return lines or ["Nothing is above the threshold."]


def verified(found: Document, paper: Paper) -> list[str]:
    """Lay out verdicts of claims, and the scores where there were labels."""
    lines: list[str] = []
    for one in found["claims"]:
        why = f": {one['reason']}" if one["reason"] else ""
        lines += paper.wrap(
            one_line(f"{one['verdict']}{why} — {one['text']}"), first="  • ", indent="    "
        )
    if found["scores"]:
        told = found["scores"]
        lines.append(
            f"n = {told['n']}, macro-F1 {told['macro_f1']:.3f} of supported or not,"
            f" {told['macro_f1_of_three']:.3f} of all labels"
        )
    return lines


def due(found: Document, paper: Paper) -> list[str]:
    """Lay out what a round of the schedule did."""
    lines = [f"{found['done']} runs done, {found['again']} to be tried again."]
    lines += [
        paper.cut(
            one_line(f"  {one['watch']}: every {one['every_hours']:g} h, {one['topic']}"),
            paper.width,
        )
        for one in found["watches"]
    ] or ["  No watch is set: [intel.watch.NAME] in caselore.toml of the home."]
    for one in found["errors"]:
        lines += paper.wrap(one_line(one), first="  ! ", indent="    ")
    return lines


def held(found: Document, paper: Paper) -> list[str]:
    """Lay out what a guard holds: what was found, then the words, cut."""
    body = found["body"]
    words = str(body.get("text") or body.get("title") or "")
    lines = [paper.heading(one_line(f"{found['id']}  {found['kind']}  held"))]
    lines += [paper.cut(one_line(f"  found: {one}"), paper.width) for one in found["findings"]]
    where = body.get("url") or body.get("report", {}).get("url") or ""
    lines.append(paper.cut(one_line(f"  {where}"), paper.width))
    return [*lines, *paper.wrap(one_line(words[:1_200]), first="  | ", indent="  | ")]
