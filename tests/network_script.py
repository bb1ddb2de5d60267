"""`python -m tests.network_script`: writes the page's table of networks from the bridge's."""

import json
from pathlib import Path

from bridge.documents.network_table import METADATA_NAMES, NETWORKS, Carried, Network

SCRIPT = Path(__file__).parents[1] / "static" / "base" / "network_table.js"

HEAD = """\
// @ts-check
/** Written by `python -m tests.network_script` from bridge/documents/network_table.py with its sources. */

/** @type {readonly import("../types/types.js").Network[]} */
export const NETWORKS = [
"""


def script() -> str:
    """The text of the module."""
    rows = "".join(f"  {_row(network)},\n" for network in NETWORKS)
    names = "".join(f"  {json.dumps(name)},\n" for name in METADATA_NAMES)
    return f"{HEAD}{rows}];\n\nexport const METADATA_NAMES = new Set([\n{names}]);\n"


def _row(network: Network) -> str:
    """Members that say nothing are left out."""
    members = [f"cidr: {json.dumps(network.cidr)}", f"conclusion: {json.dumps(network.conclusion)}"]
    if network.space:
        members.append(f"space: {json.dumps(network.space)}")
    if network.carries:
        carries = "".join(f"\n      {_carried(carried)}," for carried in network.carries)
        members.append(f"carries: [{carries}\n    ]")
        return "{\n    " + ",\n    ".join(members) + ",\n  }"
    return f"{{ {', '.join(members)} }}"


def _carried(carried: Carried) -> str:
    pieces = f"pieces: {json.dumps(carried.pieces)}"
    return f"{{ {pieces}, flipped: true }}" if carried.flipped else f"{{ {pieces} }}"


if __name__ == "__main__":
    SCRIPT.write_text(script(), encoding="utf-8")
