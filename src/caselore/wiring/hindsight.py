"""Wires a Hindsight bank: the mirror of confirmed records, one more arm, and taking a bank in.

Must not load its client before a bank is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from caselore.errors import BadInput, CaseloreError, NotFound, Unavailable, WrongUse
from caselore.memory.encoding import digest, unstamp
from caselore.settings import Settings

if TYPE_CHECKING:
    from caselore.memory.api import Memory
    from caselore.memory.arm_ports import Arm
    from caselore.memory.mirror_ports import Delivered, Unit
    from caselore.memory.stores.hindsight_bank import HindsightBank
    from caselore.memory.stores.mirroring import Mirroring


class Host(Protocol):
    """What the desk needs of the application."""

    @property
    def settings(self) -> Settings: ...
    @property
    def memory(self) -> Memory: ...


_YES = frozenset({"1", "true", "yes"})
_LINES = 40  # lines of one memory that are read as a failure


def bank_of(settings: Settings, name: str = "") -> HindsightBank:
    """Give the bank of the named server. Raises: WrongUse without an address; Unavailable."""
    url = settings.hindsight.get("url", "")
    if not url.startswith(("http://", "https://")):
        raise WrongUse(
            "No Hindsight server is named.", hint="Set CASELORE_HINDSIGHT_URL to its address."
        )
    try:
        from caselore.memory.stores.hindsight_bank import HindsightBank  # noqa: PLC0415
    except ImportError:
        raise Unavailable(
            "Hindsight needs its client, which is not installed.",
            hint="pip install 'caselore[hindsight]'",
        ) from None
    chosen = name or settings.hindsight.get("bank", "") or f"caselore-{settings.bank}"
    return HindsightBank(url, chosen, settings.hindsight.get("key", ""))


def arms_of(settings: Settings) -> tuple[Arm, ...]:
    """Give the arm that asks the mirror, if that is wanted."""
    if settings.hindsight.get("recall", "") not in _YES:
        return ()
    from caselore.memory.stores.mirroring import MirrorArm  # noqa: PLC0415

    return (MirrorArm(bank_of(settings)),)


class HindsightDesk:
    """What a person does with a Hindsight bank."""

    def __init__(self, app: Host) -> None:
        """Work for one application."""
        self._app = app

    @property
    def wanted(self) -> bool:
        """Say whether a server is named."""
        return bool(self._app.settings.hindsight.get("url"))

    def deliver(self, progress: Callable[[int], None] | None = None) -> Delivered:
        """Bring the mirror up to date. Raises: WrongUse, Unavailable; what is done is done."""
        return self._mirroring().deliver(progress)

    def status(self) -> Delivered:
        """Say how far the mirror is; asks nobody."""
        return self._mirroring().status()

    def withdrawn(self) -> str:
        """Deliver what was erased; give what hindered it, empty where it is gone there, too."""
        try:
            self.deliver()
        except CaseloreError as error:
            return f"{error} Until `caselore hindsight sync` succeeds, a copy is left there."
        return ""

    def rows_of(self, bank: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Give another bank's memories as failures that nobody confirmed, to be imported.

        Raises: WrongUse, Unavailable; NotFound where there is no such bank.
        """
        for number, one in enumerate(self._units(bank), 1):
            yield number, _row(bank, one)

    def _units(self, bank: str) -> Iterator[Unit]:
        from caselore.memory.stores.mirroring import OURS  # noqa: PLC0415

        try:
            for one in bank_of(self._app.settings, bank).units():
                if not one.document.startswith(OURS):  # a mirrored record comes back to nobody
                    yield one
        except LookupError:
            raise NotFound(f"There is no bank {bank!r} at that server.") from None

    def _mirroring(self) -> Mirroring:
        from caselore.memory.stores.mirroring import Mirroring  # noqa: PLC0415

        app, mirror = self._app, bank_of(self._app.settings)
        told = app.settings.hindsight
        name = digest("mirror", told.get("url", ""), mirror.name, app.settings.bank)[:16]
        mark = app.settings.home / "mirrors" / f"{name}.json"
        return Mirroring(app.memory.store, mirror, app.settings.bank, mark)


def _row(bank: str, one: Unit) -> dict[str, Any]:
    """Give a memory as a closed incident whose outcome nobody said: never a fix by itself."""
    at = ""
    with suppress(ValueError, BadInput):
        at = unstamp(one.at).isoformat() if one.at else ""
    row = {
        "deployment_id": f"hindsight-{one.id}",
        "service": one.service or bank,
        "error": "\n".join(one.text.split("\n")[:_LINES]),
        "taken_from": f"memory {one.id} of Hindsight's bank {bank}",
    }
    return {**row, "occurred_at": at} if at else row
