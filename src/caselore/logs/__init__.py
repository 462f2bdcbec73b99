"""Read a CI log down to the lines that matter and name the failure.

Must not do any I/O beyond the stream that it is given, nor know of memory, services or models.
"""

from __future__ import annotations

from caselore.logs.families import Family, class_of, families_of, family_of
from caselore.logs.families import shipped as shipped_families
from caselore.logs.green import GreenLines
from caselore.logs.reader import read, signature_of
from caselore.logs.reading import Range, Reading, Redaction, Signature, Suspicion
from caselore.logs.signature import explain

__all__ = [
    "Family",
    "GreenLines",
    "Range",
    "Reading",
    "Redaction",
    "Signature",
    "Suspicion",
    "class_of",
    "explain",
    "families_of",
    "family_of",
    "read",
    "shipped_families",
    "signature_of",
]
