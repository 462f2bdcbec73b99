"""The shape of the source: small files, small functions, docstrings that say what a module must not do."""

from __future__ import annotations

import ast
import statistics
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "src" / "caselore").rglob("*.py"))
FORBIDDEN_NAMES = {"utils", "helpers", "common", "manager", "misc"}
TOUR_LINES = 3_000


def function_lengths(source: str) -> list[int]:
    tree = ast.parse(source)
    return [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    ]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_source_file_is_over_400_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400


def test_the_median_function_is_under_10_lines() -> None:
    lengths = [n for path in SOURCES for n in function_lengths(path.read_text())]

    assert statistics.median(lengths) < 10


def test_a_long_function_would_raise_the_median() -> None:
    long = "def f():\n" + "    x = 1\n" * 30

    assert function_lengths(long) == [31]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_module_says_what_it_does_and_what_it_must_not_do(path: Path) -> None:
    text = ast.get_docstring(ast.parse(path.read_text())) or ""

    assert text, f"{path} has no module docstring"
    if path.name not in {"__init__.py", "__main__.py"}:
        assert "must not" in text.lower(), f"{path} does not say what it must not do"


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert not {p.stem for p in SOURCES} & FORBIDDEN_NAMES


# Libraries that know no other way stand behind these modules, and nothing of it leaves them.
ASYNCHRONOUS_SDKS = {"faces/http/asgi.py", "jobs/distributed.py", "llm/providers.py"}


def test_no_asynchronous_code_but_where_a_library_forces_it() -> None:
    found = {
        str(path.relative_to(ROOT / "src" / "caselore"))
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.AsyncFunctionDef)
    }

    assert found == ASYNCHRONOUS_SDKS


def tour() -> list[Path]:
    """Read the files of the tour from the table in ARCHITECTURE.md."""
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| `src/caselore/")]
    return [ROOT / row.split("`")[1] for row in rows]


def test_the_tour_names_real_files_and_can_be_read_in_an_hour() -> None:
    files = tour()

    assert len(files) >= 10
    assert [f for f in files if not f.is_file()] == []
    assert sum(len(f.read_text().splitlines()) for f in files) <= TOUR_LINES


def test_every_file_beside_the_code_goes_into_the_wheel() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())
    endings = {
        one.rpartition("*")[2] for one in told["tool"]["setuptools"]["package-data"]["caselore"]
    }
    package = ROOT / "src" / "caselore"
    beside = {
        path.relative_to(package)
        for path in package.rglob("*")
        if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts
    }

    assert {str(p) for p in beside if not any(p.name.endswith(e) for e in endings)} == set()


def test_no_two_test_modules_have_one_name() -> None:
    """pytest imports them by their bare names: the second of one name would end the whole run."""
    names = [path.name for path in (ROOT / "tests").rglob("*.py") if path.name != "conftest.py"]

    assert {name for name in names if names.count(name) > 1} <= {"__init__.py"}
