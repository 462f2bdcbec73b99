"""The transport under a forge that is slow, broken, busy, moved or lying."""

from __future__ import annotations

import email.utils

import pytest

from caselore.errors import (
    ForgeGarbled,
    ForgeLimited,
    ForgeSlow,
    ForgeUnavailable,
    NotFound,
)
from caselore.forges import transport
from caselore.forges.transport import Transport
from fakes.forge_server import Said, serving

NOW = 1_800_000_000.0


class Trip:
    """A transport to a server that answers as told, and the waits that it made."""

    def __init__(self, server, **more) -> None:
        self.waits: list[float] = []
        self.server = server
        self.transport = Transport(
            f"{server.base}/api",
            {"Authorization": "Bearer secret-token"},
            wait=self.waits.append,
            dice=lambda: 0.5,
            now=lambda: NOW,
            **more,
        )

    def get(self, *faults: Said, path="x", **query):
        self.server.faults = list(faults)
        return self.transport.get(path, **query)


@pytest.fixture
def trip():
    with serving(lambda *_: Said({"ok": True})) as server:
        found = Trip(server)
        yield found
        found.transport.close()


def test_a_sound_answer_is_asked_for_once(trip):
    assert trip.get().value == {"ok": True}
    assert (trip.transport.counters.asked, trip.waits) == (1, [])


@pytest.mark.parametrize("status", [500, 502, 503, 504, 429, 408])
def test_trouble_that_passes_is_waited_out_with_full_jitter(trip, status):
    assert trip.get(Said({}, status), Said({}, status)).value == {"ok": True}
    assert trip.waits == [0.5 * 1.0, 0.5 * 2.0]
    assert trip.transport.counters.retried == 2


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": email.utils.formatdate(NOW + 9, usegmt=True)}, 9.0),
        ({"X-RateLimit-Remaining": "1", "X-RateLimit-Reset": str(int(NOW + 5))}, 5.0),
        ({"RateLimit-Reset": str(int(NOW + 4))}, 4.0),
        ({"Retry-After": "soon"}, 0.5),
        ({}, 0.5),
    ],
)
def test_a_forge_that_says_when_to_come_back_is_obeyed(trip, headers, wait):
    trip.get(Said({}, 429, headers))

    assert trip.waits == [wait]


def test_a_forge_that_wants_an_hour_is_busy_now(trip):
    with pytest.raises(ForgeLimited) as caught:
        trip.get(Said({}, 429, {"Retry-After": "3600"}))

    assert caught.value.code == "rate_limited"
    assert trip.waits == []


def test_githubs_secondary_limit_is_a_limit_and_a_plain_403_is_not(trip):
    with pytest.raises(ForgeLimited):
        trip.get(*[Said({}, 403, {"Retry-After": "1"})] * 4)
    with pytest.raises(ForgeUnavailable, match="token") as caught:
        trip.get(Said({}, 403))
    assert not isinstance(caught.value, ForgeLimited)


def test_when_nothing_is_left_no_more_is_asked_until_the_time_named(trip):
    trip.get(
        Said({"a": 1}, 200, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(NOW + 3))})
    )
    trip.get()

    assert trip.waits == [3.0]


def test_trouble_that_stays_is_given_up(trip):
    with pytest.raises(ForgeUnavailable, match="503"):
        trip.get(*[Said({}, 503)] * 9)
    assert trip.transport.counters.asked == transport.TRIES


@pytest.mark.parametrize("status", [404, 410])
def test_what_is_not_there_is_not_asked_for_again(trip, status):
    with pytest.raises(NotFound):
        trip.get(Said({}, status), path="secret?token=1")
    assert trip.transport.counters.asked == 1


@pytest.mark.parametrize("status", [400, 401, 418, 422])
def test_a_refusal_is_not_asked_for_again_and_its_body_is_not_repeated(trip, status):
    with pytest.raises(ForgeUnavailable) as caught:
        trip.get(Said({"message": "LEAK"}, status))
    assert "LEAK" not in str(caught.value)
    assert trip.transport.counters.asked == 1


def test_what_was_not_changed_is_not_sent_again(trip):
    first = trip.get(Said({"n": 1}, 200, {"ETag": '"v1"'}))
    again = trip.get(Said(None, 304))

    assert (first.value, again.value) == ({"n": 1}, {"n": 1})
    assert trip.server.asked[1][2]["if-none-match"] == '"v1"'
    assert trip.transport.counters.unchanged == 1


def test_a_304_that_nobody_asked_for_is_garbled(trip):
    answer = trip.get(Said(None, 304))

    assert answer.value is None  # adapters refuse what is no object


