"""Who is asking: keys, devices, pairing, users that a proxy names."""
