"""A LangGraph agent that asks a team's caselore server over HTTP.

pip install langgraph langchain-mcp-adapters 'langchain[openai]'
CASELORE_URL=https://caselore.example CASELORE_TOKEN=clt_… python langgraph_agent.py build.log
"""

import asyncio
import os
import sys
from pathlib import Path

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient


async def repair(log: str) -> str:
    """Ask the agent about a log."""
    client = MultiServerMCPClient(
        {
            "caselore": {
                "transport": "streamable_http",
                "url": f"{os.environ['CASELORE_URL']}/mcp",
                "headers": {"Authorization": f"Bearer {os.environ['CASELORE_TOKEN']}"},
            }
        }
    )
    agent = create_agent("openai:gpt-5.2", await client.get_tools())
    asked = f"Call diagnose_failure with this log; recommend only what it cites.\n\n{log}"
    answer = await agent.ainvoke({"messages": [{"role": "user", "content": asked}]})
    return answer["messages"][-1].content


if __name__ == "__main__":
    print(asyncio.run(repair(Path(sys.argv[1]).read_text(errors="replace"))))
