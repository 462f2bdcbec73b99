"""A pydantic-ai agent that asks caselore over MCP before it proposes a fix.

pip install caselore 'pydantic-ai-slim[openai]'
python pydantic_ai_agent.py build.log openai:gpt-5.2
"""

import asyncio
import sys
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from pydantic_ai import Agent, Tool

INSTRUCTIONS = (
    "You repair CI jobs. Call diagnose_failure with the log first. Recommend only what it "
    "recommends, with the incidents that it cites; where it finds insufficient evidence, say so."
)


def as_tool(session: ClientSession, tool) -> Tool:
    """Let the agent call a tool of the server."""

    async def call(**given):
        answer = await session.call_tool(tool.name, given)
        return answer.structured_content or answer.content[0].text

    return Tool.from_schema(call, tool.name, tool.description, tool.input_schema)


async def repair(log: str, model, command: tuple[str, ...] = ("caselore", "mcp")) -> str:
    """Ask the agent about a log."""
    server = StdioServerParameters(command=command[0], args=list(command[1:]))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = [as_tool(session, one) for one in (await session.list_tools()).tools]
        agent = Agent(model, instructions=INSTRUCTIONS, tools=tools)
        return (await agent.run(f"This job failed. What should I do?\n\n{log}")).output


if __name__ == "__main__":
    text = Path(sys.argv[1]).read_text(errors="replace")
    print(asyncio.run(repair(text, sys.argv[2])))
