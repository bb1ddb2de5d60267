"""Authentication: keys, devices, pairing, and users named by a forwarder."""
