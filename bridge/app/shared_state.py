"""What one of several replicas keeps in memory of what all of them store, and what forgets or reads it again.

A user's own settings are changed where the user is at home, whose pages are told there; a replica that takes
the user over has forgotten its older ones by then. What may change anywhere is told to the pages here, too:
servers, browsers and limits.
"""

from __future__ import annotations

from bridge.app.composition import Components
from bridge.browsers.followed_devices import FollowedDevices
from bridge.catalog.followed_servers import FollowedServers
from bridge.cluster.changes import Changes


async def follow_changes(changes: Changes, parts: Components) -> None:
    """Have what is kept in memory follow the changes of all replicas, and ring for those of this one.

    Call it before anything is read into memory, such as limits and servers; `changes.keep_looking` follows.

    Raises:
        BridgeError: `store_unavailable`.
    """
    servers = FollowedServers(parts.registry, parts.store, parts.tasks)
    devices = FollowedDevices(parts.store, parts.identity, parts.choices, parts.gateway)
    changes.on_change(["keys"], parts.identity.forget_credentials)
    changes.on_change(["servers"], servers.load_changes)
    changes.on_change(["acceptances", "selections"], parts.registry.doubt_views)
    changes.on_change(["limits"], parts.controls.limits.load_stored)
    changes.on_change(["call_settings"], parts.controls.settings.clear_cache)
    changes.on_change(["approvals"], parts.approvals.clear_cache)
    changes.on_change(["device_choices"], parts.choices.clear_cache)
    changes.on_change(["memory_choices"], parts.memory_choices.clear_cache)
    changes.on_change(["model_providers"], parts.models.clear_cache)
    changes.on_change(["devices"], devices.read_devices)  # the last: a frozen page takes a second to leave
    parts.store.on_commit(changes.announce_change)
    await changes.read_first()
    await servers.note_versions()
