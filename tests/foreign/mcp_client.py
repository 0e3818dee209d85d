"""Speaks to the server with PyPI's `mcp`, in both modes: `mcp_client.py PROGRAM FOLDER CAPTURE`. Prints a line per mode."""

import asyncio
import json
import sys

try:
    from mcp import Client, StdioServerParameters
except ImportError:
    sys.exit(77)


async def speak(mode: str, program: str, folder: str, capture: str) -> str:
    server = StdioServerParameters(command=program, args=["mcp", "--root", folder, "--no-cache"])
    async with Client(server, mode=mode, read_timeout_seconds=120) as client:
        tools = sorted(tool.name for tool in (await client.list_tools()).tools)
        ask = lambda question: client.call_tool("ask", {"capture": capture, "question": question})
        answers = await asyncio.gather(*[ask(question) for question in ("why_slow", "where_time", "steady", "overlap")])
        states = [json.loads(answer.content[0].text)["state"] for answer in answers]
        refused = await client.call_tool("open", {"paths": ["/etc/passwd"]})
        assert refused.is_error and "outside of the roots" in refused.content[0].text, refused
        assert (await client.list_prompts()).prompts and (await client.list_resources()).resources
        return f"{mode}: {len(tools)} tools, {' '.join(states)}"


for mode in ("legacy", "auto"):
    print(asyncio.run(speak(mode, *sys.argv[1:])))
