"""A small web server on loopback: pages, feeds, redirects, rules for robots, slow and endless answers."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
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
