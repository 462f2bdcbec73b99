"""The benchmark's reader of public duplicate reports takes both published forms of their pairs."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
FIXTURE = ROOT / "tests" / "cases" / "gitbugs"


def reader():
    spec = importlib.util.spec_from_file_location(
        "gitbugs", ROOT / "benchmarks" / "recall" / "gitbugs.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_reports_and_pairs_are_read_in_both_published_forms():
    notes, shop = reader().projects(FIXTURE)

    assert (notes.name, len(notes.reports), notes.duplicates) == (
        "notes",
        3,
        {"7": {"8"}, "8": {"7"}},
    )
    assert shop.duplicates == {
        "101": {"102"}, "102": {"101"}, "103": {"105"}, "105": {"103"}, "104": {"106"}, "106": {"104"},
    }  # fmt: skip
    assert shop.reports["101"].startswith("Basket loses the last item after a reload\nPut three")
    assert '"last" one' in shop.reports["101"]
    assert shop.reports["107"] == "Logo is blurred"


def test_duplicates_that_are_no_reports_here_are_left_out(tmp_path):
    (tmp_path / "a_bugs.csv").write_text("Summary,Issue id,Description\nx y,1,z\n", "utf-8")
    (tmp_path / "a_bugs-combined.csv").write_text('Issue id,Duplicate id\n1,"2, 1"\n', "utf-8")
    (project,) = reader().projects(tmp_path)
    assert (project.reports, project.duplicates) == ({"1": "x y\nz"}, {})


def test_every_question_finds_a_duplicate_of_its_own_among_the_reports():
    module = reader()
    for project in module.projects(FIXTURE):
        for found in module.measured(project, 100, 100).values():
            assert found == sorted(found)
            assert found[-1] >= 0.8
