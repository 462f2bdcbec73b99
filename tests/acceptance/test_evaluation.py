"""`caselore eval diagnosis` counts what stands, with templates and with a model of any kind."""

from __future__ import annotations

import re

import pytest

from fakes.model_server import serving


def test_templates_keep_every_value_and_abstain_where_nothing_is_known(home):
    found = home.ok("eval", "diagnosis")

    assert found["trials"] == len(found["marks"]) >= 12
    for figure in ("value_fidelity", "citation_precision", "citation_recall", "abstention"):
        assert found[figure] == 1.0, (figure, found["marks"])
    assert found["phrased"] == 0.0
    assert not (home.folder / "caselore.db").exists()  # the user's memory is not touched


def embellished(body):
    ids = re.findall(
        r'<data id="(inc_[0-9a-f]+)" origin="precedent', body["messages"][-1]["content"]
    )
    text = "Restart everything and use batches of 200–1000 records."
    return {"evidence": [], "diagnosis": [], "fix": [{"text": text, "cites": ids[:1]}]}


def quoted(body):
    told = body["messages"][-1]["content"]
    found = re.search(
        r'<data id="(inc_[0-9a-f]+)" origin="precedent.*?\nresolution: (.*?)\n', told, re.S
    )
    fix = [{"text": found[2], "cites": [found[1]]}] if found else []
    return {"evidence": [], "diagnosis": [], "fix": fix}


@pytest.mark.parametrize(("reply", "phrased"), [(embellished, 0.0), (quoted, 0.58)])
def test_a_model_is_measured_and_can_make_nothing_worse(home, reply, phrased):
    with serving(reply) as server:
        home.extra = {"CASELORE_MODEL": "openai:double", "CASELORE_MODEL_URL": server.url}
        found = home.ok("eval", "diagnosis")

    assert (found["value_fidelity"], found["abstention"]) == (1.0, 1.0)
    assert found["phrased"] == pytest.approx(phrased, abs=0.01)
    # the one fix that the faithful double may not give is the one that failed
    assert found["withheld"] > 6 if reply is embellished else found["withheld"] == 1


def test_usage_adds_up_and_says_when_nothing_was_asked(home):
    assert home.ok("model", "usage") == {"days": []}
    with serving(lambda _: {}) as server:
        home.extra = {"CASELORE_MODEL": "openai:double", "CASELORE_MODEL_URL": server.url}
        home.ok("diagnose", home.log("a.log", "Error: no\n"), code=1)
    (day,) = home.ok("model", "usage")["days"]

    assert (day["model"], day["calls"], day["tokens_read"]) == ("openai:double", 1, 100)
    assert "1 calls" in home.run("model", "usage").out
