"""A mirror in a Hindsight bank keeps one contract: over the fake server, and over the real one.

The real server is 1.5 GB of packages and takes minutes to start: `make hindsight` runs it.
"""

from __future__ import annotations

import uuid

import pytest

from caselore.errors import Unavailable
from caselore.memory.mirror_ports import Kept
from caselore.memory.stores.hindsight_bank import HindsightBank
from caselore.memory.stores.mirroring import MirrorArm, Mirroring
from fakes import hindsight_real, hindsight_server
from fakes.failures import ANA, BATCHES, CI, failure, memory_at, signed

KEY = "hs-0123456789abcdef"


@pytest.fixture(scope="module", params=["fake", pytest.param("real", marks=pytest.mark.hindsight)])
def address(request):
    start = {"fake": hindsight_server.serving, "real": hindsight_real.serving}
    with start[request.param]() as running:
        yield running if isinstance(running, str) else running.url


@pytest.fixture
def bank(address):
    return HindsightBank(address, f"mirror-{uuid.uuid4().hex[:8]}", KEY, recalling=30.0)


def kept(id, text="disk full: no space left on device", **more):
    told = {"at": "2026-03-01T09:00:00.000000Z", "service": "web", "result": "succeeded", **more}
    return Kept(f"caselore:default:{id}", text, **told)


def test_what_is_retained_is_recalled_by_its_name(bank):
    bank.retain([kept("inc_1"), kept("inc_2", "login denied: password rejected")])

    found = bank.recall("login with a password", 5)

    assert found[0] == "caselore:default:inc_2"
    assert len(found) == len(set(found))


def test_what_is_retained_again_replaces_itself(bank):
    bank.retain([kept("inc_1", "the first words")])
    bank.retain([kept("inc_1", "other words")])

    assert [(one.document, one.text) for one in bank.units()] == [
        ("caselore:default:inc_1", "other words")
    ]


def test_what_is_removed_is_gone_and_what_is_not_there_is_no_error(bank):
    bank.retain([kept("inc_1"), kept("inc_2", "login denied")])
    bank.remove("caselore:default:inc_1")
    bank.remove("caselore:default:inc_1")
    bank.remove("caselore:default:never")

    assert [one.document for one in bank.units()] == ["caselore:default:inc_2"]
    assert "caselore:default:inc_1" not in bank.recall("disk full", 5)


def test_each_memory_tells_where_and_when_it_was(bank):
    bank.retain([kept("inc_1", service="pay")])
    (unit,) = bank.units()

    assert (unit.service, unit.at[:10]) == ("pay", "2026-03-01")
    assert unit.id


def test_more_than_one_page_is_listed_whole(bank):
    bank.retain([kept(f"inc_{n}", f"failure number {n} of the day") for n in range(205)])

    assert len({one.document for one in bank.units()}) == 205


def test_a_bank_that_is_not_there_knows_nothing(bank):
    assert bank.recall("disk full", 5) == []
    bank.remove("caselore:default:inc_1")


def test_a_limit_holds_and_a_long_question_is_cut(bank):
    bank.retain([kept(f"inc_{n}", f"disk full on machine {n}") for n in range(6)])

    assert len(bank.recall("disk full " * 2_000, 3)) <= 3


def test_a_memory_is_mirrored_asked_and_withdrawn(bank, tmp_path):
    memory = memory_at(tmp_path / "lore.sqlite3")
    for number, words in (("1", "odd leftovers of a volume"), ("2", "password of the robot")):
        memory.observe(failure(number, signature=signed(number), block=words), CI)
        memory.confirm(number, **BATCHES, actor=ANA)
    mirror = Mirroring(memory.store, bank, memory.bank, tmp_path / "mirror.json")
    assert mirror.deliver().kept == 2
    memory._arms = (MirrorArm(bank),)

    found = memory.recall(text="the robot has another password")
    memory.erase("2", "a name stood in it", ANA)
    assert mirror.deliver().removed == 1

    reasons = [
        (hit.case.record.body.deployment, one.reason)
        for hit in (*found.hits, *found.nearest)
        for one in hit.signals
    ]
    assert ("2", f"place 1 by {bank.name}") in reasons
    assert len(list(bank.units())) == 1
    memory.close()


# What only the fake does on order


@pytest.fixture(scope="module")
def server():
    with hindsight_server.serving() as running:
        yield running


@pytest.mark.parametrize("fault", ["refuses", "fails", "stalls", "page", "shapeless", "hangs_up"])
def test_whatever_it_does_wrong_is_one_kind_of_error_without_its_words(server, fault):
    server.fault = fault
    bank = HindsightBank(server.url, "b", KEY, recalling=0.5)

    with pytest.raises(Unavailable) as caught:
        bank.recall("a question of mine", 5)
    server.fault = ""

    said = f"{caught.value} {caught.value.hint}"
    assert not any(word in said for word in (KEY, "SECRET-ECHO", "of mine"))


def test_a_server_that_is_not_there_is_the_same_error():
    with pytest.raises(Unavailable):
        HindsightBank("http://127.0.0.1:9", "b").recall("why", 5)


def test_the_key_is_sent_and_a_bank_that_exists_keeps_its_settings(server):
    server.fault = ""
    server.banks["theirs"] = {}
    HindsightBank(server.url, "theirs", KEY).retain([kept("inc_1")])

    assert f"Bearer {KEY}" in server.keys
    assert [one for one in server.made if one["bank"] == "theirs"] == []
