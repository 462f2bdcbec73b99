"""Measures diagnoses of authored incidents whose answers are known.

Must not diagnose: it is given what was written, and counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any

from caselore.incidents.diagnosis import Diagnosis


@dataclass(frozen=True, slots=True)
class Trial:
    """One failure with its answer: the values of the fix, and which deployments carry it.

    `cites` is empty where the right answer is to abstain.
    """

    name: str
    log: str
    run: dict[str, str]
    values: tuple[str, ...]
    cites: frozenset[str]


@dataclass(frozen=True, slots=True)
class Mark:
    """How one diagnosis fared."""

    name: str
    abstained: bool
    should_abstain: bool
    values: int
    values_kept: int
    cited: int
    cited_right: int
    wanted: int
    wanted_cited: int
    withheld: int
    phrased: bool
    """Words of a model stand in it."""

    def to_json(self) -> dict[str, Any]:
        """Give it as plain JSON values."""
        return asdict(self)


def authored() -> tuple[list[dict[str, Any]], tuple[Trial, ...]]:
    """Give the closed incidents to import, and the trials to diagnose in order."""
    told = json.loads((files(__package__) / "diagnosis.json").read_text("utf-8"))
    trials = tuple(
        Trial(
            name=one["name"],
            log="\n".join(one["log"]) + "\n",
            run=one["run"],
            values=tuple(one["values"]),
            cites=frozenset(one["cites"]),
        )
        for one in told["trials"]
    )
    return told["history"], trials


def mark(trial: Trial, found: Diagnosis) -> Mark:
    """Compare one diagnosis with its answer."""
    names = {
        hit.case.id: hit.case.record.body.deployment for hit in (*found.precedents, *found.nearest)
    }
    cited = {names.get(id, id) for one in found.fix for id in one.cites}
    text = "\n".join(one.text for one in found.fix)
    return Mark(
        name=trial.name,
        abstained=not found.sufficient,
        should_abstain=not trial.cites,
        values=len(trial.values),
        values_kept=sum(value in text for value in trial.values),
        cited=len(cited),
        cited_right=len(cited & trial.cites),
        wanted=len(trial.cites),
        wanted_cited=len(cited & trial.cites),
        withheld=len(found.withheld),
        phrased=found.model is not None,
    )


def total(marks: Iterable[Mark]) -> dict[str, float | int | None]:
    """Add up: shares from 0 to 1, none where nothing was counted."""
    every = list(marks)
    kept = sum(one.values_kept for one in every)
    return {
        "trials": len(every),
        "value_fidelity": _share(kept, sum(one.values for one in every)),
        "citation_precision": _share(
            sum(one.cited_right for one in every), sum(one.cited for one in every)
        ),
        "citation_recall": _share(
            sum(one.wanted_cited for one in every), sum(one.wanted for one in every)
        ),
        "abstention": _share(
            sum(one.abstained for one in every if one.should_abstain),
            sum(one.should_abstain for one in every),
        ),
        "answered": _share(
            sum(not one.abstained for one in every if not one.should_abstain),
            sum(not one.should_abstain for one in every),
        ),
        "phrased": _share(sum(one.phrased for one in every), len(every)),
        "withheld": sum(one.withheld for one in every),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None
