"""What has the wrong form is told in words of ours, whoever found it."""

from __future__ import annotations

import os
import subprocess
import sys

from fastapi.exceptions import RequestValidationError

from caselore.faces.http.problems import of_form


def test_a_choice_that_is_none_is_told_without_the_parsers_own_words(tmp_path):
    command = ["confirm", "1", "--cause", "a", "--resolution", "b", "--result", "maybe"]
    ran = subprocess.run(
        [sys.executable, "-m", "caselore", *command],
        env={**os.environ, "CASELORE_HOME": str(tmp_path), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ran.returncode == 2
    assert "'maybe' is not one of 'succeeded', 'failed'" in ran.stderr
    assert "Value error" not in ran.stderr


def test_fields_of_a_request_are_named_with_what_is_wrong():
    errors = [
        {"loc": ("body", "since"), "msg": "Value error, a day is wanted", "type": "value_error"},
        {"loc": ("body",), "msg": "Field required", "type": "missing"},
    ]

    told = of_form(RequestValidationError(errors)).message
    assert told == "since: a day is wanted; the body: Field required."
