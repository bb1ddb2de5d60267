"""Authentication: keys, access tokens, devices, pairing, and users named by a forwarder."""
