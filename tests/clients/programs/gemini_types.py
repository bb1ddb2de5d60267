"""Judges declarations of functions, each a line of JSON, by the types of Google's client: a line for each.

A line is empty if the client takes the declaration, and else what it says against it.
"""

import json
import sys
import warnings

from google.genai.types import FunctionDeclaration

warnings.simplefilter("error")  # it warns of a type that does not exist, and takes it


def find_complaint(declaration: object) -> str:
    """What the client's types do not take; they refuse members that they do not know."""
    try:
        FunctionDeclaration.model_validate(declaration)
    except Exception as error:  # noqa: BLE001 - of a list as a type it makes an AttributeError
        return " ".join(str(error).split()) or repr(error)
    return ""


for line in sys.stdin:
    print(find_complaint(json.loads(line)), flush=True)
