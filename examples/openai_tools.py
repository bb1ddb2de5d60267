"""An OpenAPI file as OpenAI tools, and one request: `python openai_tools.py FILE TOOL ARGUMENTS`."""

import json
import sys
from pathlib import Path

from toolserver import DocumentTools, build_request, openai_tool, parse_document, read_arguments


def main(file: str, called: str, arguments_text: str) -> None:
    """Print the tools of the file, and the request of a call that a model asked for."""
    tools = DocumentTools(parse_document(Path(file).read_bytes()), source_url="https://api.example.com/")
    operations = {operation.suggested_name: operation for operation in tools.compiled.operations}
    schemas = {name: tools.schema_of(operation.key) for name, operation in operations.items()}
    print(json.dumps([openai_tool(operations[name], schemas[name]) for name in operations], indent=2))

    arguments = read_arguments(operations[called], schemas[called], arguments_text)
    request = build_request(operations[called].plan_json, arguments)
    print(request.method, request.url)
    print(*(f"{name}: {text}" for name, text in request.headers.items()), sep="\n")
    print(request.body.decode() if request.body else "")


if __name__ == "__main__":
    main(*sys.argv[1:])
