"""A Hindsight server on loopback, as far as a mirror uses it: banks, documents, memories, recall.

What it answers has the form of the real one, which the same contract test is run against. It ranks
by shared words. On order it misbehaves.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, unquote, urlsplit

from fakes.loopback import answering


@dataclass
class HindsightServer:
    """The running server: its banks of documents, what was asked, and what it does wrong."""

    url: str
    banks: dict[str, dict[str, dict]] = field(default_factory=dict)
    made: list[dict] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    fault: str = ""
    breaks_after: int | None = None
    """Writes after which it answers no more."""
    writes: int = 0


@contextmanager
def serving():
    """Serve on a free port of loopback until the block ends."""
    with answering(_Handler) as httpd:
        httpd.seen = HindsightServer(httpd.url)
        yield httpd.seen


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _route(self) -> None:
        seen = self.server.seen
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else {}
        seen.keys.add(self.headers.get("Authorization", ""))
        with suppress(BrokenPipeError, ConnectionResetError):
            if seen.fault:
                return getattr(self, f"_{seen.fault}")()
            path = urlsplit(self.path)
            rest = [
                unquote(one)
                for one in path.path.removeprefix("/v1/default/banks").split("/")
                if one
            ]
            self._answer(self.command, rest, body, parse_qs(path.query))
        return None

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _route

    def _answer(self, method, rest, body, query) -> None:
        seen = self.server.seen
        if not rest:
            return self._banks()
        bank, *what = rest
        if method == "PUT" and not what:
            return self._make(bank, body)
        if what == ["memories"] and method == "POST":
            seen.banks.setdefault(bank, {})
        if bank not in seen.banks:
            return self._send(404, {"detail": f"Bank '{bank}' not found"})
        return self._within(method, bank, what, body, query)

    def _banks(self) -> None:
        known = [
            {"bank_id": one, "name": one, "disposition": MOOD, "mission": ""}
            for one in self.server.seen.banks
        ]
        page = {"banks": known, "total": len(known), "limit": 100, "offset": 0}
        self._send(200, page)

    def _make(self, bank, body) -> None:
        self.server.seen.banks.setdefault(bank, {})
        self.server.seen.made.append({"bank": bank, **body})
        mood = {
            "bank_id": bank,
            "name": bank,
            "disposition": MOOD,
            "mission": "",
            "background": "",
        }
        self._send(200, mood)

    def _within(self, method, bank, what, body, query) -> None:
        seen = self.server.seen
        held = seen.banks[bank]
        if what == ["config"]:
            seen.made.append({"bank": bank, **body})
            return self._send(200, {"bank_id": bank, "config": {}, "overrides": {}})
        if what == ["memories"] and method == "POST":
            return self._retain(bank, held, body)
        if what == ["memories", "recall"]:
            seen.asked.append(body["query"])
            return self._send(200, {"results": _recalled(held, body["query"])})
        if what == ["memories", "list"]:
            return self._listed(held, query)
        if what[:1] == ["documents"] and method == "DELETE":
            return self._deleted(held, "/".join(what[1:]))
        return self._send(405, {"detail": "not known here"})

    def _retain(self, bank, held, body) -> None:
        seen = self.server.seen
        seen.writes += 1
        if seen.breaks_after is not None and seen.writes > seen.breaks_after:
            return self._send(503, {"detail": "SECRET-ECHO"})
        for item in body["items"]:
            id = item.get("document_id") or str(uuid.uuid4())
            held[id] = {**item, "id": str(uuid.uuid4()), "document_id": id}
        usage = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
        return self._send(
            200,
            {
                "success": True,
                "bank_id": bank,
                "items_count": len(body["items"]),
                "async": False,
                "usage": usage,
            },
        )

    def _listed(self, held, query) -> None:
        at, most = (int(query.get(name, ["0"])[0]) for name in ("offset", "limit"))
        rows = [_listed_unit(one) for one in held.values()]
        page = {"items": rows[at : at + most], "total": len(rows), "limit": most, "offset": at}
        self._send(200, page)

    def _deleted(self, held, id) -> None:
        if held.pop(id, None) is None:
            return self._send(404, {"detail": f"Document '{id}' not found"})
        done = {"success": True, "message": "gone", "document_id": id, "memory_units_deleted": 1}
        return self._send(200, done)

    def _refuses(self) -> None:
        self._send(401, {"detail": "SECRET-ECHO"})

    def _fails(self) -> None:
        self._send(500, {"detail": "SECRET-ECHO"})

    def _stalls(self) -> None:
        time.sleep(1.5)

    def _page(self) -> None:
        self._send(200, "<html>Bad gateway</html>")

    def _shapeless(self) -> None:
        self._send(200, {"hello": "world"})

    def _hangs_up(self) -> None:
        self.close_connection = True
        self.connection.close()

    def _send(self, status: int, value) -> None:
        data = (value if isinstance(value, str) else json.dumps(value)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_) -> None:
        """Keep quiet."""


MOOD = {"skepticism": 3, "literalism": 3, "empathy": 3}


def _recalled(held, question):
    asked = words(question)
    ranked = sorted(held.values(), key=lambda one: -len(asked & words(one["content"])))
    return [
        {
            "id": one["id"], "text": one["content"], "type": "world",
            "document_id": one["document_id"], "metadata": one.get("metadata") or {}, "tags": [],
        }
        for one in ranked
        if asked & words(one["content"])
    ]  # fmt: skip


def _listed_unit(one):
    at = one.get("timestamp") or "2026-03-01T00:00:00+00:00"
    return {
        "id": one["id"], "text": one["content"], "context": one.get("context") or "", "date": at,
        "fact_type": "world", "document_id": one["document_id"], "mentioned_at": at,
        "occurred_start": None, "occurred_end": None, "entities": "", "chunk_id": None,
        "proof_count": 1, "tags": [], "metadata": one.get("metadata") or {}, "consolidated_at": None,
        "consolidation_failed_at": None, "state": "valid", "invalidation_reason": None,
        "invalidated_at": None, "edited_at": None, "updated_at": at, "source_memory_ids": [],
    }  # fmt: skip
