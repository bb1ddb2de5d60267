"""The least that an extension can be which performs a page's request: the floor under the companion.

A content script that joins a port of the page to the service worker, and a service worker that fetches and
answers in one message. It checks nothing, writes nothing down and tells no error: nobody may ship it.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from tests.browser.extension.companion import EXTENSION

RELAY = """
addEventListener("message", ({ source, data, ports }) => {
  if (source !== window || data?.type !== "bare-relay-connect") return;
  const worker = chrome.runtime.connect();
  ports[0].onmessage = ({ data }) => worker.postMessage(data);
  worker.onMessage.addListener((message) => ports[0].postMessage(message, [message.bytes]));
});
"""
WORKER = """
const init = {
  mode: "same-origin", credentials: "omit", redirect: "manual", cache: "no-store",
  referrerPolicy: "no-referrer",
};
chrome.runtime.onConnect.addListener((port) => port.onMessage.addListener(async ({ id, url }) => {
  const response = await fetch(url, init);
  const bytes = await response.arrayBuffer();
  port.postMessage({ id, status: response.status, headers: [...response.headers], bytes });
}));
"""


def write_bare_relay(folder: Path, hosts: Sequence[str]) -> Path:
    """The folder of an extension that may reach these match patterns from the start."""
    own = json.loads((EXTENSION / "manifest.json").read_text())
    manifest = {
        "manifest_version": 3,
        "name": "Bare relay",
        "version": "1",
        "message_serialization": own["message_serialization"],
        "host_permissions": [*hosts],
        "background": {"service_worker": "worker.js"},
        "content_scripts": [{"matches": [*hosts], "js": ["relay.js"], "run_at": "document_start"}],
    }
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "relay.js").write_text(RELAY)
    (folder / "worker.js").write_text(WORKER)
    return folder
