"""What the documents show exists: files, commands, options, decisions."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from caselore.memory.weights import Weights

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
CASELORE = str(Path(sys.executable).parent / "caselore")


def named_paths() -> list[tuple[str, str]]:
    found = []
    for document in DOCUMENTS:
        for path in re.findall(
            r"`((?:src|tests|docs|benchmarks)/[\w./-]+)`", document.read_text()
        ):
            found.append((document.name, path))
        for path in re.findall(r"\]\(((?!http)[\w./-]+)\)", document.read_text()):
            found.append((document.name, str((document.parent / path).relative_to(ROOT))))
    return sorted(set(found))


def shown_commands() -> list[tuple[str, str]]:
    found = []
    for document in DOCUMENTS:
        for block in re.findall(r"```(?:console|sh|bash)\n(.*?)```", document.read_text(), re.S):
            text = block.replace("\\\n", " ")
            for line in re.findall(r"(?:^|[|(] ?)\$? ?caselore (.+)$", text, re.M):
                found.append((document.name, line.strip()))
    return sorted(set(found))


def help_of(words: list[str]) -> str:
    run = subprocess.run(
        [CASELORE, *words, "--help"], capture_output=True, text=True, check=True, timeout=60
    )
    return run.stdout


@pytest.mark.parametrize(("document", "path"), named_paths())
def test_a_path_that_a_document_names_exists(document: str, path: str) -> None:
    assert (ROOT / path).exists(), f"{document} names {path}"


@pytest.mark.parametrize(("document", "command"), shown_commands())
def test_a_command_that_a_document_shows_exists_with_its_options(
    document: str, command: str
) -> None:
    words = []
    for word in command.split():
        if not re.fullmatch(r"[a-z]+", word) or len(words) == 2:
            break
        words.append(word)
    groups = {"ledger", "quarantine", "token", "signature", "index", "mcp", "repair"}
    top = words[:2] if words[0] in groups else words[:1]
    text = help_of(top)

    for option in re.findall(r"(?<=\s)--[a-z][\w-]*", " " + command.split("#", maxsplit=1)[0]):
        assert option in text, f"{document} shows {option} of {' '.join(top)}"


def test_documents_show_commands_at_all() -> None:
    assert len(shown_commands()) >= 10
    assert len(named_paths()) >= 20


def test_decisions_have_numbers_of_their_own_and_stay_on_one_page() -> None:
    pages = sorted((ROOT / "docs" / "adr").glob("*.md"))
    numbers = [int(p.name[:4]) for p in pages]

    assert len(set(numbers)) == len(numbers) >= 9
    for page in pages:
        text = page.read_text()
        assert len(text.splitlines()) <= 60, page
        for part in ("Status:", "## Context", "## Decision", "## Consequences"):
            assert part in text, f"{page.name} lacks {part}"


def test_the_readme_opens_with_the_two_commands() -> None:
    top = (ROOT / "README.md").read_text()[:3000]

    assert top.index("make demo") < top.index("make test")


def test_the_readmes_closed_incident_can_be_imported_as_it_stands(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text()
    rows = re.findall(r"```json\n(.*?)```", text, re.S)
    (tmp_path / "closed.jsonl").write_text("".join(rows))
    run = subprocess.run(
        [CASELORE, "import", "closed.jsonl", "--json"],
        cwd=tmp_path,
        env={"CASELORE_HOME": str(tmp_path / "home"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    assert '"added": 1' in run.stdout


def test_the_weights_in_the_settings_page_are_the_defaults() -> None:
    text = (ROOT / "docs" / "SETTINGS.md").read_text()
    block = re.findall(r"```toml\n(.*?)```", text, re.S)[0]
    shown = tomllib.loads(block)["weights"]
    weights = Weights()

    for name, value in shown.items():
        held = getattr(weights, name)
        assert (list(held) if isinstance(held, tuple) else held) == value, name
