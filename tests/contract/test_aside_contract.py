"""What is kept beside the evidence: the same over a file and over Postgres, for several at once."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from caselore.errors import Conflict, UnderWay
from caselore.memory.aside_ports import Answer
from caselore.memory.stores.aside_file import AsideFile
from caselore.memory.stores.aside_table import AsideTable

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=3)


@pytest.fixture(params=["file", "postgres"])
def another(request, tmp_path):
    """Give what opens the same place once more, as another process does."""
    opened = []
    if request.param == "file":
        make = lambda **more: AsideFile(tmp_path / "aside.db", **more)  # noqa: E731
    else:
        url = request.getfixturevalue("postgres_url")
        make = lambda **more: AsideTable(url, **more)  # noqa: E731

    def give(**more):
        opened.append(make(**more))
        return opened[-1]

    yield give
    for one in opened:
        one.close()


@pytest.fixture
def aside(another):
    return another()


def test_an_answer_is_repeated_by_every_process_and_after_a_restart(aside, another):
    assert aside.claim("k", "submit a", NOW) is None
    aside.keep("k", 201, '{"incident": "inc_1"}')
    aside.close()

    for moment in (NOW, NOW + timedelta(hours=23)):
        assert another().claim("k", "submit a", moment) == Answer(201, '{"incident": "inc_1"}')


def test_a_key_belongs_to_one_request(aside, another):
    aside.claim("k", "submit a", NOW)
    with pytest.raises(UnderWay):
        another().claim("k", "submit a", NOW)
    with pytest.raises(Conflict) as caught:
        another().claim("k", "submit b", NOW)

    assert not isinstance(caught.value, UnderWay)
    assert another().claim("another", "submit b", NOW) is None


def test_a_key_is_free_again_once_its_request_came_to_nothing_or_died_or_is_a_day_old(aside):
    aside.claim("refused", "a", NOW)
    aside.free("refused")
    aside.claim("died", "a", NOW)
    aside.claim("old", "a", NOW)
    aside.keep("old", 201, "{}")

    assert aside.claim("refused", "b", NOW) is None
    assert aside.claim("died", "a", NOW + timedelta(minutes=3)) is None
    assert aside.claim("old", "b", NOW + timedelta(hours=25)) is None


def test_an_answer_is_looked_up_without_taking_its_key(aside, another):
    assert aside.answered("k", "a", NOW) is None
    assert aside.claim("k", "a", NOW) is None  # still free
    assert another().answered("k", "a", NOW) is None  # under way
    aside.keep("k", 201, "{}")

    assert another().answered("k", "a", NOW) == Answer(201, "{}")
    assert aside.answered("k", "b", NOW) is None
    assert aside.answered("k", "a", NOW + timedelta(hours=25)) is None


def test_of_many_at_once_one_takes_the_key(another):
    places = [another() for _ in range(6)]
    taken, waiting = [], []

    def claim(place):
        try:
            taken.append(place.claim("k", "a", NOW))
        except UnderWay:
            waiting.append(place)

    threads = [threading.Thread(target=claim, args=(one,)) for one in places for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(30)

    assert taken == [None]
    assert len(waiting) == len(threads) - 1


def test_a_log_is_kept_until_its_day(aside, another):
    aside.put_log("b", "inc_1", b"one", LATER, NOW)
    aside.put_log("b", "inc_1", b"one again", LATER, NOW)
    aside.put_log("c", "inc_1", b"another bank's", LATER, NOW)

    assert another().log("b", "inc_1", NOW) == b"one again"
    assert another().log("b", "inc_2", NOW) is None
    assert aside.log("b", "inc_1", LATER + timedelta(seconds=1)) is None
    assert another().log("b", "inc_1", NOW) is None


def test_the_oldest_logs_go_where_they_are_too_much(another):
    small = another(most=25)
    for number in range(4):
        small.put_log("b", f"inc_{number}", b"0123456789", LATER, NOW)

    kept = [small.log("b", f"inc_{number}", NOW) is not None for number in range(4)]
    assert kept == [False, False, True, True]
    small.put_log("b", "inc_2", b"9876543210", LATER, NOW)  # again, so it is the newest now
    small.put_log("b", "inc_4", b"0123456789", LATER, NOW)
    kept = [small.log("b", f"inc_{number}", NOW) is not None for number in range(5)]
    assert kept == [False, False, True, False, True]


def test_a_log_whose_day_is_over_goes_when_another_comes(aside):
    aside.put_log("b", "inc_1", b"one", LATER, NOW)
    after = LATER + timedelta(seconds=1)
    aside.put_log("b", "inc_2", b"two", after + timedelta(days=3), after)

    assert aside.log("b", "inc_1", NOW) is None
    assert aside.log("b", "inc_2", NOW) == b"two"


def test_what_is_forgotten_is_in_no_file(aside, tmp_path):
    aside.put_log("b", "inc_gone", b"the-customers-address", LATER, NOW)
    aside.claim("k", "a", NOW)
    aside.keep("k", 201, '{"incident": "inc_gone", "text": "the-customers-address"}')
    aside.claim("other", "a", NOW)
    aside.keep("other", 201, '{"incident": "inc_stays"}')
    aside.forget("b", ["inc_gone", "inc_unknown"])

    assert aside.log("b", "inc_gone", NOW) is None
    assert aside.claim("other", "a", NOW) == Answer(201, '{"incident": "inc_stays"}')
    assert aside.claim("k", "a", NOW) is None
    for file in tmp_path.iterdir():
        assert b"the-customers-address" not in file.read_bytes(), file


def test_a_connection_that_was_cut_off_is_opened_anew(postgres_url):
    place = AsideTable(postgres_url)
    place.claim("k", "a", NOW)
    with psycopg.connect(postgres_url, autocommit=True) as link:
        link.execute(
            b"SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            b"WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )

    with pytest.raises(UnderWay):
        place.claim("k", "a", NOW)
    place.close()
