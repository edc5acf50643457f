# One whole turn by the Python ACP SDK (agent-client-protocol); test/acp/clients.test.ts runs it.
# python-client.py <cwd> <program> <args…>: prints one JSON object with what it saw.

import asyncio
import json
import os
import sys

from acp import PROTOCOL_VERSION, RequestPermissionResponse, spawn_agent_process, text_block
from acp.schema import AllowedOutcome, ClientCapabilities

cwd, program, *arguments = sys.argv[1:]


class Editor:
    def __init__(self):
        self.asked = []
        self.text = ""

    async def request_permission(self, session_id, tool_call, options, **_):
        self.asked.append(tool_call.kind)
        chosen = next(option for option in options if option.kind == "allow_once")
        return RequestPermissionResponse(
            outcome=AllowedOutcome(outcome="selected", option_id=chosen.option_id)
        )

    async def session_update(self, session_id, update, **_):
        if update.session_update == "agent_message_chunk":
            self.text += update.content.text

    def on_connect(self, connection):
        pass


async def main():
    editor = Editor()
    async with spawn_agent_process(editor, program, *arguments, env=dict(os.environ)) as (agent, _):
        initialized = await agent.initialize(
            protocol_version=PROTOCOL_VERSION, client_capabilities=ClientCapabilities()
        )
        session = await agent.new_session(cwd=cwd, mcp_servers=[])
        answer = await agent.prompt(
            session_id=session.session_id, prompt=[text_block("Make the file")]
        )
        said, editor.text = editor.text, ""
        await agent.load_session(session_id=session.session_id, cwd=cwd, mcp_servers=[])
        seen = {
            "protocol": initialized.protocol_version,
            "stop": answer.stop_reason,
            "asked": editor.asked,
            "text": said,
            "loaded": editor.text,
        }
    print(json.dumps(seen))


asyncio.run(main())
