"""What commands print of documents, APIs and other users, on a real terminal: nothing in it controls that."""

import json
import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.support.documents.compiled import document_text
from toolserver.json_types import JsonObject

if sys.platform == "win32":
    pytest.skip("it has no pseudo-terminals", allow_module_level=True)

import pty

CSI, RIGHT_TO_LEFT, HIDDEN = "\x9b", "\u202e", "\u200b"
FOREIGN = f"a{CSI}2Jb{RIGHT_TO_LEFT}c{HIDDEN}d\x1b]0;title\x07"
WANDERING = (CSI, RIGHT_TO_LEFT, HIDDEN, "\x1b]", "\x07")


class Answers(BaseHTTPRequestHandler):
    """A bridge whose every answer is foreign text: of a tool, and in the list of tools."""

    def do_POST(self) -> None:
        self._answer({"said": FOREIGN})

    def do_GET(self) -> None:
        facts = {"name": FOREIGN, "method": "GET", "path": FOREIGN, "server_id": "s", "accepted": True}
        self._answer({"tools": [facts]})

    def _answer(self, value: object) -> None:
        content = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture(scope="module")
def bridge_url() -> Generator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def shown(words: Sequence[str], *, is_terminal: bool) -> str:
    """What a command prints, errors included, to a terminal or into a pipe."""
    ours, theirs = pty.openpty() if is_terminal else os.pipe()
    command = [sys.executable, "-m", "bridge", *words]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        content = b""
        try:
            while piece := os.read(ours, 65_536):
                content += piece
        except OSError:  # a terminal whose other side is closed
            pass
        os.close(ours)
        process.wait(60)
    return content.decode()


COMMANDS = {
    "an answer": ("call", "x", "--url", "{url}", "--key", "k"),
    "an answer as JSON": ("call", "x", "--url", "{url}", "--key", "k", "--json"),
    "tools": ("tools", "--url", "{url}", "--key", "k"),
    "tools as JSON": ("tools", "--url", "{url}", "--key", "k", "--json"),
    "a report": ("check", "{document}"),
    "a report as JSON": ("check", "{document}", "--json"),
    "tools of a document as JSON": ("tools", "--spec", "{document}", "--json"),
    "an error": ("check", "{missing}"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS.keys())
def test_a_terminal_gets_no_controls_of_strangers(
    words: tuple[str, ...], bridge_url: str, tmp_path: Path
) -> None:
    """Some take U+009B for ESC [, and a mark of direction lets an answer read as another one."""
    document = tmp_path / "document.json"
    path: JsonObject = {"get": {"operationId": "x", "description": FOREIGN, "responses": {}}}
    document.write_text(document_text(FOREIGN, paths={"/x": path, f"/{FOREIGN}": path}), encoding="utf-8")
    places = {"url": bridge_url, "document": str(document), "missing": f"{tmp_path}/{CSI}{RIGHT_TO_LEFT}"}
    asked = [word.format(**places) for word in words]
    text = shown(asked, is_terminal=True)
    assert text.strip()
    assert [mark for mark in WANDERING if mark in text] == []


def test_a_pipe_gets_an_answer_unchanged(bridge_url: str) -> None:
    """A program reads it, and looks for what is there."""
    text = shown(("call", "x", "--url", bridge_url, "--key", "k"), is_terminal=False)
    assert json.loads(text) == {"said": FOREIGN}