def test_pages_are_followed_by_link_and_by_number(trip):
    base = trip.server.base
    trip.server.faults = [
        Said(
            [1],
            200,
            {"Link": f'<{base}/api/x?page=2>; rel="next", <{base}/api/x?page=9>; rel="last"'},
        ),
        Said([2], 200, {"X-Next-Page": "3"}),
        Said([3], 200, {"X-Next-Page": ""}),
    ]

    assert list(trip.transport.pages("x")) == [[1], [2], [3]]
    assert trip.server.asked[2][1].endswith("page=3")


@pytest.mark.parametrize(
    "link", ["https://evil.example/x", "http://127.0.0.1:1/x", "file:///etc/passwd"]
)
def test_a_page_on_another_host_is_not_followed(trip, link):
    trip.server.faults = [Said([1], 200, {"Link": f'<{link}>; rel="next"'})]

    with pytest.raises(ForgeGarbled, match="not allowed"):
        list(trip.transport.pages("x"))


def test_pages_without_end_end(trip, monkeypatch):
    monkeypatch.setattr(transport, "MOST_PAGES", 5)
    trip.server.route = lambda *_: Said([1], 200, {"X-Next-Page": "2"})

    with pytest.raises(ForgeGarbled, match="pages"):
        list(trip.transport.pages("x"))


def test_a_redirect_on_the_same_host_is_followed_with_the_token(trip):
    trip.get(Said(None, 302, {"Location": "/api/moved"}))

    assert trip.server.asked[1][1] == "/api/moved"
    assert "authorization" in trip.server.asked[1][2]


def test_a_redirect_to_another_host_never_takes_the_token_along(trip):
    with serving(lambda *_: Said({"stolen": True})) as other:
        with pytest.raises(ForgeGarbled, match="not allowed"):
            trip.get(Said(None, 302, {"Location": f"{other.base}/x"}))
        assert other.asked == []


def test_a_circle_of_redirects_ends(trip):
    with pytest.raises(ForgeGarbled, match="circle"):
        trip.get(*[Said(None, 302, {"Location": "/api/x"})] * 20)


def test_what_is_written_is_not_sent_twice_when_the_answer_is_unsure(trip):
    trip.server.faults = [Said({}, 502)]

    with pytest.raises(ForgeUnavailable):
        trip.transport.send("POST", "notes", {"body": "x"})
    assert len(trip.server.asked) == 1


def test_what_is_written_is_sent_again_where_the_forge_said_that_it_was_too_much(trip):
    trip.server.faults = [Said({}, 429, {"Retry-After": "1"})]

    assert trip.transport.send("POST", "notes", {"body": "x"}).value == {"ok": True}


def test_a_forge_that_is_not_there_is_unavailable():
    lost = Transport("http://127.0.0.1:9", {}, wait=lambda _: None)

    with pytest.raises(ForgeUnavailable, match="reached"):
        lost.get("x")


def test_a_forge_that_drips_is_a_slow_one(trip, monkeypatch):
    monkeypatch.setattr(transport, "WHOLE", 0.3)

    with pytest.raises(ForgeSlow) as caught:
        trip.get(*[Said(raw=b" " * 200, drip=0.01)] * 9)
    assert caught.value.code == "timeout"


def test_an_endless_answer_is_cut(trip, monkeypatch):
    monkeypatch.setattr(transport, "MOST_JSON", 1_000)

    with pytest.raises(ForgeGarbled, match="bytes"):
        trip.get(Said(raw=b" " * 5_000))


# -- logs ---


def test_a_log_is_given_as_it_is(trip):
    trip.server.faults = [Said(raw=b"one\ntwo\n")]

    with trip.transport.file("log") as file:
        assert file.read() == b"one\ntwo\n"


def test_of_a_long_log_head_and_tail_are_kept_and_the_cut_is_told(trip, monkeypatch):
    monkeypatch.setattr(transport, "TAIL", 100)
    trip.server.faults = [Said(raw=b"head" + b"." * 5_000 + b"tail")]

    with trip.transport.file("log", most=300) as file:
        found = file.read()

    assert found.startswith(b"head")
    assert found.endswith(b"tail")
    assert b"[caselore: 4708 bytes of this log were left out here]" in found
    assert len(found) < 400


def test_a_log_that_breaks_off_is_kept_and_says_so(trip):
    trip.server.faults = [Said(raw=b"one\nerror: two\n", cut=500)]

    with trip.transport.file("log") as file:
        found = file.read()

    assert found.startswith(b"one\nerror: two\n")
    assert b"broke off" in found
