"""Values that the user names by their variables are masked in every command."""

from __future__ import annotations

import pytest

from caselore.guards import secrets
from caselore.settings import load
from caselore.wiring import build


@pytest.fixture(autouse=True)
def nothing_named():
    yield
    secrets.also_mask([])


def test_variables_are_named_in_the_environment_and_in_the_file(tmp_path):
    (tmp_path / "caselore.toml").write_text('mask = ["REGISTRY_WORD"]\n')
    env = {
        "CASELORE_HOME": str(tmp_path),
        "CASELORE_MASK": "DEPLOY_WORD, UNSET",
        "DEPLOY_WORD": "velvet otter",
        "REGISTRY_WORD": "first line\nsecond line",
    }
    settings = load(environment=env, folder=tmp_path)

    assert settings.masked == ("velvet otter", "first line", "second line")
    assert "otter" not in repr(settings)
    masked = build(settings).redact("login velvet otter\nsecond line\nvelvet")
    assert masked.text == "login [masked:named-value:16]\n[masked:named-value:16]\nvelvet"
