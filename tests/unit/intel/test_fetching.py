"""Fetching over real loopback HTTP: within limits, within robots.txt, never into this network unasked."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import repeat

import pytest

from caselore.errors import BadInput, GuardRefused, Unavailable
from caselore.intel.collect.web import Fetcher, Limits, fetched, is_public
from caselore.memory.records import Actor, Role
from caselore.settings import load
from caselore.wiring import build
from fakes.failures import memory_over
from fakes.loopback_site import Site, serving
from fakes.memory_store import MemoryStore

NOW = datetime(2026, 10, 8, 12, tzinfo=UTC)
OPEN = Limits(private=True, pause=0.0, seconds=5.0)
SYSTEM = Actor("collector", Role.SYSTEM)
STORY = b"<html><head><title>Velora</title></head><body><main><h1>Velora launches Beacon</h1><p>8 October 2026</p><p>Velora has released Beacon, a viewer for logs.</p></main></body></html>"


@pytest.fixture
def site():
    with serving(Site()) as site:
        site.pages["/robots.txt"] = (
            200,
            {"Content-Type": "text/plain"},
            b"User-agent: *\nDisallow: /private",
        )
        site.pages["/story"] = (
            200,
            {"ETag": '"v1"', "Last-Modified": "Thu, 08 Oct 2026 08:00:00 GMT"},
            STORY,
        )
        yield site


@pytest.fixture
def memory():
    return memory_over(MemoryStore())


def get(site, path, memory, limits=OPEN):
    return fetched(site.root + path, memory, NOW, limits)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True), ("2606:4700::1111", True), ("127.0.0.1", False), ("10.1.2.3", False),
        ("192.168.1.1", False), ("172.16.0.9", False), ("169.254.169.254", False), ("::1", False),
        ("fd00::1", False), ("fe80::1%eth0", False), ("::ffff:127.0.0.1", False), ("0.0.0.0", False),
        ("100.64.0.1", False), ("224.0.0.1", False), ("2002:7f00:1::", False),
    ],
)  # fmt: skip
def test_only_public_addresses_are_public(address, public):
    assert is_public(address) is public


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("http://127.0.0.1/x", GuardRefused), ("http://localhost:8080/", GuardRefused),
        ("http://[::1]/", GuardRefused), ("http://0x7f000001/", GuardRefused),
        ("http://user:secret@example.com/", GuardRefused), ("ftp://example.com/", BadInput),
        ("file:///etc/passwd", BadInput), ("http://169.254.169.254/latest/meta-data", GuardRefused),
    ],
)  # fmt: skip
def test_addresses_of_this_network_are_refused(url, error, memory):
    with pytest.raises(error):
        fetched(url, memory, NOW, Limits())


def test_a_page_is_fetched_with_its_day(site, memory):
    found = get(site, "/story", memory)

    assert [one.title for one in found.pages] == ["Velora launches Beacon"]
    assert found.pages[0].published == "2026-10-08"
    assert found.pages[0].etag == '"v1"'


def test_what_robots_txt_bars_is_not_asked_for(site, memory):
    site.pages["/private/deal"] = (200, {}, STORY)
    found = get(site, "/private/deal", memory)

    assert found.pages == ()
    assert "robots.txt" in found.left_out[0][1]
    assert "/private/deal" not in [path for path, _ in site.asked]


def test_a_site_whose_rules_cannot_be_read_is_left_alone(site, memory):
    site.pages["/robots.txt"] = (503, {}, b"")
    assert get(site, "/story", memory).pages == ()


def test_a_redirect_is_followed_and_each_hop_is_checked(site, memory):
    site.pages["/old"] = (301, {"Location": "/story"}, b"")
    assert get(site, "/old", memory).pages[0].final_url == site.root + "/story"

    site.pages["/loop"] = (302, {"Location": "/loop"}, b"")
    with pytest.raises(GuardRefused, match="redirects"):
        get(site, "/loop", memory)
    site.pages["/out"] = (302, {"Location": "file:///etc/passwd"}, b"")
    with pytest.raises(BadInput):
        get(site, "/out", memory)


def test_a_redirect_into_this_network_is_refused():
    fetcher = Fetcher(Limits())
    with pytest.raises(GuardRefused, match="not a public address"):
        fetcher.check("http://127.0.0.1:80/admin")


def test_too_large_and_too_slow_answers_are_cut_off(site, memory):
    site.pages["/big"] = (200, {}, b"x" * 200_000)
    with pytest.raises(GuardRefused, match="larger"):
        get(site, "/big", memory, Limits(private=True, pause=0.0, bytes=100_000))
    site.pages["/slow"] = (200, {}, lambda: repeat(b"x"))
    with pytest.raises(Unavailable):
        get(site, "/slow", memory, Limits(private=True, pause=0.0, seconds=0.5))


def test_a_feed_brings_the_pages_that_it_links(site, memory):
    item = f"<item><title>Velora launches Beacon</title><link>{site.root}/story</link></item>"
    gone = f"<item><title>Velora raises $5 million</title><link>{site.root}/gone</link><pubDate>Wed, 07 Oct 2026 09:00:00 GMT</pubDate></item>"
    feed = f'<?xml version="1.0"?><rss version="2.0"><channel>{item}{gone}</channel></rss>'
    site.pages["/feed"] = (200, {"Content-Type": "application/rss+xml"}, feed.encode())
    found = get(site, "/feed", memory)

    assert {one.url for one in found.pages} == {f"{site.root}/story", f"{site.root}/gone"}
    assert any("404" in reason for _, reason in found.left_out)


def test_an_unchanged_page_is_not_read_again(site, tmp_path):
    (tmp_path / "caselore.toml").write_text("[intel]\nallow_private = true\n")
    with build(load(tmp_path, environment={}, folder=tmp_path)) as app:
        first = app.intel.run("logs", ["Velora"], [site.root + "/story"])
        again = app.intel.run("logs", ["Velora"], [site.root + "/story"])

        assert [one.event.event_type for one in first.events] == ["feature_launch"]
        assert [one.id for one in again.events] == [one.id for one in first.events]
        assert any("unchanged" in reason for _, reason in again.brief.left_out)
    assert [headers.get("If-None-Match") for path, headers in site.asked if path == "/story"] == [
        None,
        '"v1"',
    ]
