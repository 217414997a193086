"""An MCP server of the legacy era without libraries: one tool, one prompt, one resource."""

import json
import sys

TOOL = {
    "name": "add",
    "title": "Add",
    "description": "Adds two numbers.",
    "inputSchema": {
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
        "required": ["a", "b"],
    },
    "annotations": {"readOnlyHint": True},
}
PROMPT = {"name": "greet", "description": "Greets a person.", "arguments": [{"name": "name", "required": True}]}
RESOURCE = {"uri": "note://one", "name": "one", "mimeType": "text/plain"}


def call(params):
    args = params.get("arguments", {})
    if "a" not in args or "b" not in args:
        return {"content": [{"type": "text", "text": "The arguments a and b are required."}], "isError": True}
    return {"content": [{"type": "text", "text": str(args["a"] + args["b"])}]}


def get_prompt(params):
    name = params.get("arguments", {}).get("name", "")
    return {"messages": [{"role": "user", "content": {"type": "text", "text": f"Greet {name}."}}]}


METHODS = {
    "initialize": lambda params: {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
        "serverInfo": {"name": "python-server", "version": "1.0.0"},
        "instructions": "Adds numbers.",
    },
    "ping": lambda params: {},
    "tools/list": lambda params: {"tools": [TOOL]},
    "prompts/list": lambda params: {"prompts": [PROMPT]},
    "resources/list": lambda params: {"resources": [RESOURCE]},
    "resources/templates/list": lambda params: {"resourceTemplates": []},
    "tools/call": call,
    "prompts/get": get_prompt,
    "resources/read": lambda params: {"contents": [{**RESOURCE, "text": "a note"}]},
}

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    method = METHODS.get(message["method"])
    if method is None:
        answer["error"] = {"code": -32601, "message": f"Method not found: {message['method']}"}
    else:
        answer["result"] = method(message.get("params", {}))
    print(json.dumps(answer), flush=True)
