"""Diagnoses the authored incidents in a throw-away home and gives how that went.

Must not touch the user's memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from caselore.settings import DATABASE_NAME, Settings
from caselore.wiring import models

if TYPE_CHECKING:
    from caselore.incidents.evaluation import Mark
    from caselore.wiring.app import App


def evaluate(
    settings: Settings,
    build: Callable[[Settings], App],
    model: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> tuple[Mark, ...]:
    """Import, diagnose one trial after the other with the named model, and mark each.

    Raises: what `model_of` raises for a model that cannot be used.
    """
    from caselore.incidents import evaluation  # noqa: PLC0415

    models.model_of(settings, model)
    history, trials = evaluation.authored()
    marks = []
    with tempfile.TemporaryDirectory(prefix="caselore-eval-") as place:
        home = Path(place)
        own = replace(
            settings,
            home=home,
            database=home / DATABASE_NAME,
            database_url="",
            token=None,
            marker=None,
            bank="default",
        )
        with build(own) as app:
            app.import_incidents(history)
            for trial in trials:
                found = app.diagnose(trial.log.encode(), **trial.run, model=model, tell=None)
                marks.append(evaluation.mark(trial, found))
                if progress:
                    progress(trial.name)
    return tuple(marks)
