"""A server on loopback that speaks the chat-completions form and misbehaves on order."""

from __future__ import annotations

import gzip
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from fakes.loopback import answering

Reply = Callable[[dict[str, Any]], Any]
"""Takes the request's body, gives the object that the model writes, a text, or a Fault."""


@dataclass(frozen=True)
class Fault:
    """What goes wrong instead of an answer."""

    kind: str
    status: int = 500
    headers: tuple[tuple[str, str], ...] = ()


@dataclass
class ModelServer:
    """The running server: its address and what it was asked."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


@contextmanager
def serving(reply: Reply) -> Iterator[ModelServer]:
    """Serve on a free port of loopback until the block ends."""
    with answering(_Handler) as httpd:
        httpd.reply = reply
        httpd.seen = ModelServer(f"{httpd.url}/v1")
        yield httpd.seen


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.asked.append(body)
        self.server.seen.keys.append(self.headers.get("Authorization", ""))
        said = self.server.reply(body)
        with suppress(BrokenPipeError, ConnectionResetError):
            if isinstance(said, Fault):
                getattr(self, f"_{said.kind}")(said)
            else:
                self._answer(said if isinstance(said, str) else json.dumps(said))

    def _answer(self, text: str) -> None:
        message = {"role": "assistant", "content": text}
        value = {
            "id": "c1",
            "object": "chat.completion",
            "created": 1,
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }
        self._send(200, json.dumps(value))

    def _status(self, fault: Fault) -> None:
        self._send(fault.status, '{"error": {"message": "SECRET-ECHO"}}', fault.headers)

    def _stall(self, _: Fault) -> None:
        time.sleep(4)

    def _drip(self, _: Fault) -> None:
        self._open()
        for _ in range(80):
            self.wfile.write(b" ")
            time.sleep(0.05)

    def _flood(self, _: Fault) -> None:
        self._open()
        for _ in range(200):
            self.wfile.write(b" " * 100_000)

    def _hangup(self, _: Fault) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)

    def _html(self, _: Fault) -> None:
        self._send(200, "<html><body>Bad gateway</body></html>")

    def _shapeless(self, _: Fault) -> None:
        self._send(200, '{"hello": "world"}')

    def _halfway(self, _: Fault) -> None:
        self._open()
        self.wfile.write(b'{"id": "c1", "choices": [{"index": 0, "mess')
        self.wfile.flush()
        time.sleep(4)

    def _redirect(self, _: Fault) -> None:
        self._send(302, "{}", (("Location", "http://127.0.0.1:9/elsewhere"),))

    def _bomb(self, _: Fault) -> None:
        """Send sixty megabytes of blanks in sixty kilobytes."""
        data = gzip.compress(b" " * 60_000_000)
        self.send_response(200)
        for name, value in (("Content-Type", "application/json"), ("Content-Encoding", "gzip")):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _typed(self, _: Fault) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-16")
        self.send_header("Content-Length", "9")
        self.end_headers()
        self.wfile.write(b"data: {}\n")

    def _open(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()

    def _send(self, status: int, text: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""
