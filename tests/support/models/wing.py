"""The wing of the models of a bridge that has one."""

from bridge.app.composition import Components
from bridge.app.models_wing import ModelsWing


def wing_of(parts: Components) -> ModelsWing:
    assert parts.wing is not None
    return parts.wing
