"""The parts of the bridge, one module each, made by `bridge.app.composition` in order."""
