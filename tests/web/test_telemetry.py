"""Requests are told to an OpenTelemetry collector, and nothing of what was sent is."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
from serving import environment

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


HEARD: list[tuple[str, bytes]] = []


class Collector(BaseHTTPRequestHandler):
    """Hears what is sent."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        HEARD.append((self.path, body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Say nothing."""


def test_a_collector_hears_of_each_request_by_its_route(tmp_path):
    collector = HTTPServer(("127.0.0.1", 0), Collector)
    thread = threading.Thread(target=collector.serve_forever)
    thread.start()
    more = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}"}
    run = subprocess.Popen(
        [sys.executable, "-m", "caselore", "serve", "--json", "--port", "0"],
        env=environment(tmp_path / "home", **more),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        url = json.loads(run.stdout.readline())["url"]
        headers = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
        httpx.get(f"{url}/api/v1/incidents/a-secret-name", headers=headers, timeout=30)
    finally:
        run.terminate()
        run.wait(30)
        run.stdout.close()
        collector.shutdown()
        thread.join()
        collector.server_close()

    paths = {path for path, _ in HEARD}
    told = b"".join(body for _, body in HEARD)
    assert paths == {"/v1/traces"}
    assert b"GET /api/v1/incidents/{incident}" in told
    assert bytes.fromhex(TRACE) in told
    assert b"a-secret-name" not in told
