"""Runs what the story needs as real processes: the services' jobs, and caselore itself.

Must not call caselore's code: the demonstration uses the commands that a person types.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from caselore import settings
from caselore.errors import CaseloreError
from caselore.faces.terminal import Paper, safe

SCRIPTS = ("deploy.py", "migrate.py", "user_service.py")
_SHOWN = 6  # lines of a job's log
_PATIENCE = 120  # seconds that one process may take


class Stage:
    """A throw-away home with the services' scripts in it and a person's token."""

    def __init__(self, home: Path, *, quiet: bool) -> None:
        """Lay out the folder and make the token of a person."""
        self._quiet = quiet
        self._folder = home / "shop"
        self._folder.mkdir()
        for name in SCRIPTS:
            source = files("caselore.faces.demo.services").joinpath(name)
            (self._folder / name).write_bytes(source.read_bytes())
        self._paper = Paper.of(sys.stdout, no_color=settings.colourless())
        self._environment = settings.without_agent_markers()
        self._environment["CASELORE_HOME"] = str(home / "memory")
        self._environment.setdefault("COLUMNS", str(self._paper.width))
        self._say(
            self._paper.heading("caselore demo: one memory, seven scenes, jobs that really run")
        )
        self._say(f"Throw-away home: {home}")
        made = self.caselore("token", "create", "--role", "human", "--name", "ana", quiet=True)
        self._environment["CASELORE_TOKEN"] = made["token"]
        self._say("$ export CASELORE_TOKEN=$(caselore token create --role human --name ana)")

    def heading(self, number: int, total: int, title: str) -> None:
        """Open a scene."""
        self._say("", self._paper.heading(f"── {number}/{total}  {title} "))

    def remark(self, text: str) -> None:
        """Say what to look at."""
        self._say(
            "",
            *(
                self._paper.ink(line, "cyan")
                for line in self._paper.wrap(text, indent="", first="» ")
            ),
        )

    def close(self, seconds: float, *, kept: Path | None) -> None:
        """Say what was shown and how to go on."""
        place = (
            f"The home is kept: CASELORE_HOME={kept}/memory" if kept else "The home is deleted."
        )
        self._say(
            "",
            self._paper.heading(f"All of it held, in {seconds:.0f} seconds. {place}"),
            "Now on your own log:  caselore diagnose LOG --service NAME --deployment ID",
            "And your history:     caselore import closed-incidents.jsonl",
        )

    def deploy(
        self,
        number: str,
        migration: str,
        *,
        rows: int,
        batch: int = 0,
        guard: str = "deployment",
        fails: bool = False,
    ) -> Path:
        """Deploy the payment service, keep the log. Raises: CaseloreError if it ends otherwise."""
        command = ["deploy.py", "shop.db", migration, "--deployment", number, "--rows", str(rows)]
        command += ["--batch", str(batch)] if batch else []
        command += ["--guard", guard] if guard != "deployment" else []
        return self._job(f"deploy-{number}.log", command, fails=fails)

    def user_service(self, number: str) -> Path:
        """Start the user service without its variable and keep the log."""
        return self._job(f"deploy-{number}.log", ["user_service.py"], fails=True)

    def _job(self, log: str, command: list[str], *, fails: bool) -> Path:
        self._say(*self._typed("python", [*command, ">", log]))
        path = self._folder / log
        with path.open("wb") as out:
            code = subprocess.run(
                [sys.executable, "-u", *command],
                cwd=self._folder,
                env=self._environment,
                stdout=out,
                stderr=subprocess.STDOUT,
                timeout=_PATIENCE,
                check=False,
            ).returncode
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        self._say(*(self._paper.ink(self._fit(line), "dim") for line in lines[-_SHOWN:]))
        if (code != 0) != fails:
            raise CaseloreError(
                f"The job {log} was to {'fail' if fails else 'succeed'}: exit code {code}."
            )
        return path

    def _typed(self, program: str, arguments: Sequence[str]) -> list[str]:
        """Write a command as a person would type it, within the width."""
        words = [one if one == ">" else shlex.quote(one) for one in arguments]
        typed = self._paper.command([program, *words], first="$", indent="   ")
        return ["", *(self._paper.ink(line, "bold") for line in typed)]

    def _fit(self, line: str) -> str:
        clean = safe(line)
        room = self._paper.width - 4
        return "  " + (clean if len(clean) <= room else clean[: room - 1] + "…")

    def diagnose(
        self, log: Path, number: str, *, sufficient: bool, service: str = "payment-service"
    ) -> dict[str, Any]:
        """Diagnose a job's log. Raises: CaseloreError on another exit code than the answer's."""
        return self.caselore(
            *("diagnose", log.name, "--service", service, "--deployment", number),
            *("--environment", "production", "--branch", "main", "--stage", "deploy"),
            code=0 if sufficient else 1,
        )

    def caselore(self, *arguments: str, code: int = 0, quiet: bool = False) -> dict[str, Any]:
        """Run one command for people to see, then give its answer as JSON.

        What changes something is run once and looked up after; what only reads is run twice.
        """
        command = [sys.executable, "-m", "caselore", *arguments]
        if not (self._quiet or quiet):
            self._say(*self._typed("caselore", arguments), "")
            self._run([*command], code)
            if arguments[0] == "confirm":
                command = [sys.executable, "-m", "caselore", "show", arguments[1]]
        return self._answer(self._run([*command, "--json"], code, capture=True))

    def _run(self, command: list[str], code: int, *, capture: bool = False) -> str:
        sys.stdout.flush()
        ended = subprocess.run(
            command,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if capture else None,
            timeout=_PATIENCE,
            check=False,
        )
        if ended.returncode != code:
            shown = " ".join(command[3:5])
            raise CaseloreError(
                f"`caselore {shown}` ended with {ended.returncode}, not with {code}."
            )
        return (ended.stdout or b"").decode()

    def _answer(self, text: str) -> dict[str, Any]:
        try:
            document: dict[str, Any] = json.loads(text)
        except json.JSONDecodeError:
            raise CaseloreError(f"caselore printed no JSON object but: {text[:200]!r}") from None
        return document

    def _say(self, *lines: str) -> None:
        if not self._quiet:
            print("\n".join(lines), flush=True)
