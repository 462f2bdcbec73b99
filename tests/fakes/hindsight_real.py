"""Runs the real Hindsight server without any model, from a virtual environment of its own.

Facts are kept as they are told (`LLM_PROVIDER=none`), vectors come from the tests' own table over
loopback, nothing is fetched. Its Postgres refuses to run as root: then an unprivileged user runs it.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from fakes.embeddings_server import serving as embeddings

WAITS = 180.0  # seconds until it must be up: it migrates its tables first


def venv() -> Path:
    """Give the environment that `make hindsight` installs it into."""
    return Path(__file__).resolve().parents[2] / ".venv-hindsight"


@contextmanager
def serving():
    """Give the address of a running server; it is gone after the block.

    One that runs already is named in CASELORE_TEST_HINDSIGHT.
    """
    if running := os.environ.get("CASELORE_TEST_HINDSIGHT"):
        yield running
        return
    if not (venv() / "bin" / "hindsight-api").exists():
        raise RuntimeError("Hindsight is not installed: run `make hindsight`.")
    with tempfile.TemporaryDirectory(prefix="caselore-hindsight-") as name, embeddings() as table:
        folder = Path(name)
        folder.chmod(0o755)
        database, stop = _database(folder)
        port = _free_port()
        log = (folder / "server.log").open("wb")
        server = subprocess.Popen(
            [venv() / "bin" / "hindsight-api"],
            env={**_settings(port, table.url, folder), **database},
            stdout=log,
            stderr=log,
            cwd=folder,
        )
        try:
            _must_come_up(server, port, folder / "server.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
            log.close()
            stop()


def _settings(port: int, vectors: str, folder: Path) -> dict[str, str]:
    told = {
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "LLM_PROVIDER": "none",
        "EMBEDDINGS_PROVIDER": "openai",
        "EMBEDDINGS_OPENAI_BASE_URL": vectors,
        "EMBEDDINGS_OPENAI_API_KEY": "none",
        "EMBEDDINGS_OPENAI_MODEL": "table",
        "RERANKER_PROVIDER": "rrf",
        "WORKER_ID": "test",
    }
    named = {f"HINDSIGHT_API_{key}": value for key, value in told.items()}
    return {**named, "HF_HUB_OFFLINE": "1", "HOME": str(folder), "PATH": os.environ["PATH"]}


def _database(folder: Path):
    """Start its Postgres under a user that may; as any other user the server does it itself."""
    if os.getuid() != 0:
        return {}, lambda: None
    (packed,) = (venv() / "lib").glob("python*/site-packages/pg0/bin/pg0")
    home = folder / "pg"
    home.mkdir()
    program = shutil.copy(packed, home / "pg0")
    shutil.chown(home, "nobody")
    port = _free_port()

    def run(*words: str) -> None:
        subprocess.run(
            [program, *words], user="nobody", group="nogroup", cwd=home, check=True, timeout=120,
            env={"HOME": str(home), "PATH": os.environ["PATH"]}, capture_output=True,
        )  # fmt: skip

    named = ["--username", "hindsight", "--password", "hindsight", "--database", "hindsight"]
    run("start", "--name", "hindsight", "--port", str(port), *named)
    url = f"postgresql://hindsight:hindsight@127.0.0.1:{port}/hindsight"
    return {"HINDSIGHT_API_DATABASE_URL": url}, lambda: run("stop", "--name", "hindsight")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _must_come_up(server, port: int, log: Path) -> None:
    deadline = time.monotonic() + WAITS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.5)
    raise RuntimeError(f"Hindsight did not come up:\n{log.read_text(errors='replace')[-3_000:]}")
