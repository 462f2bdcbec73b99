"""What every tool does first and last: bounded answers, errors as words, hints of its kind.

Must not know any tool.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import getdoc
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from caselore.errors import CaseloreError, problem
from caselore.faces.mcp import bounds

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
PROPOSES = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
Asked = Context[Any, Any]
Answer = dict[str, Any]


def answering(tool: Callable[..., Answer]) -> Callable[..., Answer]:
    """Bound a tool's answer, and let errors reach the model as what happened and what to do."""

    @wraps(tool)
    def bounded(*arguments: Any, **named: Any) -> Answer:
        try:
            return bounds.bounded(tool(*arguments, **named))
        except CaseloreError as error:
            told = problem(error).to_json()["error"]
            raise ToolError(f"{told['code']}: {told['message']} {told['hint']}".strip()) from None

    bounded.__doc__ = getdoc(tool)  # without its indentation, which a model would pay for
    return bounded
