"""A real PgBouncer in transaction pooling before the tests' Postgres: clients share a few sessions, in turn.

Must not stand in for it where it is not installed: then nothing is tested through it, and the run says so.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import psycopg

from fakes import means

SESSIONS = 3  # of the server, whatever the number of clients
PROGRAM = means.pgbouncer()
CONFIG = """[databases]
* = {server}
[pgbouncer]
pool_mode = transaction
default_pool_size = {sessions}
max_client_conn = 200
auth_type = any
listen_addr =
listen_port = 6432
unix_socket_dir = {folder}
logfile = {folder}/log
max_prepared_statements = 0
"""


@contextmanager
def before(admin: str):
    """Give an address by which the server of `admin` is reached through PgBouncer."""
    folder = Path(tempfile.mkdtemp(prefix="caselore-pgbouncer-"))
    server, owner = _server(admin)
    config = CONFIG.format(server=server, folder=folder, sessions=SESSIONS)
    if "max_prepared_statements" not in _known():
        config = "\n".join(line for line in config.splitlines() if "prepared" not in line)
    (folder / "ini").write_text(config)
    words = [PROGRAM, "-q", str(folder / "ini")]
    if os.getuid() == 0:  # it does not run as root
        shutil.chown(folder, owner)
        words = [*words[:1], "-u", owner, *words[1:]]
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    url = f"postgresql://postgres@/{{database}}?host={folder}&port=6432"
    try:
        _until_it_answers(process, url.format(database="postgres"), folder / "log")
        yield lambda database: url.format(database=urlsplit(database).path.strip("/"))
    finally:
        process.terminate()
        process.wait(timeout=20)
        shutil.rmtree(folder, ignore_errors=True)


def _known() -> str:
    """Give the names of settings that this version of the program knows."""
    return Path(PROGRAM).read_bytes().decode("ascii", "ignore")


def _server(admin: str) -> tuple[str, str]:
    """Give the server as PgBouncer's settings name it, and a user who may reach it."""
    parts, asked = urlsplit(admin), parse_qs(urlsplit(admin).query)
    host = parts.hostname or asked.get("host", ["127.0.0.1"])[0]
    words = {"host": host, "port": parts.port or 5432, "user": unquote(parts.username or "")}
    if parts.password:
        words["password"] = unquote(parts.password)
    owner = "nobody"
    if host.startswith("/"):
        owner = pwd.getpwuid(os.stat(host).st_uid).pw_name
    return " ".join(f"{name}={value}" for name, value in words.items() if value), owner


def _until_it_answers(process, url: str, log: Path) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(psycopg.Error), psycopg.connect(url, autocommit=True) as link:
            link.execute(b"SELECT 1")
            return
        time.sleep(0.1)
    raise AssertionError(f"PgBouncer does not answer: {log.read_text() if log.exists() else ''}")
