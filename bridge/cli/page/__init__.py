"""`tool-bridge page`: the bridge page in a headless browser, as a service."""
