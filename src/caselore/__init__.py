"""caselore: case law for pipelines and agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    from caselore.wiring.app import App

__all__ = ["open"]


def open(home_or_url: str | os.PathLike[str] | None = None) -> App:
    """Open a memory by its folder or address; by default where CASELORE_HOME says.

    Use it in a `with`, or call `.close()`.

    Raises: WrongUse or Unavailable for settings or an address that cannot be used.
    """
    from caselore import wiring  # noqa: PLC0415 - importing caselore must stay cheap

    return wiring.open_app(home_or_url)
