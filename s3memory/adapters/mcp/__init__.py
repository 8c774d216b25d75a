"""The memory as MCP tools: for Claude Code, Claude Desktop, OpenAI Agents and every other MCP client.

`memory_server` and `tenants_server` return servers of the official SDK, which run on any of its transports. `http_app`
is an ASGI application with bearer tokens, and `lambda_handler` runs it on AWS Lambda. They need the extra ``mcp``.
"""

from s3memory._extras import extra

with extra("mcp", __name__):
    from s3memory.adapters.mcp.http import http_app
    from s3memory.adapters.mcp.on_lambda import lambda_handler
    from s3memory.adapters.mcp.server import memory_server, tenants_server

__all__ = ["http_app", "lambda_handler", "memory_server", "tenants_server"]
