"""Other projects beside the bridge: their servers, and the same work for all of them."""
