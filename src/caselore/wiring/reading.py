"""What the application does with a log alone: read it, mask it, look for planted instructions.

Must not touch the memory: a log can be read where none is to be had.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from caselore import settings as setting
from caselore.errors import BadInput
from caselore.wiring.sources import Log, named, opened
from caselore.wiring.unpacking import plain

if TYPE_CHECKING:
    from caselore.guards.secrets import Masked
    from caselore.logs import Family, GreenLines, Reading, Signature
    from caselore.memory.records import Signed


@dataclass(frozen=True)
class Reader:
    """The part of the application that reads logs; it knows its settings and nothing else."""

    settings: setting.Settings

    def read(
        self,
        log: Log,
        green: Log | GreenLines | None = None,
        *,
        name: str | None = None,
        budget: int = 40,
    ) -> Reading:
        """Read a log (a path, bytes or a binary file) down to its failing lines.

        Touches no memory, and leaves `digest` empty: to hash a large log takes as long as to
        read it. Raises: OSError when a file cannot be opened.
        """
        return self._read(log, green, name, budget)

    def _read(
        self,
        log: Log,
        green: Log | GreenLines | None,
        name: str | None,
        budget: int = 40,
        rarity: Callable[[Signature], float] | None = None,
        *,
        digest: bool = False,
    ) -> Reading:
        from caselore import logs  # noqa: PLC0415
        from caselore.guards import names  # noqa: PLC0415

        names.check_count(budget, "budget", most=names.MOST_LINES)
        self._use_cache()
        passed = green if green is None else self.green_lines(green)
        with opened(log) as (file, own_name), plain(file, digest=digest) as found:
            reading = logs.read(
                found.file,
                name=named(name or own_name),
                green=passed,
                budget=budget,
                families=self.families,
                rarity=rarity,
                digest=digest,
            )
            return found.of_the_original(reading)

    def _use_cache(self) -> None:
        from caselore.logs import engine  # noqa: PLC0415

        if self.settings.home.is_dir():
            engine.use_cache(self.settings.home / "cache")

    def signer(self) -> Callable[[str], Signed]:
        """Give what computes the identity of an error that comes without its log."""
        from caselore.incidents import ingest  # noqa: PLC0415

        self._use_cache()
        families = self.families
        return lambda error: ingest.sign(error, families)

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """Give the families of failures, caselore.toml's first. Raises: BadInput."""
        from caselore import logs  # noqa: PLC0415

        try:
            return logs.families_of(self.settings.families)
        except BadInput as error:
            raise BadInput(f"[[family]]: {error}", hint="Mend caselore.toml.") from error

    def green_lines(self, green: Log | GreenLines, label: str | None = None) -> GreenLines:
        """Take what a passing log says. Raises: OSError when the file cannot be opened."""
        from caselore import logs  # noqa: PLC0415

        if isinstance(green, logs.GreenLines):
            return green
        with opened(green) as (file, own_name), plain(file) as found:
            return logs.GreenLines.of(found.file, label=named(label or own_name))

    def explain(self, one: Signature, other: Signature) -> list[dict[str, Any]]:
        """Set two signatures side by side, part by part."""
        from caselore import logs  # noqa: PLC0415

        return [asdict(part) for part in logs.explain(one, other)]

    def guard(self, text: str) -> dict[str, Any]:
        """Find secrets and planted instructions in a text, over views that both share."""
        from caselore.guards import injection, secrets  # noqa: PLC0415
        from caselore.guards.views import Views  # noqa: PLC0415

        views = Views(text)
        return {
            "injection": [asdict(one) for one in injection.scan_views(views)],
            "secrets": [asdict(one) for one in secrets.redact_views(views).findings],
        }

    def redact(self, text: str) -> Masked:
        """Mask the secrets of a text."""
        from caselore.guards import secrets  # noqa: PLC0415

        return secrets.redact(text)
