"""A real browser: the system's Chromium or Chrome, else the one that playwright brings."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Error, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
NONE = (
    "No browser was found. `make browser` installs one (as root, from the system's packages); or "
    "name one in CASELORE_TEST_BROWSER."
)


def executable() -> str | None:
    """Give the browser's path; None for the one that playwright brings."""
    named = os.environ.get("CASELORE_TEST_BROWSER", "")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def launched() -> Iterator[Browser]:
    """Give a running browser. Fails, and says what to do, where there is none."""
    with sync_playwright() as play:
        try:
            browser = play.chromium.launch(
                executable_path=executable(), args=["--no-sandbox", "--disable-gpu"]
            )
        except Error as error:
            pytest.fail(f"{NONE}\n{error}")
        yield browser
        browser.close()


class Watched:
    """A page that is watched: what it asks for, how much comes, and what goes wrong in it."""

    def __init__(self, page: Page, base: str) -> None:
        self.page, self.base = page, base
        self.requests: list[str] = []
        self.wrong: list[str] = []
        page.on("request", lambda one: self.requests.append(one.url))
        page.on("pageerror", lambda one: self.wrong.append(str(one)))
        page.on("console", self._console)

    def _console(self, message) -> None:
        if message.type == "error" and "the server responded with a status" not in message.text:
            self.wrong.append(message.text)

    def open(self, path: str) -> Page:
        """Open a page of ours."""
        self.requests.clear()
        self.page.goto(self.base + path)
        return self.page

    def elsewhere(self) -> list[str]:
        """Give what was asked of any other place."""
        return [one for one in self.requests if not one.startswith(self.base)]


def sign_in(page: Page, base: str, token: str) -> None:
    """Sign in with a token, as a person does."""
    page.goto(f"{base}/sign-in")
    page.fill("main [name=token]", token)
    page.click("main button")
    page.wait_for_url(f"{base}/")
