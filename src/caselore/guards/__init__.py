"""Pure checks over text: what it shows, orders, leaks, and whether its values stand in evidence.

Must not do I/O (its rule files apart), call a model, or import anything of ours but the errors.
"""

from __future__ import annotations

from typing import Any

from caselore.guards import injection, secrets
from caselore.guards.views import Views


def guard(text: str) -> dict[str, list[dict[str, Any]]]:
    """Give both guards' findings over one text, in the shape of `caselore guard`."""
    views = Views(text)
    return {
        "injection": [
            {"line": f.line, "rule": f.rule, "view": f.view} for f in injection.scan_views(views)
        ],
        "secrets": [
            {"line": f.line, "rule": f.rule} for f in secrets.redact_views(views).findings
        ],
    }
