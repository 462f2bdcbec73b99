"""The import contracts hold, and each of them fails on a wrong import."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# (module to spoil, line put in front of its code, contract that must break)
WRONG_IMPORTS = [
    ("guards/grounding.py", "import os", "judging code does no I/O"),
    ("guards/secrets.py", "import time", "judging code does no I/O"),
    ("logs/signature.py", "import random", "judging code does no I/O"),
    ("memory/ranking.py", "import time", "judging code does no I/O"),
    ("memory/recall.py", "import sqlite3", "judging code does no I/O"),
    ("memory/gate.py", "import socket", "judging code does no I/O"),
    ("incidents/diagnosis.py", "import subprocess", "judging code does no I/O"),
    ("repair/reducer.py", "import time", "judging code does no I/O"),
    ("repair/colours.py", "import httpx", "judging code does no I/O"),
    ("incidents/service.py", "from caselore import repair", "point down"),
    ("memory/api.py", "from caselore.memory.stores import sqlite", "Only wiring chooses"),
    ("faces/cli/app.py", "from caselore.memory.stores import sqlite", "Only wiring chooses"),
    ("repair/watcher.py", "from caselore.jobs import embedded", "Only wiring chooses"),
    ("incidents/diagnosis.py", "from caselore import settings", "Only wiring and the faces"),
    ("memory/records.py", "from caselore import logs", "point down"),
    ("logs/signature.py", "from caselore import memory", "point down"),
    ("guards/names.py", "from caselore import memory", "point down"),
    ("memory/ports.py", "from caselore import incidents", "point down"),
    ("jobs/ports.py", "from caselore import memory", "point down"),
    ("memory/later.py", "from caselore import jobs", "point down"),
    ("jobs/ports.py", "import psycopg", "judging code does no I/O"),
    ("wiring.py", "from caselore import faces", "point down"),
    ("errors.py", "from caselore import guards", "point down"),
    ("utils.py", "", "point down"),
]


def contracts(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    return subprocess.run(
        command,
        cwd=folder,
        env={"PYTHONPATH": str(folder / "src"), "PATH": "", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("*.egg-info"))
    shutil.copy(ROOT / ".importlinter", tmp_path)
    return tmp_path


def test_the_source_keeps_every_contract(copy: Path) -> None:
    run = contracts(copy)

    assert run.returncode == 0, run.stdout[-2000:]
    assert "0 broken" in run.stdout


@pytest.mark.parametrize(("module", "line", "contract"), WRONG_IMPORTS)
def test_a_wrong_import_breaks_its_contract(
    copy: Path, module: str, line: str, contract: str
) -> None:
    path = copy / "src" / "caselore" / module
    source = path.read_text() if path.exists() else '"""Spoilt."""\n'
    path.write_text(source.rstrip() + f"\n{line}\n")
    run = contracts(copy)

    assert run.returncode != 0
    broken = [text for text in run.stdout.splitlines() if "BROKEN" in text]
    assert any(contract in text for text in broken), run.stdout[-2000:]
