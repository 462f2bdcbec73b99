"""With a model in use, neither its prompts nor its key leave by any answer, page, stream or log.

A server of its own process, a model's server that repeats what it was sent, and a collector, all
on loopback.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import HTTPServer
from pathlib import Path

import httpx
import pytest
from enumerated import routes
from serving import PYTEST, TIMEOUT, environment
from test_telemetry import HEARD, Collector

from caselore import settings, wiring
from caselore.incidents import prompting
from caselore.memory import Actor, Role, TokenRole
from fakes.model_server import Fault, serving

KEY = "canary-key-Zq7vX2mW9tR4bN6c"  # of no known form: it is known by its value alone
OWN = {  # what providers' own variables hold, of no known form either
    "OPENAI_API_KEY": "openai-canary-Jw3hT8kL5yP1",
    "GROQ_API_KEY": "groq-canary-Bn6uD4sF9xE2",
    "AWS_SECRET_ACCESS_KEY": "aws-canary-Mc2gV7qR8zK4",
}
API = "/api/v1"
STREAM = f"{API}/events"


def repeating(asked):
    """Give a model that repeats its key, obeys nothing, breaks and refuses, one after another."""
    said = {
        "text": f"Call it with {KEY} and Authorization: Bearer {KEY}, {' '.join(OWN.values())}",
        "cites": [],
        "lines": [],
    }
    rules = [line.strip("- ") for line in prompting.rules(prompting.VERSION).splitlines()]
    repeated = [{"text": line, "cites": [line], "lines": []} for line in rules if line]
    answers = [
        {"evidence": [], "diagnosis": [said], "fix": []},
        {"evidence": [{"quote": KEY, "cites": [KEY]}], "diagnosis": [], "fix": []},
        {"evidence": [], "diagnosis": repeated[:9], "fix": repeated[9:]},
        f"{prompting.rules(prompting.VERSION)} {KEY}",
        Fault("status", 400),
        Fault("hangup"),
        Fault("html"),
    ]

    def reply(body):
        asked.append(body)
        return answers[(len(asked) - 1) % len(answers)]

    return reply


@contextmanager
def collecting():
    """Hear of spans until the block ends."""
    collector = HTTPServer(("127.0.0.1", 0), Collector)
    thread = threading.Thread(target=collector.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    HEARD.clear()
    try:
        yield f"http://127.0.0.1:{collector.server_port}"
    finally:
        collector.shutdown()
        thread.join()
        collector.server_close()


@contextmanager
def program(given, folder):
    """Run the server as its users do, and give its address and its log's file."""
    log = folder / "server.log"
    with log.open("wb") as told:
        run = subprocess.Popen(
            [sys.executable, "-m", "caselore", "serve", "--json", "--port", "0"],
            env=given, cwd=folder, stdout=subprocess.PIPE, stderr=told, text=True,
        )  # fmt: skip
        try:
            yield json.loads(run.stdout.readline())["url"], log
        finally:
            run.terminate()
            run.wait(60)
            run.stdout.close()


def entered(home, folder):
    """Make an admin's token, who may look at everything."""
    with wiring.build(settings.load(environment=environment(home), folder=folder)) as app:
        made = app.memory.create_token(
            TokenRole("admin"), "ana", None, Actor("set-up", Role.HUMAN)
        )
        return made[0], routes(app)


def submitted(client):
    """Submit failures, so that a model is asked in every way, and give one incident."""
    ids = []
    for number, log in enumerate((TIMEOUT, PYTEST, TIMEOUT, PYTEST)):
        facts = {"log": log, "service": "pay", "deployment": str(900 + number)}
        answer = client.post(f"{API}/incidents", json=facts)
        assert answer.status_code == 201, answer.text
        ids.append((answer.json()["incident"], answer.text))
    return ids


