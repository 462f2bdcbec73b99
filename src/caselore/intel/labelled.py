"""Reads pairs of a claim and its evidence, as public sets write them, and scores verdicts against their labels.

Must not judge a claim itself, nor guess a label that a row does not give.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from caselore.errors import BadInput
from caselore.guards.names import quoted
from caselore.intel.claims import CONTRADICTED, VERIFIED, Checked, Evidence, check

SUPPORTED, REFUTED, UNKNOWN = "supported", "refuted", "not enough"
# how FEVER, VitaminC, SciFact, Climate-FEVER, WiCE, AttributionBench and the NLI sets name the three
_LABELS = {
    SUPPORTED: "supported supports support attributable entailment entails true verified yes",
    REFUTED: "refuted refutes refute contradiction contradict contradicts contradicted false",
    UNKNOWN: "not_enough_info notenoughinfo nei neutral not_supported notsupported not_attributable unsupported"
    " partially_supported partiallysupported partial no_evidence disputed unverified no not_enough not_enough_evidence"
    " conflicting_evidence/cherrypicking conflicting_evidence cherrypicking mixture",
}
LABELS = {word: label for label, words in _LABELS.items() for word in words.split()}
_CLAIM = ("claim", "hypothesis", "statement", "answer", "response")
_EVIDENCE = ("evidence", "evidences", "questions", "quote", "premise", "passage", "context", "references", "documents", "abstract", "text")  # fmt: skip
_LABEL = ("label", "attribution_label", "gold_label", "verdict", "claim_label")
_INSIDE = ("evidence", "text", "sentence", "sentences", "content", "evidence_text", "answer")


class Labelled(NamedTuple):
    """A claim beside its evidence, with its label; empty where the row has none."""

    claim: str
    evidence: str
    label: str
    title: str = ""
    day: str = ""


def read_pairs(rows: Iterable[Any]) -> Iterator[Labelled]:
    """Read rows in order. Raises BadInput, which says the number of the row that is wrong."""
    for number, row in enumerate(rows, 1):
        try:
            yield read_pair(row)
        except BadInput as error:
            raise BadInput(f"Pair {number}: {error}", hint=error.hint) from None
        except RecursionError:
            raise BadInput(f"Pair {number} is nested too deep.") from None


def read_pair(row: Mapping[str, Any]) -> Labelled:
    """Read one row. Raises BadInput where it has no claim, no evidence or a label that is none."""
    if not isinstance(row, Mapping):
        raise BadInput(f"a pair is a JSON object, not {type(row).__name__}")
    claim = _first(row, _CLAIM)
    evidence = _first(row, _EVIDENCE)
    if not claim or not evidence:
        raise BadInput("a pair needs a claim and its evidence", hint='{"claim": "…", "evidence": "…"}')  # fmt: skip
    given = next((row[name] for name in _LABEL if row.get(name) not in (None, "")), "")
    word = str(given).strip().lower().replace(" ", "_").replace("-", "_")
    if word and word not in LABELS:
        raise BadInput(f"{quoted(str(given))} is no label", hint=f"Labels: {', '.join(LABELS)}.")
    title, day = row.get("title"), row.get("day")
    return Labelled(claim, evidence, LABELS.get(word, ""), title if isinstance(title, str) else "", day if isinstance(day, str) else "")  # fmt: skip


def _first(row: Mapping[str, Any], names: Iterable[str]) -> str:
    return next((found for name in names if (found := _words(row.get(name)))), "")


def _words(value: Any) -> str:
    """Give the text of a field: words, a list of them, or objects that hold them."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, Mapping) and "question" in value:
        return " ".join(
            _words(value.get(name)) for name in ("question", "answers", "answer")
        ).strip()
    if isinstance(value, Mapping):
        return next((found for name in _INSIDE if (found := _words(value.get(name)))), "")
    if isinstance(value, Sequence) and [type(one) for one in value] == [int, int, str, int]:
        return ""  # where FEVER keeps its sentences, not a sentence
    if isinstance(value, Sequence):
        return "\n".join(found for one in value if (found := _words(one)))
    return ""


def judged(one: Labelled) -> Checked:
    """Hold a claim against its evidence."""
    return check(one.claim, Evidence(one.evidence, one.evidence, 0, len(one.evidence), one.title, one.day))  # fmt: skip


def outcome(verdict: str) -> str:
    """Give the label that a verdict answers to."""
    return SUPPORTED if verdict == VERIFIED else REFUTED if verdict == CONTRADICTED else UNKNOWN


def macro_f1(pairs: Sequence[tuple[str, str]]) -> float:
    """Give the mean over the labels that occur of F1 = 2tp / (2tp + fp + fn); pairs are label, answer."""
    scores = []
    for kind in sorted({label for label, _ in pairs}):
        right = sum(label == answer == kind for label, answer in pairs)
        wrong = sum((label == kind) != (answer == kind) for label, answer in pairs)
        scores.append(2 * right / (2 * right + wrong) if right or wrong else 0.0)
    return round(sum(scores) / len(scores), 4) if scores else 0.0


def scores(told: Sequence[tuple[Labelled, Checked]]) -> dict[str, Any] | None:
    """Give macro-F1 of supported against the rest, and of all three labels; none without labels."""
    pairs = [(one.label, outcome(found.verdict)) for one, found in told if one.label]
    if not pairs:
        return None

    def supports(label: str) -> str:
        return SUPPORTED if label == SUPPORTED else "not"

    return {
        "n": len(pairs),
        "macro_f1": macro_f1([(supports(a), supports(b)) for a, b in pairs]),
        "macro_f1_of_three": macro_f1(pairs),
        "verified_and_supported": _share(pairs, 1),
        "supported_and_verified": _share(pairs, 0),
    }


def _share(pairs: Sequence[tuple[str, str]], side: int) -> float | None:
    """Give the share supported on both sides of those that are on one; none where there are none."""
    some = [pair for pair in pairs if pair[side] == SUPPORTED]
    return round(some.count((SUPPORTED, SUPPORTED)) / len(some), 4) if some else None
