"""Draw docs/diagnose.svg: what a terminal shows when caselore answers from a confirmed precedent.

Runs the demonstration, asks again for its second deployment in a real terminal, and draws the
answer. Must not invent a line: what the picture shows was printed.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

HERE = Path(__file__).resolve().parent
CASELORE = str(Path(sys.executable).parent / "caselore")
# rich's own frame without its web fonts and its address: whoever shows the picture loads nothing
FRAME = re.sub(r"@font-face \{\{.*?\}\}\n|<!--.*?-->", "", CONSOLE_SVG_FORMAT, flags=re.S)


def in_terminal(command: list[str], env: dict[str, str], cwd: Path) -> str:
    """Run a command in a terminal of 80 columns and give all that it printed."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    run = subprocess.Popen(command, env=env, cwd=cwd, stdin=child, stdout=child, stderr=child)
    os.close(child)
    shown = b""
    while True:
        try:
            part = os.read(parent, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    run.wait()
    return shown.decode().replace("\r\n", "\n")


def main() -> None:
    """Draw the picture."""
    told = subprocess.run([CASELORE, "demo", "--keep"], capture_output=True, text=True, check=True)
    home = Path(re.findall(r"(/\S*caselore-demo-\w+)", told.stdout)[-1])
    log = next(home.rglob("deploy-1057.log"))
    names = ["--service", "payment-service", "--environment", "production", "--branch", "main"]
    command = ["diagnose", log.name, *names, "--stage", "deploy", "--deployment", "1057"]
    store = home / "memory"
    env = {**os.environ, "CASELORE_HOME": str(store), "TERM": "xterm-256color", "COLUMNS": "80"}
    for name in ("NO_COLOR", "CASELORE_TOKEN"):
        env.pop(name, None)
    shown = in_terminal([CASELORE, *command], env, log.parent)
    asked = [CASELORE, *command, "--json"]
    answer = subprocess.check_output(asked, env=env, cwd=log.parent, text=True)
    assert json.loads(answer)["sufficient"]
    console = Console(record=True, width=80, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ caselore diagnose deploy-1057.log --service payment-service …", "bold"))
    console.print(Text.from_ansi(shown))
    look = {"title": "caselore", "theme": MONOKAI, "code_format": FRAME, "unique_id": "caselore"}
    svg = console.export_svg(**look)
    (HERE / "diagnose.svg").write_text(svg.replace("Fira Code, monospace", "monospace"))
    shutil.rmtree(home)


if __name__ == "__main__":
    main()
