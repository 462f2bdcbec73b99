"""What a person sees first: the commands in the order in which they are needed, and the doctor."""

from __future__ import annotations

import json
import subprocess
import sys


def caselore(*arguments, home, **environment):
    return subprocess.run(
        [sys.executable, "-m", "caselore", *arguments],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "CASELORE_HOME": str(home), "COLUMNS": "80", **environment},
        check=False,
    )


def test_help_begins_with_the_main_job_and_ends_with_upkeep(tmp_path):
    shown = caselore("--help", home=tmp_path).stdout
    headings = [
        line[:-1] for line in shown.splitlines() if line[:1].isupper() and line[-1:] == ":"
    ]

    assert headings[:3] == ["Options", "The main job", "Verdicts"]
    assert headings[-1] == "Upkeep"
    assert {"Repair", "Intelligence", "Serving"} <= set(headings)
    assert max(map(len, shown.splitlines())) <= 80


def forge(home):
    found = json.loads(caselore("doctor", "--json", home=home).stdout)
    return next(one for one in found["checks"] if one["name"] == "forge")


def test_the_doctor_names_the_forges_and_finds_a_setting_that_is_none(tmp_path):
    assert "gitlab.com" in forge(tmp_path)["found"]
    (tmp_path / "caselore.toml").write_text('[forge."git.example"]\nkind = "gitlab"\n')
    assert forge(tmp_path)["found"] == "git.example"
    (tmp_path / "caselore.toml").write_text('[forge."git.example"]\nkind = "gitlub"\n')
    assert not forge(tmp_path)["ok"]
