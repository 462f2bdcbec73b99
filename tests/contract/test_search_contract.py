"""What every search provider promises, asked over real loopback HTTP, and of a folder without any."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from caselore.errors import Unavailable, WrongUse
from caselore.intel.collect.folder import Brought
from caselore.intel.collect.search import Brave, FolderSearch, Searxng, Tavily, queries
from caselore.settings import load
from caselore.wiring import build

ROWS = [
    {
        "url": "https://news.example/velora",
        "title": "Velora launches Beacon",
        "content": "ignored",
    },
    {"url": "https://news.example/velora", "title": "the same again"},
    {"url": "file:///etc/passwd", "title": "no page"},
    {"url": "https://user:secret@news.example/x", "title": "a login"},
    {"url": 7},
    "nonsense",
    {"url": "https://velora.example/press", "title": "Velora press room"},
]
SHAPES = {
    "searxng": lambda rows: {"results": rows},
    "brave": lambda rows: {"web": {"results": rows}},
    "tavily": lambda rows: {"results": rows},
}


class Server:
    """A provider's stand-in: what it answers, and what it was asked."""

    def __init__(self, shape):
        self.status, self.body = 200, json.dumps(shape(ROWS)).encode()
        self.headers, self.asked, self.root = {}, [], ""


@contextmanager
def serving(server):
    class Handler(BaseHTTPRequestHandler):
        def _answer(self):
            size = int(self.headers.get("Content-Length") or 0)
            server.asked.append((self.path, dict(self.headers), self.rfile.read(size)))
            self.send_response(server.status)
            for name, value in server.headers.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(OSError):  # the client hangs up on what is too much, as it should
                self.wfile.write(server.body)

        do_GET = do_POST = _answer

        def log_message(self, *_):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    server.root = f"http://127.0.0.1:{http.server_address[1]}"
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def provider(name, root):
    return {
        "searxng": lambda: Searxng(root),
        "brave": lambda: Brave("k-brave", root),
        "tavily": lambda: Tavily("k-tavily", root),
    }[name]()


@pytest.fixture(params=SHAPES)
def asked(request):
    with serving(Server(SHAPES[request.param])) as server:
        yield provider(request.param, server.root), server


PAGES = (
    ("https://news.example/velora", "Velora launches Beacon\n\nOn 8 October 2026 Velora launched Beacon."),
    ("https://velora.example/press", "Velora press room\n\nAll news of Velora and its scanner."),
    ("https://news.example/other", "Weather\n\nIt rains."),
)  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    site = tmp_path / "pages"
    site.mkdir()
    listed = []
    for number, (url, text) in enumerate(PAGES):
        (site / f"{number}.txt").write_text(text)
        listed.append({"url": url, "file": f"{number}.txt", "fetched_at": "2026-10-08T08:00:00Z"})
    (site / "site.json").write_text(json.dumps({"pages": listed}))
    return site


def promises(one):
    found = one.search('"Velora" scanner', 10)
    assert {hit.url for hit in found} == {url for url, _ in PAGES[:2]}
    assert len(one.search("Velora", 1)) == 1
    assert all(hit.title for hit in found)


def test_a_provider_names_addresses_of_the_web_each_once(asked):
    promises(asked[0])


def test_a_folder_keeps_the_same_promises(folder):
    promises(FolderSearch(folder))
    assert FolderSearch(folder).search("scanner", 5)[0].url == "https://velora.example/press"
    assert FolderSearch(folder).search("zebra", 5) == ()


def test_a_hit_of_the_web_is_fetched_like_any_address(asked):
    one, _ = asked
    fetched = []
    for hit in one.search("Velora", 2):
        one.opened(hit, lambda url: fetched.append(url) or Brought((), ()))
    assert fetched == [url for url, _ in PAGES[:2]]


def test_a_hit_of_a_folder_is_read_from_it_and_never_fetched(folder):
    def fetch(url):
        raise AssertionError(url)

    one = FolderSearch(folder)
    opened = [one.opened(hit, fetch).pages for hit in one.search("Velora", 5)]
    assert {page.url for pages in opened for page in pages} == {url for url, _ in PAGES[:2]}


@pytest.mark.parametrize("status", [401, 403, 429, 500, 302])
def test_what_is_no_sound_answer_is_unavailable_and_says_what_to_do(asked, status):
    one, server = asked
    server.status, server.headers = status, {"Location": "https://elsewhere.example/"}
    with pytest.raises(Unavailable) as caught:
        one.search("Velora")
    assert str(status) in str(caught.value)
    if status == 403:
        assert caught.value.hint


@pytest.mark.parametrize("body", [b"<html>", b"[1]", b'{"results": 5}', b'{"web": []}', b"{}"])
def test_nonsense_finds_nothing_or_is_unavailable(asked, body):
    one, server = asked
    server.body = body
    try:
        assert one.search("Velora") == ()
    except Unavailable:
        assert body == b"<html>"


def test_an_endless_answer_is_cut_off(asked):
    one, server = asked
    server.body = b" " * 3_000_000
    with pytest.raises(Unavailable):
        one.search("Velora")


def test_a_key_is_sent_as_its_provider_wants_it_and_shown_nowhere(asked):
    one, server = asked
    one.search("Velora")
    path, headers, body = server.asked[0]
    given = {"searxng": "format=json", "brave": "k-brave", "tavily": "Bearer k-tavily"}[one.name]
    assert given in f"{path} {headers} {body}"
    assert "k-" not in repr(one)


def test_a_long_question_is_cut(asked):
    one, server = asked
    one.search("v" * 5_000)
    assert len(server.asked[0][0]) + len(server.asked[0][2]) < 1_000


def test_each_competitor_is_asked_for_by_name():
    asked = tuple(queries("cold chain", ("AT&T", "Velora")))
    assert asked == ('"AT&T" cold chain', '"Velora" cold chain')


def configured(home, table):
    home.mkdir()
    (home / "caselore.toml").write_text(f"[intel.search]\n{table}\n")
    return build(load(home, environment={}))


def test_a_run_searches_a_folder_and_reads_what_it_finds(tmp_path, folder):
    with configured(tmp_path / "home", f'provider = "folder"\naddress = "{folder}"') as app:
        ran = app.intel.run("scanner", ["Velora"], ["search"])
        assert [one.event.event_type for one in ran.events] == ["feature_launch"]
        assert ran.status == "completed"


def test_what_a_search_finds_in_this_network_is_not_fetched(tmp_path):
    server = Server(SHAPES["searxng"])
    with serving(server):
        inside = {"url": f"{server.root}/secret", "title": "inside"}
        server.body = json.dumps({"results": [inside]}).encode()
        table = f'provider = "searxng"\naddress = "{server.root}"'
        with configured(tmp_path / "home", table) as app:
            ran = app.intel.run("scanner", ["Velora"], ["search: Velora scanner"]).to_json()
    assert ran["events"] == []
    assert [one["text"] for one in ran["left_out"]] == [f"{server.root}/secret"]
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("table", "error"),
    [
        ('provider = "bing"', WrongUse),
        ('provider = "searxng"', WrongUse),
        ('provider = "brave"\nkey_env = "NO_SUCH_KEY_HERE"', Unavailable),
        ('provder = "brave"', WrongUse),
        ('provider = "folder"\naddress = "."\nresults = 1000', WrongUse),
    ],
)
def test_a_wrong_setting_is_said_so(tmp_path, table, error):
    with configured(tmp_path / "home", table) as app, pytest.raises(error):
        app.intel.run("scanner", ["Velora"], ["search"])
