"""Takes the pictures of the documents: the real server, the real pages, a small world.

python docs/make_screenshots.py [FOLDER]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "web")]

from browser import launched, sign_in  # noqa: E402
from serving import running  # noqa: E402
from world import build  # noqa: E402

WIDE, NARROW = (1280, 860), (390, 844)
PICTURES = (
    ("inbox", "/", WIDE, "light"),
    ("incident", "/incidents/{i1057}", WIDE, "light"),
    ("incident-phone", "/incidents/{i1057}", NARROW, "dark"),
    ("changes", "/changes/{change}", WIDE, "light"),
    ("numbers", "/numbers", WIDE, "light"),
)


def main(folder: Path) -> None:
    """Write every picture."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as home,
        running(Path(home) / "home") as served,
        launched() as browser,
    ):
        ids = {
            key if key.isalpha() else f"i{key}": id
            for key, id in build(served, hostile=False).items()
        }
        for name, path, size, theme in PICTURES:
            context = browser.new_context(
                viewport={"width": size[0], "height": size[1]}, color_scheme=theme
            )
            page = context.new_page()
            sign_in(page, served.url, served.tokens["human"])
            page.goto(served.url + path.format(**ids))
            page.screenshot(path=folder / f"{name}.png")
            context.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures")
