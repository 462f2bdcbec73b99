"""Fetching over real loopback HTTP: within limits, within robots.txt, never into this network unasked."""

from __future__ import annotations

import gzip
import json
import time
from datetime import UTC, datetime
from itertools import repeat

import pytest

from caselore.errors import BadInput, GuardRefused, Unavailable
from caselore.intel.collect.folder import read_folder
from caselore.intel.collect.html_text import read_html
from caselore.intel.collect.web import Fetcher, Limits, fetched, is_public
from caselore.memory.records import Actor, Role
from caselore.settings import load
from caselore.wiring import build
from fakes.failures import memory_over
from fakes.loopback_site import Site, raw_server, serving
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


def test_what_robots_txt_bars_is_not_asked_for_by_a_redirect_either(site, memory):
    site.pages["/private/deal"] = (200, {}, STORY)
    site.pages["/open"] = (302, {"Location": "/private/deal"}, b"")
    found = get(site, "/open", memory)

    assert found.pages == ()
    assert "closed to robots" in found.left_out[0][1]
    assert "/private/deal" not in [path for path, _ in site.asked]


@pytest.mark.parametrize(
    "location",
    ["http://a:99999/", f"http://{'a' * 70}.example/", "http://a..b/", "javascript:alert(1)", "http://[x]/", "//[", "http://\u202ea.example/"],
)  # fmt: skip
def test_a_redirect_to_what_is_no_address_is_refused_with_the_reason(site, memory, location):
    site.pages["/odd"] = (302, {"Location": location.encode().decode("latin-1")}, b"")
    with pytest.raises((BadInput, GuardRefused, Unavailable)):
        get(site, "/odd", memory)


@pytest.mark.parametrize(
    "answer",
    [
        b"hello", b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n<html>cut", b"HTTP/1.1 200 OK\r\nX: " + b"a" * 300_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"<html>" + b"a" * 20_000_000),
    ],
    ids=["no-http", "cut-short", "huge-header", "no-gzip", "bomb"],
)  # fmt: skip
def test_a_server_that_lies_is_told_of_as_one_that_does_not_answer(memory, answer):
    with raw_server(answer) as root, pytest.raises((Unavailable, GuardRefused)):
        fetched(f"{root}/p", memory, NOW, OPEN)


def test_a_server_that_sends_a_sign_at_a_time_is_cut_off_as_a_whole(memory):
    """A limit on each read would wait for as long as the server likes."""
    limits = Limits(private=True, pause=0.0, seconds=1.0)
    with raw_server(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 5_000, pause=0.02) as root:
        begin = time.monotonic()
        with pytest.raises(Unavailable):
            fetched(f"{root}/p", memory, NOW, limits)
        assert time.monotonic() - begin < 30  # it would send for 100 s


@pytest.mark.parametrize(
    ("media", "body"),
    [("application/pdf", b"%PDF-1.4"), ("application/json", b"{}"), ("text/html", b""), ("image/png", b"\x89PNG")],
)  # fmt: skip
def test_what_holds_no_text_is_left_out_with_its_kind(site, memory, media, body):
    site.pages["/thing"] = (200, {"Content-Type": media}, body)
    found = get(site, "/thing", memory)

    assert found.pages == ()
    assert media in found.left_out[0][1]


@pytest.mark.parametrize("coding", ["utf-16", "utf-32", "utf-8-sig", "cp1252", "utf-8"])
def test_a_page_is_read_whatever_its_coding(site, memory, coding):
    site.pages["/page"] = (200, {"Content-Type": "text/html"}, STORY.decode().replace("Velora", "L'Oréal").encode(coding))  # fmt: skip
    assert get(site, "/page", memory).pages[0].title == "L'Oréal launches Beacon"


@pytest.mark.parametrize(
    "markup",
    ["<div>" * 400_000, "<ul><li>" * 300_000, "<p " + " ".join(f"a{n}=1" for n in range(400_000)), "<p " + 'a=">" ' * 400_000, "<a><b>" * 300_000],
    ids=["deep", "lists", "attributes", "quoted", "mixed"],
)  # fmt: skip
def test_markup_that_would_hold_a_parser_up_is_refused(markup):
    """Parsing takes the square: minutes for a page of five megabytes, in which no other thread runs."""
    with pytest.raises(BadInput, match="to be read"):
        read_html(f"<html><body>{markup}")


@pytest.mark.parametrize(
    "markup",
    ["<p>Velora" * 20_000, "<table>" + "<tr><td>x" * 20_000, "<ul>" + "<li>x" * 20_000, "<br>" * 50_000, "<b>x</b>" * 50_000,
     "<script>" + "'<div>'" * 50_000 + "</SCRIPT>", "<div>" * 200 + "</div>" * 200, "<path d='M0'/>" * 20_000],
)  # fmt: skip
def test_long_markup_as_people_write_it_is_read(markup):
    assert "Velora hires" in read_html(f"<html><body>{markup}<p>Velora hires</p>").text


def test_a_feed_lends_nobodys_name_to_its_own_words(site, memory, tmp_path):
    """Any feed may link a newspaper, or a competitor: what it says beside the link is its own word."""
    items = "".join(
        f"<item><title>Velora raises $900 million</title><link>{link}</link><description>Velora raises $900 million.</description></item>"
        for link in (
            "http://reuters.invalid/x",
            "http://velora.invalid/press",
            "http://[x",
            "/own",
        )
    )
    feed = f'<?xml version="1.0"?><rss version="2.0"><channel>{items}</channel></rss>'
    site.pages["/feed"] = (200, {"Content-Type": "application/rss+xml"}, feed.encode())
    found = get(site, "/feed", memory)

    assert {one.host for one in found.pages} == {"127.0.0.1"}
    assert f"{site.root}/feed#http://reuters.invalid/x" in {one.url for one in found.pages}
    assert [path for path, _ in site.asked].count("/feed") == 1

    rows = [{"url": "https://forum.example/feed.xml", "file": "feed.xml", "fetched_at": "2026-10-08T08:00:00Z"}]  # fmt: skip
    (tmp_path / "feed.xml").write_text(feed)
    (tmp_path / "site.json").write_text(json.dumps({"pages": rows}))
    assert {one.host for one in read_folder(tmp_path, None).pages} == {"forum.example"}


def test_a_page_of_a_folder_that_cannot_be_read_costs_no_other(tmp_path):
    (tmp_path / "a.html").write_text("<div>" * 20_000)
    (tmp_path / "b.html").write_bytes(STORY)
    found = read_folder(tmp_path, None)

    assert [one.title for one in found.pages] == ["Velora launches Beacon"]
    assert found.left_out == (("a.html", "its markup is nested too deep to be read"),)


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
        get(site, "/slow", memory, Limits(private=True, pause=0.0, seconds=0.5, bytes=10**12))


def test_half_a_page_is_not_taken_for_the_whole_when_its_time_is_over(site, memory):
    def half():
        yield b"<p>Velora has not"
        time.sleep(2)
        yield b" raised its prices.</p>"

    site.pages["/half"] = (200, {"Content-Type": "text/html"}, half)
    with pytest.raises(Unavailable, match="longer"):
        get(site, "/half", memory, Limits(private=True, pause=0.0, seconds=0.5))


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
