"""The site of the documents: every page is in its navigation, and every link leads somewhere."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))

import site_hooks  # noqa: E402

CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
PAGES = [
    *(page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")),
    *site_hooks.BESIDE,
]


def places(nav):
    for entry in nav:
        for value in entry.values():
            yield from [value] if isinstance(value, str) else places(value)


def source_of(page):
    return ROOT / page if page in site_hooks.BESIDE else ROOT / "docs" / page


def headings(text):
    """Give the anchors that mkdocs makes of a page's headings."""
    for line in re.findall(r"(?m)^#+ (.+)$", text):
        plain = re.sub(r"[^\w\s-]", "", re.sub(r"[`*_\[\]]", "", line)).strip().lower()
        yield re.sub(r"[\s-]+", "-", plain)


def test_every_page_is_in_the_navigation_once_and_no_other_is():
    found = list(places(site_hooks.on_config({"nav": CONFIG["nav"]})["nav"]))

    assert sorted(found) == sorted(PAGES)


def links():
    for page in PAGES:
        text = re.sub(r"```.*?```", "", source_of(page).read_text(), flags=re.S)
        for link in re.findall(r"\]\((?!https?:|mailto:)([\w./#-]+)\)", text):
            yield page, link


@pytest.mark.parametrize(("page", "link"), sorted(set(links())))
def test_a_link_leads_to_a_page_or_to_the_source(page, link):
    target = site_hooks.placed(page, link) if not link.startswith("#") else link
    if target.startswith(site_hooks.SOURCE):
        assert (ROOT / target.removeprefix(site_hooks.SOURCE)).exists()
        return
    path, _, anchor = target.partition("#")
    on_site = (
        (Path("/site") / page).parent.joinpath(path).resolve() if path else Path("/site") / page
    )
    name = on_site.relative_to("/site").as_posix()
    assert name in PAGES or (ROOT / "docs" / name).is_file(), target
    if anchor:
        assert anchor in set(headings(source_of(name).read_text())), link


def test_the_hook_is_named_and_the_pages_beside_docs_are_there():
    assert CONFIG["hooks"] == ["docs/site_hooks.py"]
    assert all((ROOT / name).is_file() for name in site_hooks.BESIDE)
