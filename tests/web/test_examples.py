"""The examples of agents: one really runs, the others are sound Python, the project file is true."""

from __future__ import annotations

import ast
import asyncio
import re
import runpy
import sys
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from serving import PYTEST

from caselore.faces.mcp import tools

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "agents"


def answering(messages, info):
    """Call the tool with the log, then say what it recommended, as a model would."""
    returned = [part for one in messages for part in one.parts if isinstance(part, ToolReturnPart)]
    if not returned:
        assert "diagnose_failure" in {one.name for one in info.function_tools}
        given = {"log": PYTEST, "service": "pay"}
        return ModelResponse([ToolCallPart("diagnose_failure", given)])
    found = returned[-1].content
    return ModelResponse([TextPart(f"{found['fix'][0]['text']} {found['fix'][0]['cites']}")])


def test_the_agent_of_pydantic_ai_recommends_what_was_confirmed(served, monkeypatch):
    first = served.submit(service="pay", deployment="1017")["incident"]
    served.confirm(first)
    monkeypatch.setenv("CASELORE_HOME", str(served.app.settings.home))
    example = runpy.run_path(str(EXAMPLES / "pydantic_ai_agent.py"))
    command = (
        "env",
        f"CASELORE_HOME={served.app.settings.home}",
        sys.executable,
        "-m",
        "caselore",
        "mcp",
    )
    said = asyncio.run(example["repair"](PYTEST, FunctionModel(answering), command))

    assert said == f"compare with pytest.approx ['{first}']"


@pytest.mark.parametrize("name", ["crewai_agent.py", "langgraph_agent.py", "pydantic_ai_agent.py"])
def test_an_example_is_sound_and_says_how_to_run_it(name):
    tree = ast.parse((EXAMPLES / name).read_text())

    assert "python " + name in ast.get_docstring(tree)


def test_the_project_file_names_tools_that_there_are():
    named = set(re.findall(r"`(\w+_\w+)`", (EXAMPLES / "CLAUDE.md").read_text()))

    assert named
    assert all(hasattr(tools.Tools, name) for name in named)
