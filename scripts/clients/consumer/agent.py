"""The official MCP client for Python, as an agent uses it."""

import asyncio
import os

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main() -> None:
    headers = {"Authorization": f"Bearer {os.environ['TIDEMARK_KEY']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{os.environ['TIDEMARK_URL']}/mcp", http_client=http)
        async with Client(transport) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert "capital_change_brief" in names, names
            brief = await client.call_tool("capital_change_brief", {"ticker": "AAPL"})
            assert not brief.is_error and brief.structured_content["data"]["brief_id"].startswith("ccm_")
            missing = await client.call_tool("fund.get", {"cik": "1"})
            assert missing.is_error and missing.structured_content["error"] == "fund_not_found"


asyncio.run(main())
