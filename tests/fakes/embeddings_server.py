"""A server on loopback that speaks the form of /v1/embeddings, and misbehaves on order."""

from __future__ import annotations

import base64
import json
import struct
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from fakes.embedder import meaning
from fakes.loopback import answering

USAGE = {"prompt_tokens": 1, "total_tokens": 1}


@dataclass
class EmbeddingsServer:
    """The running server: its address, what it was asked, and what it does wrong."""

    url: str
    keys: list[str] = field(default_factory=list)
    requests: int = 0
    fault: str = ""


@contextmanager
def serving():
    """Serve on a free port of loopback until the block ends."""
    with answering(_Handler) as httpd:
        httpd.seen = EmbeddingsServer(f"{httpd.url}/v1")
        yield httpd.seen


def _packed(vector, packed):
    if not packed:
        return vector
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        seen = self.server.seen
        seen.requests += 1
        seen.keys.append(self.headers.get("Authorization", ""))
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        packed = body.get("encoding_format") == "base64"  # as OpenAI's own client asks for it
        rows = [
            {"object": "embedding", "index": at, "embedding": _packed(meaning(text), packed)}
            for at, text in enumerate(texts)
        ]
        with suppress(BrokenPipeError, ConnectionResetError):
            getattr(self, f"_{seen.fault or 'sound'}")(rows)

    def _sound(self, rows) -> None:
        # the form promises an index, no order
        self._send(200, {"object": "list", "data": rows[::-1], "model": "table", "usage": USAGE})

    def _refuses(self, _) -> None:
        self._send(401, {"error": {"message": "SECRET-ECHO"}})

    def _fails(self, _) -> None:
        self._send(503, {"error": {"message": "SECRET-ECHO"}})

    def _redirects(self, _) -> None:
        self.send_response(307)
        self.send_header("Location", "http://127.0.0.1:9/v1/embeddings")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _stalls(self, _) -> None:
        time.sleep(2)

    def _drips(self, _) -> None:
        self._open()
        for _ in range(100):
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.02)

    def _floods(self, _) -> None:
        self._open()
        for _ in range(400):
            self.wfile.write(b" " * 100_000)

    def _page(self, _) -> None:
        self._open()
        self.wfile.write(b"<html>Bad gateway</html>")

    def _shapeless(self, _) -> None:
        self._send(200, {"hello": "world"})

    def _short(self, rows) -> None:
        self._send(200, {"data": rows[:-1]})

    def _doubled(self, rows) -> None:
        self._send(200, {"data": [*rows, {**rows[0], "index": len(rows)}]})

    def _uneven(self, rows) -> None:
        self._send(200, {"data": [{**rows[0], "embedding": [1.0]}, *rows[1:]]})

    def _infinite(self, rows) -> None:
        rows[0]["embedding"][0] = float("inf")
        self._send(200, {"data": rows})

    def _worded(self, rows) -> None:
        rows[0]["embedding"] = "base64 that nobody asked for"
        self._send(200, {"data": rows})

    def _open(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()

    def _send(self, status: int, value) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_) -> None:
        """Keep quiet."""
