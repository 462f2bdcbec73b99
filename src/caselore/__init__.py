"""caselore: case law for pipelines and agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    from caselore.wiring.app import App
    from caselore.wiring.incident_memory import IncidentMemory

__all__ = ["IncidentMemory", "open"]


def open(home_or_url: str | os.PathLike[str] | None = None) -> App:
    """Open a memory by its folder or address; by default where CASELORE_HOME says.

    Use it in a `with`, or call `.close()`.

    Raises: WrongUse or Unavailable for settings or an address that cannot be used.
    """
    from caselore import wiring  # noqa: PLC0415 - importing caselore must stay cheap

    return wiring.open_app(home_or_url)


def __getattr__(name: str) -> type[IncidentMemory]:
    """Load `IncidentMemory` where it is asked for: importing caselore must stay cheap."""
    if name != "IncidentMemory":
        raise AttributeError(f"module 'caselore' has no attribute {name!r}")
    from caselore.wiring.incident_memory import IncidentMemory  # noqa: PLC0415

    return IncidentMemory
