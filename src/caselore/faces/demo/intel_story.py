"""Shows the first and the eighth week of watching a fictional market, in a throw-away home.

Must not touch the memory of the person who looks, nor leave out that all of it is fictional.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from caselore import wiring
from caselore.faces.demo import intel_site
from caselore.settings import load

WEEKS = (("week 1", "2026-01-18"), ("week 8", "2026-03-08"))


def told() -> Iterator[str]:
    """Tell the story line by line."""
    world = intel_site.world()
    yield world["watermark"]
    with tempfile.TemporaryDirectory(prefix="caselore-demo-") as place:
        home = Path(place) / "home"
        site = intel_site.render(Path(place) / "site")
        with wiring.build(load(home, environment={}, folder=Path(place))) as app:
            for label, day in WEEKS:
                ran = app.intel.run(
                    world["topic"], intel_site.names(), [str(site)], as_of=day, since="last"
                )
                yield f"\n=== {label}, as of {day} ===\n"
                yield app.intel.deliver("md", ran.run)
            yield "\n=== how sure, how risky ===\n"
            for name in intel_site.names():
                found = app.intel.profile(name, as_of=WEEKS[-1][1])
                sure = f"confidence {found.confidence_score:.2f}, risk {found.risk_level}"
                yield f"{name}: {found.total_events} events, {sure}"
            yield from _how_known(app)
    yield f"\n{world['watermark']}"


def _how_known(app: wiring.App) -> Iterator[str]:
    """Open the first claim's quote in its stored page."""
    claims = app.intel.brief()["claims"]
    if claims:
        found = app.intel.why(claims[0]["id"])
        yield f"\n=== how do you know? ===\n\n{found['url']}, stored {found['fetched_at'][:10]}:"
        around = found["context"]
        yield f"  …{around['before'][-60:]}»{found['quote']}«{around['after'][:60]}…"
