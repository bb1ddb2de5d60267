"""Settings of traces: what is no address of a collector, and what has to be installed."""

from pathlib import Path

import pytest

from bridge.settings.declaration import SettingsError
from bridge.settings.sources import read_settings
from bridge.settings.telemetry import TelemetrySettings

ENDPOINT = "TOOL_BRIDGE_TRACES_ENDPOINT"


def read(environ: dict[str, str]) -> TelemetrySettings:
    return read_settings(Path("/data"), {}, environ).telemetry


def test_traces_are_off_unless_a_collector_is_named() -> None:
    """And all are recorded then."""
    assert read({}).traces_endpoint is None
    given = read({ENDPOINT: "http://127.0.0.1:4318/v1/traces", "TOOL_BRIDGE_TRACES_RATIO": "0.25"})
    assert (given.traces_endpoint, given.traces_ratio) == ("http://127.0.0.1:4318/v1/traces", 0.25)


@pytest.mark.parametrize(
    "url", ["collector", "http://h:4318", "http://h:0/v1/traces", "http:///v1", "grpc://h/x"]
)
def test_an_address_that_no_collector_answers_at_stops_the_start(url: str) -> None:
    """Else spans would be dropped, and the log would say so when somebody looks for a trace."""
    with pytest.raises(SettingsError, match=f"{ENDPOINT} must be the whole address.*v1/traces"):
        read({ENDPOINT: url})
