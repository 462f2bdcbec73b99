"""Runs small projects of ours through real tools and keeps their output as reading cases.

Must not be part of the test suite's run: it needs the tools, a network and minutes of time.

    python tests/cases/make/make_logs.py                 expected.json from the logs that exist
    python tests/cases/make/make_logs.py NAME...         run these cases again (a prefix* is fine)
    python tests/cases/make/make_logs.py --missing       run those whose log does not exist

CASE_TOOLS names a folder that holds `venv` (Python tools) and `js` (node_modules); see README.md.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
LOGS = HERE.parent / "logs"
WORK = Path("/builds/shop/pay")
TOOLS = Path(os.environ.get("CASE_TOOLS", str(Path.home() / ".cache/case-tools")))
ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\].*?(?:\x07|\x1b\\)")

sys.path.insert(0, str(HERE))
import framings  # noqa: E402


def unpack(name: str, into: Path) -> None:
    """Write the files of one `-- path --` archive."""
    path: Path | None = None
    body: list[str] = []
    for line in [*(HERE / "projects" / f"{name}.txtar").read_text().split("\n"), "-- end --"]:
        header = re.fullmatch(r"-- (\S+) --", line)
        if header is None:
            body.append(line)
            continue
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(body).rstrip("\n") + "\n")
        path, body = into / header[1], []


def environment() -> dict[str, str]:
    env = {
        k: v
        for k, v in os.environ.items()
        if k in {"HOME", "LANG", "TERM", "NODE_EXTRA_CA_CERTS"}
        or k.startswith(("PIP_", "npm_config_", "SSL_"))
    }
    path = f"{TOOLS}/venv/bin:{TOOLS}/js/node_modules/.bin:{os.environ['PATH']}"
    return {
        **env,
        "PATH": path,
        "CI": "true",
        "TERM": "dumb",
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "100",
        "CASE_NPM8": f"{TOOLS}/js/node_modules/npm8/bin/npm-cli.js",
        "OLD": f"{TOOLS}/venv2/bin",
        "JS_OLD": f"{TOOLS}/js-old/node_modules",
        "PY27": f"{TOOLS}/venv-py27/bin",
        "CASE_YARN4": f"{TOOLS}/js/node_modules/@yarnpkg/cli-dist/bin/yarn.js",
        "GRADLE_OPTS": "-Dorg.gradle.daemon=false",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def execute(case: dict[str, Any]) -> str:
    """The combined output of one case's command in a fresh copy of its project."""
    shutil.rmtree(WORK.parent, ignore_errors=True)
    WORK.mkdir(parents=True)
    if "project" in case:
        unpack(case["project"], WORK)
    if case.get("node_modules"):
        (WORK / "node_modules").symlink_to(TOOLS / "js/node_modules")
    env = environment() | case.get("env", {})
    if "setup" in case:
        subprocess.run(
            ["bash", "-c", case["setup"]], cwd=WORK, env=env, check=False, capture_output=True
        )
    command = ["bash", "-c", case["command"]]
    if case.get("postgres"):
        command = [str(HERE / "with_postgres.sh"), *command]
    done = subprocess.run(
        command,
        cwd=WORK,
        env=env,
        check=False,
        timeout=900,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    passing = case.get("passing", False)
    if (done.returncode == 0) != passing and not case.get("any_exit"):
        print(f"!! {case['name']}: exit {done.returncode}, passing={passing}")
    return clean(done.stdout.decode("utf-8", "replace"))


def clean(text: str) -> str:
    """The output without traces of the machine that made it."""
    home = str(Path.home())
    places = [
        (f"{TOOLS}/venv-py27", "/opt/venv"),
        (str((TOOLS / "venv-py27").resolve()), "/opt/venv"),
        (f"{TOOLS}/js-old", str(WORK)),
        (str((TOOLS / "js-old").resolve()), str(WORK)),
        (f"{TOOLS}/venv", "/opt/venv"),
        (str((TOOLS / "venv").resolve()) + "/", "/opt/venv/"),
        (f"{TOOLS}/js", str(WORK)),
        (str((TOOLS / "js").resolve()), str(WORK)),
        (f"{TOOLS}/venv2", "/opt/venv"),
        (str((TOOLS / "venv2").resolve()), "/opt/venv"),
        (str(TOOLS), "/opt/tools"),
        (str(Path(sys.base_prefix)), "/usr/local"),
    ]
    for found, said in places:
        text = text.replace(found, said)
    text = re.sub(r"/[\w./-]*/\.pyenv/(versions/[\d.]+|shims)", "/usr/local", text)
    text = re.sub(re.escape(home) + r"(?=[/\s'\"]|$)", "/home/ci", text)
    for pattern, said in _traces():
        text = re.sub(pattern, said, text)
    name = socket.gethostname()
    return re.sub(rf"\b{re.escape(name)}\b(?=[:@ ])", "runner-1", text) if len(name) > 3 else text


def _traces() -> list[tuple[str, str]]:
    """What else this machine leaves in logs: `[pattern, said]` pairs in CASE_TOOLS/traces.json."""
    path = TOOLS / "traces.json"
    return [(p, said) for p, said in json.loads(path.read_text())] if path.exists() else []


def load() -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = []
    for table in sorted((HERE / "runs").glob("*.toml")):
        for case in tomllib.loads(table.read_text())["case"]:
            cases.append(
                {"origin": "written" if table.stem.startswith("written") else "run", **case}
            )
    names = [c["name"] for c in cases]
    twice = {n for n in names if names.count(n) > 1}
    if twice:
        raise SystemExit(f"named twice: {sorted(twice)}")
    return cases


def produce(case: dict[str, Any]) -> None:
    if case["origin"] == "written":
        output = re.sub(r"(?m)^(section_\w+:\d+:\w+)(?=\\u001b)", "\\1\r", case["text"]).replace(
            "\\u001b", "\x1b"
        )
        code = 0 if case.get("passing") else case.get("code", 1)
    else:
        output, code = execute(case), 0 if case.get("passing") else case.get("code", 1)
    framed = framings.frame(
        case.get("frame", "none"), case.get("shown", case.get("command", "make ci")), output, code
    )
    (LOGS / f"{case['name']}.log").write_bytes(framed.encode())


def find(lines: list[str], mark: str, start: int = 0) -> list[int]:
    """1-based numbers of the lines for a mark: `text` first hit, `*text` all, `@2:text` the second."""
    every, nth = mark.startswith("*"), 1
    if every:
        mark = mark[1:]
    elif (counted := re.match(r"@(\d+):", mark)) is not None:
        nth, mark = int(counted[1]), mark[counted.end() :]
    hits = [n for n, line in enumerate(lines, 1) if n > start and mark in line]
    return hits if every else hits[nth - 1 : nth]


def expectation(case: dict[str, Any]) -> dict[str, Any]:
    text = (LOGS / f"{case['name']}.log").read_bytes().decode("utf-8", "replace")
    lines = [ANSI.sub("", line).rstrip("\r").rsplit("\r", 1)[-1] for line in text.split("\n")]
    failing, must = [], []
    for mark in case.get("failing", []):
        hits = find(lines, mark)
        if not hits:
            print(f"!! {case['name']}: no line holds {mark!r}")
        failing += hits
    for span in case.get("must", case.get("failing", [])[:1]):
        first_mark, last_mark = (span, None) if isinstance(span, str) else span
        first = find(lines, first_mark)
        last = first if last_mark is None else find(lines, last_mark, first[0] - 1 if first else 0)
        if first and last:
            must.append([first[0], last[-1]])
        else:
            print(f"!! {case['name']}: no range {span!r}")
    return {
        "file": f"{case['name']}.log",
        "tool": case.get("tool", ""),
        "family": case.get("family", ""),
        "failing_lines": sorted(set(failing)),
        "must_show": must,
        "origin": case["origin"],
        "passing": case.get("passing", False),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--missing", action="store_true")
    args = parser.parse_args()
    cases = load()
    for case in cases:
        asked = any(fnmatch.fnmatch(case["name"], name) for name in args.names)
        if asked or (args.missing and not (LOGS / f"{case['name']}.log").exists()):
            print("..", case["name"], flush=True)
            produce(case)
    table = [expectation(c) for c in cases if (LOGS / f"{c['name']}.log").exists()]
    rows = ",\n".join(
        json.dumps(row, ensure_ascii=False) for row in sorted(table, key=lambda r: r["file"])
    )
    (LOGS / "expected.json").write_text(f"[\n{rows}\n]\n")
    stray = {p.name for p in LOGS.glob("*.log")} - {row["file"] for row in table}
    if stray:
        print("!! logs without a case:", sorted(stray))


if __name__ == "__main__":
    main()
