"""Tells the repair loop over a CI that really fails: one worker that manages, one that never does.

The watcher is killed without warning in between. Must not touch any home but its own throw-away
one, nor go on when something else happens than should.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from caselore import settings
from caselore.faces.demo.story import DemoFailed
from caselore.faces.terminal import Paper, safe

_PATIENCE = 120  # seconds that the whole story may take
_JOBS = {"refunds": "Refunds", "empty": "Empty", "shares": "Shares"}
_CI = "".join(
    f'[[job]]\nname = "{job}"\nrun = "\'{sys.executable}\' -m unittest test_totals.{case}"\n'
    for job, case in _JOBS.items()
)


def run(*, keep: bool, as_json: bool) -> int:
    """Play the story and give the exit code. Raises: DemoFailed at the first unexpected turn."""
    place = Path(tempfile.mkdtemp(prefix="caselore-demo-"))
    began = time.monotonic()
    workshop = Workshop(place, quiet=as_json)
    try:
        found = workshop.play()
    finally:
        workshop.close()
        if not keep:
            shutil.rmtree(place, ignore_errors=True)
    if as_json:
        seconds = round(time.monotonic() - began, 1)
        print(json.dumps({"ok": True, "seconds": seconds, **found}))
    return 0


def _reached(count: int, status: dict[str, Any]) -> bool:
    return int(status["pipeline_fail_count"]) >= count


class Workshop:
    """A repository, a home, two tracked changes and a watcher that is a process of its own."""

    def __init__(self, place: Path, *, quiet: bool) -> None:
        """Lay out the folders; nothing runs yet."""
        self._place, self._quiet = place, quiet
        self._repository, self._home = place / "pay", place / "memory"
        self._paper = Paper.of(sys.stdout, no_color=settings.colourless())
        self._environment = settings.without_agent_markers()
        self._environment["CASELORE_HOME"] = str(self._home)
        # a killed watcher leaves its CI's copy of the commit behind: within the throw-away place
        self._environment["TMPDIR"] = str(place)
        self._watcher: subprocess.Popen[bytes] | None = None

    def play(self) -> dict[str, Any]:
        """Play it all, and give what came of it."""
        self._say(self._paper.heading("caselore demo --repair: a CI that really fails"))
        self._set_up()
        steady, hopeless = self._track(1, "steady"), self._track(2, "hopeless")
        kills = self._watch_and_kill(steady)
        managed = self._until(steady, lambda one: one["state"] == "green")
        stopped = self._until(hopeless, lambda one: one["state"] == "open")
        self._stop()
        found = {"steady": self._told(steady), "hopeless": self._told(hopeless), "kills": kills}
        self._check(found, managed, stopped)
        self._show(steady, hopeless)
        return found

    # Setting up

    def _set_up(self) -> None:
        self._repository.mkdir()
        self._git("init", "--quiet", "--initial-branch=main")
        for name in ("totals.py", "test_totals.py"):
            source = files("caselore.faces.demo.repair").joinpath(name)
            (self._repository / name).write_bytes(source.read_bytes())
        (self._repository / "caselore-ci.toml").write_text("", encoding="utf-8")
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message", "Begin")
        self._home.mkdir()
        self._configure()
        made = self._caselore("token", "create", "--role", "human", "--name", "ana")
        self._environment["CASELORE_TOKEN"] = made["token"]

    def _configure(self) -> None:
        worker = self._place / "worker.py"
        source = files("caselore.faces.demo.repair").joinpath("worker.py")
        worker.write_bytes(source.read_bytes())
        tables = ["[repair.policy]", "settle = 0"]
        for name in ("steady", "hopeless"):
            words = [sys.executable, str(worker), name, "{event_file}", "{result_file}"]
            start = f"start = {json.dumps(words)}"
            tables += [f"[repair.workers.{name}]", start, 'prompt = "argument"']
            tables += ['logins = ["demo-worker"]', "timeout = 60"]
        (self._home / "caselore.toml").write_text("\n".join(tables) + "\n", encoding="utf-8")

    def _track(self, number: int, worker: str) -> str:
        branch, clone = f"change-{number}", self._place / worker
        self._git("branch", branch)
        self._git("clone", "--quiet", "--branch", branch, str(self._repository), str(clone))
        (clone / "caselore-ci.toml").write_text(_CI, encoding="utf-8")
        self._git("commit", "--quiet", "--all", "--message", "Add up payments", at=clone)
        self._git("push", "--quiet", at=clone)
        url = f"{self._repository.as_uri()}/-/merge_requests/{number}"
        self._say("", f"$ caselore repair track {url} --worker {worker}")
        self._caselore("repair", "track", url, "--worker", worker, "--folder", str(clone))
        return url

    def _git(self, *words: str, at: Path | None = None) -> None:
        own = ["-c", "user.name=demo-worker", "-c", "user.email=worker@example.invalid"]
        subprocess.run(
            ["git", *own, *words], cwd=at or self._repository, check=True, capture_output=True,
            timeout=_PATIENCE,
        )  # fmt: skip

    # Watching

    def _watch_and_kill(self, url: str) -> int:
        """Start the watcher, and kill it as soon as a failure was handed out; twice."""
        self._say("", "$ caselore repair watch --interval 1 &")
        kills = 0
        for count in (1, 2):
            self._start()
            self._until(url, partial(_reached, count))
            self._kill()
            kills += 1
            self._say(self._paper.ink(f"» kill -9 of the watcher, at failure {count}", "cyan"))
        self._start()
        return kills

    def _start(self) -> None:
        self._watcher = subprocess.Popen(
            [sys.executable, "-m", "caselore", "repair", "watch", "--interval", "1", "--json"],
            env=self._environment, cwd=self._place, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def _kill(self) -> None:
        if self._watcher is not None:
            self._watcher.send_signal(signal.SIGKILL)
            self._watcher.wait()

    def _stop(self) -> None:
        if self._watcher is not None and self._watcher.poll() is None:
            self._watcher.terminate()
            self._watcher.wait(timeout=30)

    def close(self) -> None:
        """End what this story started."""
        self._stop()

    def _until(self, url: str, so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        deadline, shown = time.monotonic() + _PATIENCE, ""
        while time.monotonic() < deadline:
            found = self._caselore("repair", "status", url, codes=(0, 1))
            line = f"{url[-18:]}  {found['state']:<10} {found['pipeline_fail_count']}/5"
            if line != shown:
                self._say(f"  {line}")
                shown = line
            if so(found):
                return found
            time.sleep(0.3)
        raise DemoFailed(f"{url} came to {json.dumps(found)[:1000]}")

    # What came of it

    def _told(self, url: str) -> list[str]:
        """Give the numbers of attempts that a worker was handed, and how it ended."""
        lines = self._lines("repair", "explain", url)
        notes = [note for line in lines for note in line["notes"]]
        return [note.removeprefix("event ") for note in notes if note.startswith("event ")]

    def _check(
        self, found: dict[str, Any], managed: dict[str, Any], stopped: dict[str, Any]
    ) -> None:
        wanted = ["pipeline_failed"] * 3 + ["pipeline_passed"]
        tripped = ["pipeline_failed"] * 5 + ["circuit_breaker"]
        if (found["steady"], found["hopeless"]) != (wanted, tripped):
            raise DemoFailed(f"Other events left than should: {json.dumps(found)}")
        if managed["pipeline_fail_count"] or stopped["pipeline_fail_count"] != 5:
            raise DemoFailed(f"The counts are {json.dumps([managed, stopped])[:1000]}")
        self._caselore("ledger", "verify")

    def _show(self, steady: str, hopeless: str) -> None:
        self._say("", f"$ caselore repair explain {steady}")
        self._shown("repair", "explain", steady)
        self._say("", f"$ caselore repair status {hopeless}")
        self._shown("repair", "status", hopeless)
        self._say(
            "",
            self._paper.heading("Three attempts, then green; the other is stopped after five."),
        )
        self._say("Each event left once, although the watcher was killed twice.")

    def _shown(self, *words: str) -> None:
        if not self._quiet:
            subprocess.run(
                [sys.executable, "-m", "caselore", *words],
                env=self._environment, cwd=self._place, timeout=_PATIENCE, check=False,
            )  # fmt: skip

    def _caselore(self, *words: str, codes: tuple[int, ...] = (0,)) -> dict[str, Any]:
        (found,) = self._lines(*words, codes=codes)
        return found

    def _lines(self, *words: str, codes: tuple[int, ...] = (0,)) -> list[dict[str, Any]]:
        ended = subprocess.run(
            [sys.executable, "-m", "caselore", *words, "--json"],
            env=self._environment, cwd=self._place, capture_output=True, timeout=_PATIENCE,
            check=False,
        )  # fmt: skip
        if ended.returncode not in codes:
            said = safe(ended.stderr.decode("utf-8", "replace"))
            raise DemoFailed(
                f"caselore {' '.join(words[:2])} ended with {ended.returncode}: {said}"
            )
        return [json.loads(line) for line in ended.stdout.splitlines()]

    def _say(self, *lines: str) -> None:
        if not self._quiet:
            print("\n".join(lines), flush=True)
