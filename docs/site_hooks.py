"""What mkdocs asks when it builds the site: the pages beside docs/, and every decision.

Must not change what a document says: only where its links go.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BESIDE = ("README.md", "THREAT_MODEL.md", "CHANGELOG.md", "CONTRIBUTING.md")
SOURCE = "https://git.example/caselore/-/blob/main/"


def decisions() -> list[dict[str, str]]:
    """Give the decisions in their order, by title."""
    pages = sorted((ROOT / "docs" / "adr").glob("*.md"))
    return [
        {page.read_text().split("\n", 1)[0].lstrip("# "): f"adr/{page.name}"} for page in pages
    ]


def on_config(config: Any) -> Any:
    """List every decision at the end of the navigation."""
    config["nav"] = [*config["nav"], {"Decisions": decisions()}]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Bring in the pages that lie beside docs/."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - only where the site is built

    for name in BESIDE:
        files.append(File.generated(config, name, content=(ROOT / name).read_text()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links between documents lead to their pages, and others to the source."""
    return re.sub(
        r"\]\((?!https?:|#|mailto:)([\w./#-]+)\)",
        lambda link: f"]({placed(page.file.src_uri, link[1])})",
        markdown,
    )


def placed(page: str, link: str) -> str:
    """Give where a link of a page leads on the site; pages beside docs/ stand at its top."""
    target, hash_, anchor = link.partition("#")
    beside = page in BESIDE
    folder = ROOT if beside else (ROOT / "docs" / page).parent
    path = (folder / target).resolve()
    up = "../" * page.count("/")
    if path.parent == ROOT and path.name in BESIDE:
        return f"{up}{path.name}{hash_}{anchor}"
    if path.is_file() and path.is_relative_to(ROOT / "docs"):
        return f"{up}{path.relative_to(ROOT / 'docs').as_posix()}{hash_}{anchor}"
    return SOURCE + path.relative_to(ROOT).as_posix()
