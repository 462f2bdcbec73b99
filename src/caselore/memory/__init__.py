"""The memory: records, gate, ledger, recall, ranking; other parts call `Memory`.

Must not import anything but guards and errors.
"""

from caselore.memory.api import Memory
from caselore.memory.arrivals import read_lines
from caselore.memory.ledger import Stored, Verification
from caselore.memory.ports import Index, Store
from caselore.memory.ranking import Signal
from caselore.memory.recall import Hit, Recalled
from caselore.memory.records import (
    Actor,
    Case,
    Filters,
    FixStat,
    Held,
    ImportReport,
    Incident,
    Kind,
    Occurrences,
    Outcome,
    Proposal,
    Quoted,
    Record,
    Role,
    Signed,
    Status,
    TokenInfo,
    TokenRole,
    Verdict,
)
from caselore.memory.weights import Weights

__all__ = [
    "Actor",
    "Case",
    "Filters",
    "FixStat",
    "Held",
    "Hit",
    "ImportReport",
    "Incident",
    "Index",
    "Kind",
    "Memory",
    "Occurrences",
    "Outcome",
    "Proposal",
    "Quoted",
    "Recalled",
    "Record",
    "Role",
    "Signal",
    "Signed",
    "Status",
    "Store",
    "Stored",
    "TokenInfo",
    "TokenRole",
    "Verdict",
    "Verification",
    "Weights",
    "read_lines",
]
