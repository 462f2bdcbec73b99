"""Measures the repair loop: steps of the reducer, idle rounds over 10,000 changes, hints taken in.

Also a step after many attempts on one change, and a look that finds nothing new at a GitLab on
loopback. Yardstick in the same run: one plain SELECT over the same rows. All figures are CPU of this process; rounds are 30 seconds apart in use. The number of
changes is an argument: `run.py 10000`.
"""

from __future__ import annotations

import argparse
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import caselore
from caselore import logs, settings, wiring
from caselore.jobs.embedded import EmbeddedJobs
from caselore.memory import Actor, Role
from caselore.memory.loops import Hint
from caselore.repair.account import Account, Owner, id_of
from caselore.repair.change import parse
from caselore.repair.examination import Examiner
from caselore.repair.observations import Delivered, Reading
from caselore.repair.pipelines import Job, Pipeline
from caselore.repair.policy import Policy
from caselore.repair.ports import Forge
from caselore.repair.reducer import reduce
from caselore.repair.rounds import Parts, Rounds
from caselore.repair.state import Phase, State
from caselore.repair.watcher import EVERY, HOOKED, Watcher

ACTOR = Actor("bench", Role.SYSTEM)
START = datetime(2026, 11, 1, tzinfo=UTC)
ROUND = 30.0
CHANGE = "https://git.example/pay/-/merge_requests/{}"


def cpu(act: Callable[[], object]) -> float:
    """Give the CPU seconds of one call."""
    began = time.process_time()
    act()
    return time.process_time() - began


def steps(count: int) -> float:
    """Give the milliseconds of one step of the reducer, over a change that goes red and green."""
    state, policy = State(CHANGE.format(1)), Policy(settle=0)

    def run() -> None:
        nonlocal state
        for number in range(count):
            at = START + timedelta(minutes=number)
            status = "success" if number % 4 == 3 else "failed"
            job = Job(str(number), "test", status, fingerprint=f"sig1:{number}")
            pipeline = Pipeline(str(number), f"h{number}", status, jobs=(job,))
            state = reduce(state, Reading(at, f"h{number}", "worker", pipeline), policy).state
            if state.offered:
                state = reduce(state, Delivered(at, state.offered), policy).state

    return cpu(run) / count * 1_000


def no_forge(url: str) -> Forge:
    """Nothing is due, so no forge may be asked."""
    raise AssertionError(url)


def measure(changes: int, folder: Path) -> dict[str, float]:
    """Track changes, then measure rounds in which nothing is due, and hints."""
    memory = wiring.open_memory(settings.load(folder, environment={}, folder=folder))
    account, now = Account(memory, Policy()), START
    examiner = Examiner(
        memory, lambda file, name, passed: logs.read(file, name=name, green=passed), ACTOR
    )
    watcher = Watcher(account, no_forge, examiner, ACTOR, lambda: now)
    jobs = EmbeddedJobs(memory, lambda: now, "bench")
    rounds = Rounds(jobs, account, Parts(watcher=watcher), place="here", interval=ROUND)
    refs = [parse(CHANGE.format(number)) for number in range(changes)]
    tracking = cpu(lambda: [account.track(ref, Owner("coder"), ACTOR) for ref in refs])
    memory.look_next({id_of(ref): START + timedelta(days=1) for ref in refs})
    idle = min(cpu(lambda: rounds.once(everything=False)) for _ in range(5))
    glance = min(cpu(lambda: (jobs.round(), memory.heard())) for _ in range(20))
    tracemalloc.start()
    rounds.once(everything=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    file = folder / settings.DATABASE_NAME
    link = sqlite3.connect(file)
    plain = min(cpu(lambda: link.execute("SELECT * FROM changes").fetchall()) for _ in range(5))
    link.close()
    hints = [
        Hint("gitlab", str(number), id_of(refs[number % changes]), START)
        for number in range(5_000)
    ]
    batch = cpu(lambda: memory.hear(hints))
    single = cpu(lambda: [memory.hear([one._replace(source="x")]) for one in hints[:500]])
    found = memory.ledger_verify()
    memory.close()
    if not found.ok:
        raise SystemExit(f"the account does not hold: {found.broken}")
    return {
        "track_ms": tracking / changes * 1_000,
        "idle_round_ms": idle * 1_000,
        "plain_select_ms": plain * 1_000,
        "idle_second_ms": glance * 1_000,
        "idle_share_of_a_core_percent": (idle / ROUND + glance) * 100,
        "hint_in_a_batch_ms": batch / len(hints) * 1_000,
        "hint_alone_ms": single / 500 * 1_000,
        "sweep_peak_mb": peak / 2**20,
        "main_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def growth(folder: Path) -> dict[str, float]:
    """Give the milliseconds of one step of an account whose change has had many attempts."""
    memory = wiring.open_memory(settings.load(folder, environment={}, folder=folder))
    account, found, number = Account(memory, Policy(settle=0)), {}, 0
    ref = parse(CHANGE.format(1))
    account.track(ref, Owner("coder"), ACTOR)

    def step() -> None:
        nonlocal number
        number += 1
        status = "success" if number % 4 == 0 else "failed"
        job = Job(str(number), "test", status, fingerprint=f"sig1:{number}")
        pipeline = Pipeline(str(number), f"h{number}", status, jobs=(job,))
        at = START + timedelta(minutes=number)
        account.step(id_of(ref), Reading(at, f"h{number}", "worker", pipeline), ACTOR)

    for size in (100, 1_000, 3_000):
        while number < size:
            step()
        found[f"step_after_{size}_attempts_ms"] = cpu(lambda: [step() for _ in range(50)]) * 20
    memory.close()
    return found


SERVER = """
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        iid = self.path.split("/merge_requests/")[1].split("/")[0].split("?")[0]
        change = {"iid": int(iid), "project_id": 5, "target_project_id": 5, "title": "Fix",
                  "sha": "a" * 40, "state": "opened", "source_branch": "fix", "target_branch": "main",
                  "web_url": "", "merge_commit_sha": None, "head_pipeline": None}
        data = json.dumps([] if "/pipelines" in self.path else change).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
    def log_message(self, *_): pass
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


def polling(folder: Path, looks: int = 400) -> dict[str, float]:
    """Give what a look costs that finds nothing new, its forge read over loopback, job included."""
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        host = f"127.0.0.1:{int(server.stdout.readline())}"
        (folder / "caselore.toml").write_text(
            f'[forge."{host}"]\nkind = "gitlab"\napi = "http://{host}/api/v4"\n'
        )
        with caselore.open(folder) as app:
            for number in range(looks):
                ref = parse(f"http://{host}/pay/-/merge_requests/{number}")
                app.repair.account.track(ref, Owner("coder"), ACTOR)
            rounds = app.repair.rounds()
            rounds.once()
            look = cpu(rounds.once) / looks
    finally:
        server.kill()
        server.wait()
    return {
        "look_ms": look * 1_000,
        "polling_share_of_10000_hooked_percent": look * 10_000 / HOOKED[Phase.TRACKING] * 100,
        "polling_share_of_10000_unhooked_percent": look * 10_000 / EVERY[Phase.GREEN] * 100,
    }


def main() -> None:
    """Print one JSON object."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("changes", type=int, nargs="?", default=10_000)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder) / name for name in ("idle", "growth", "polling")]
        for place in places:
            place.mkdir()
        found = {"step_ms": steps(200), **measure(given.changes, places[0])}
        found |= {**growth(places[1]), **polling(places[2])}
    print(json.dumps({name: round(value, 4) for name, value in found.items()}))


if __name__ == "__main__":
    main()
