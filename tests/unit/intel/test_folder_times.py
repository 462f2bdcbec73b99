"""When a page of a folder was fetched: by its list, by its name, else by the file's own time."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime

import pytest

from caselore.intel.collect.folder import read_folder

ASKED = datetime(2026, 3, 5, 12, tzinfo=UTC)
TEXT = "Brindle raises $4 million\n\nBrindle raised $4 million in a seed round on 2 March 2026."


def saved(folder, name, day):
    """Write a page whose file has a time of its own."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(TEXT + name)
    at = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    os.utime(file, (at, at))


def test_files_newer_than_the_moment_asked_for_are_left_out_and_that_is_said(tmp_path):
    for number in range(3):
        saved(tmp_path, f"{number}.txt", "2026-11-30")
    saved(tmp_path, "old.txt", "2026-03-01")
    brought = read_folder(tmp_path, ASKED)
    assert [page.url for page in brought.pages] == ["old.txt"]
    assert brought.left_out == (
        (str(tmp_path), "3 files are newer than 2026-03-05; give fetch times in a site.json"),
    )


def test_one_file_is_told_of_as_one(tmp_path):
    saved(tmp_path, "a.txt", "2026-11-30")
    assert read_folder(tmp_path, ASKED).left_out[0][1].startswith("1 file is newer")


@pytest.mark.parametrize("asked", [None, datetime(2026, 12, 31, tzinfo=UTC)])
def test_nothing_is_said_where_every_file_is_read(tmp_path, asked):
    saved(tmp_path, "a.txt", "2026-11-30")
    brought = read_folder(tmp_path, asked)
    assert len(brought.pages) == 1
    assert brought.left_out == ()


def test_a_day_in_the_name_counts_more_than_the_file_s_time(tmp_path):
    saved(tmp_path, "2026-03-04/a.txt", "2026-11-30")
    saved(tmp_path, "2026-03-06/b.txt", "2026-01-01")
    brought = read_folder(tmp_path, ASKED)
    assert [page.url for page in brought.pages] == ["2026-03-04/a.txt"]
    assert brought.left_out == ()


def test_a_later_page_of_a_list_is_not_told_of(tmp_path):
    saved(tmp_path, "a.txt", "2026-01-01")
    rows = [{"url": "https://n.example/a", "file": "a.txt", "fetched_at": "2026-03-06T08:00:00Z"}]
    (tmp_path / "site.json").write_text(json.dumps({"pages": rows}))
    brought = read_folder(tmp_path, ASKED)
    assert brought.pages == ()
    assert brought.left_out == ()
