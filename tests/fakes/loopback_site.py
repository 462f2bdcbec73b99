"""A small web server on loopback: pages, feeds, redirects, rules for robots, slow and endless answers."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """What is served, and what was asked for."""

    pages: dict = field(default_factory=dict)
    """Path to (status, headers, body); a body may be an iterator of pieces."""
    asked: list = field(default_factory=list)
    root: str = ""


@contextmanager
def serving(site: Site):
    """Serve a site on a port of its own."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            site.asked.append((self.path, dict(self.headers)))
            status, headers, body = site.pages.get(self.path, (404, {}, b"not here"))
            if headers.get("ETag") and self.headers.get("If-None-Match") == headers["ETag"]:
                status, body = 304, b""
            self.send_response(status)
            for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for piece in [body] if isinstance(body, bytes) else body():
                    self.wfile.write(piece)
                    if not isinstance(body, bytes):
                        time.sleep(0.02)
            except OSError:
                pass

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    site.root = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def raw_server(answer: bytes, pause: float = 0.0):
    """Serve the same bytes whatever is asked, a sign at a time where there is a pause; it has no robots.txt."""

    def loop():
        with suppress(OSError):
            while True:
                link, _ = listener.accept()
                threading.Thread(target=_talk, args=(link, answer, pause), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=loop, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def _talk(link, answer, pause):
    with link, suppress(OSError):
        asked = b""
        while b"\r\n\r\n" not in asked:
            asked += (piece := link.recv(4_096))
            if not piece:
                return
        if b"/robots.txt" in asked:
            answer, pause = b"HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n", 0
        size = 1 if pause else len(answer)
        for at in range(0, len(answer), size):
            link.sendall(answer[at : at + size])
            time.sleep(pause)