def streamed(client, calls):
    """Read the stream of events until it has told of so many calls."""
    heard = []
    with client.stream("GET", f"{STREAM}?after=0") as answer:
        for line in answer.iter_lines():
            heard.append(line)
            if not line and heard.count("event: ask") == calls:
                return heard
    return heard


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """Give all that a server with a model lets out, by where it came out, and what was asked."""
    folder: Path = tmp_path_factory.mktemp("leaks")
    home, asked, out = folder / "home", [], {}
    text, known = entered(home, folder)
    with serving(repeating(asked)) as model, collecting() as collector:
        given = environment(
            home,
            CASELORE_MODEL="openai:canary",
            CASELORE_MODEL_URL=model.url,
            CASELORE_MODEL_KEY=KEY,
            **OWN,
            OTEL_EXPORTER_OTLP_ENDPOINT=collector,
        )
        headers = {"Authorization": f"Bearer {text}"}
        with (
            program(given, folder) as (url, log),
            httpx.Client(base_url=url, headers=headers, timeout=60) as client,
        ):
            ids = submitted(client)
            out |= {f"submit {id}": answer for id, answer in ids}
            for path in sorted(
                {path for method, path in known if method == "GET"} - {STREAM, "/mcp"}
            ):
                here = re.sub(r"\{\w+(:path)?\}", ids[0][0], path)
                out[f"GET {path}"] = client.get(here).text
            usage = client.get(f"{API}/models/usage").json()["days"]
            calls = sum(one["calls"] for one in usage)
            out["events"] = "\n".join(streamed(client, calls))
        out["log"] = log.read_text(encoding="utf-8")
    out["spans"] = b"".join(body for _, body in HEARD).decode("latin-1")
    files = (path for path in home.rglob("*") if path.is_file())
    out["home"] = b"".join(path.read_bytes() for path in files).decode("latin-1")
    return out, asked, model, calls


def test_the_model_was_asked_with_the_canaries_in_every_way(everything):
    out, asked, model, calls = everything
    told = json.dumps(asked)

    assert len(asked) >= calls >= 5
    assert all(KEY in key for key in model.keys)
    assert all(words in told for words in canaries())
    assert f"GET {API}/models/usage" in out
    assert "openai:canary" in out[f"GET {API}/models/usage"]
    assert "caselore_" in out["GET /metrics"]
    submitted = "".join(text for where, text in out.items() if "submit" in where)
    assert "[masked:" in submitted
    assert "it repeats the rules that the model was given" in submitted


def canaries():
    """Give what stands in a prompt and in nothing else: its rules, and how evidence is fenced."""
    rules = [line[2:60] for line in prompting.rules(prompting.VERSION).splitlines() if line[60:]]
    return [json.dumps(one)[1:-1] for one in rules] + ["Precedents: 0."]


@pytest.mark.parametrize("where", ["answers and pages", "events", "log", "spans", "home"])
def test_no_prompt_and_no_key_comes_out(everything, where):
    out = everything[0]
    others = {"events", "log", "spans", "home"}
    texts = {name: text for name, text in out.items() if name not in others}
    for name, text in texts.items() if where == "answers and pages" else [(where, out[where])]:
        assert text, name
        for canary in [KEY, *OWN.values(), *canaries()]:
            assert canary not in text, (name, canary)


def test_the_stream_tells_that_a_model_is_asked_and_what_came_of_it(everything):
    out, _, _, calls = everything
    lines = out["events"].splitlines()
    told = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
    of_models = [one for one in told if one["action"] in ("asking", "ask")]

    assert [one["action"] for one in of_models] == ["asking", "ask"] * calls
    assert lines.count("event: asking") == lines.count("event: ask") == calls
    assert all(set(one) == {"seq", "at", "actor", "action", "subject"} for one in of_models)
    assert all(one["subject"].startswith("inc_") for one in of_models)


def test_the_log_and_the_spans_tell_of_the_requests(everything):
    out = everything[0]
    lines = [json.loads(line) for line in out["log"].splitlines()]

    assert sum(one.get("path") == f"{API}/incidents" for one in lines) >= 5
    assert f"POST {API}/incidents" in out["spans"]
