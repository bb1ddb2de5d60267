"""The bridge as an OAuth resource server below a path."""

from bridge.auth.resource_server import ResourceServer
from bridge.errors import ErrorCode


def test_metadata_of_a_bridge_below_a_path_stand_before_the_path() -> None:
    """Finding W-47: RFC 9728, 3.1 puts their place between host and path, and clients look nowhere else."""
    resource = ResourceServer("https://login.example", "https://tools.example:8443/team/bridge")
    place = "https://tools.example:8443/.well-known/oauth-protected-resource/team/bridge"
    assert resource.metadata_url(None) == f"{place}/mcp"
    assert resource.metadata_url("a b") == f"{place}/servers/a%20b/mcp"
    assert resource.metadata("shop")["resource"] == "https://tools.example:8443/team/bridge/servers/shop/mcp"
    assert resource.audience_at(None) == "https://tools.example:8443/team/bridge/mcp"
    challenge = resource.challenge(ErrorCode.UNAUTHORIZED, None, had_token=False)
    assert challenge == f'Bearer resource_metadata="{place}/mcp"'
