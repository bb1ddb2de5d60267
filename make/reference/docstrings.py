"""What classes and their fields say of themselves, read from the source: Python forgets it of fields."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def texts_of_fields() -> dict[tuple[str, str], str]:
    """Class and field to the string below the field, in one line; of two classes of one name, the first."""
    texts: dict[tuple[str, str], str] = {}
    for path in sorted((ROOT / "bridge").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                for field, text in _fields(node):
                    texts.setdefault((node.name, field), text)
    return texts


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, after in zip(node.body, node.body[1:], strict=False):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            yield field.target.id, re.sub(r"\bNone\b", "null", " ".join(str(after.value.value).split()))
