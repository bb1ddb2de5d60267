"""The lines of a bridge that is ready."""

import json
import re

from bridge.cli.serve.announcement import Started
from bridge.cli.serve.samples import Samples

URL = "http://127.0.0.1:8765"
SAMPLES = Samples("http://127.0.0.1:8766", "http://127.0.0.1:8767/mcp", "http://127.0.0.1:8768")
STARTED = Started(URL, f"{URL}/#ticket=t1", "tbk_k1", ["demo"], SAMPLES)


def test_programs_get_one_line_that_never_changes() -> None:
    """Scripts of others read these members."""
    assert json.loads(STARTED.as_json()) == {
        "page_url": f"{URL}/#ticket=t1",
        "base_url": URL,
        "key": "tbk_k1",
        "samples_url": "http://127.0.0.1:8766",
        "sample_mcp_url": "http://127.0.0.1:8767/mcp",
        "sample_intranet_url": "http://127.0.0.1:8768",
        "model_url": f"{URL}/v1",
        "models": ["demo"],
    }
    bare = json.loads(Started(URL, URL, "tbk_k1", [], None).as_json())
    assert [bare[name] for name in ("samples_url", "sample_mcp_url", "sample_intranet_url")] == [None] * 3


def test_people_read_where_everything_goes_and_how_to_stop() -> None:
    """A user who starts it for the first time has seen no documentation yet."""
    assert STARTED.in_words(in_color=False).splitlines() == [
        f"Open this page in your browser: {URL}/#ticket=t1",
        f"Tool server: {URL}   key: tbk_k1",
        f"Model API:   {URL}/v1   models: demo",
        f"Open WebUI:  add {URL} and the key in Settings, Admin, Integrations",
        "Sample MCP server, to be added in the page: http://127.0.0.1:8767/mcp",
        "Sample intranet, which only the companion extension can call: http://127.0.0.1:8768",
        "Talk to the demo model, once the page is open and its tools are accepted:",
        f'  curl {URL}/v1/chat/completions -H "Authorization: Bearer tbk_k1" '
        '-H "Content-Type: application/json" \\',
        """    -d '{"model": "demo", "messages": """
        """[{"role": "user", "content": "Show me all vegan products"}]}'""",
        "Ctrl+C stops the bridge.",
    ]


def test_only_what_is_copied_is_painted() -> None:
    """Were everything in colour, nothing would stand out."""
    painted = STARTED.in_words(in_color=True)
    assert re.sub(r"\033\[[0-9;]*m", "", painted) == STARTED.in_words(in_color=False)
    copied = [text for text in re.findall(r"\033\[[0-9;]+m([^\033]+)\033\[0m", painted) if "curl" not in text]
    assert copied == [
        f"{URL}/#ticket=t1",
        URL,
        "tbk_k1",
        f"{URL}/v1",
        URL,
        SAMPLES.mcp_url,
        SAMPLES.intranet_url,
    ]


def test_a_long_list_of_models_is_cut_and_an_empty_one_is_told() -> None:
    """Some providers list hundreds."""
    many = Started(URL, URL, "k", [f"m{n}" for n in range(9)], None).in_words(in_color=False)
    assert "models: m0, m1, m2, m3, m4, …\n" in many
    assert "models: none could be listed\n" in Started(URL, URL, "k", [], None).in_words(in_color=False)
