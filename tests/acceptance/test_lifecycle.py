"""How a memory lives on: what was known when, what replaced what, what is kept and what goes."""

from __future__ import annotations

from datetime import UTC, datetime

import scenes


def failed(home, deployment, log=scenes.FIRST, *, code=1):
    """Diagnose one failed deployment and give its document."""
    path = home.log(f"{deployment}.log", log)
    return home.ok(
        "diagnose", path, "--service", "orders", "--deployment", deployment, code=code
    )  # fmt: skip


def confirmed(home, deployment, resolution="batches of 500 rows", result="succeeded"):
    home.ok(
        "confirm", deployment, "--cause", "one long lock", "--resolution", resolution,
        "--result", result,
    )  # fmt: skip


def test_a_recall_as_of_a_time_answers_from_what_was_known_then(ana):
    failed(ana, "1017")
    failed(ana, "1057", scenes.REPEAT)
    before = datetime.now(UTC).isoformat()
    confirmed(ana, "1017")

    then = ana.ok("recall", "--incident", "1057", "--as-of", before, code=1)
    now = ana.ok("recall", "--incident", "1057")
    elsewhere = ana.ok("recall", "--incident", "1057", "--environment", "staging", code=1)

    assert (then["precedents"], len(then["nearest"])) == ([], 1)
    assert [one["deployment"] for one in now["precedents"]] == ["1017"]
    assert elsewhere["considered"] == 0
    assert ana.run("recall", "lock", "--as-of", "yesterday").code == 2
