"""Tools of a document that overlays edit."""

from tests.support.documents.compiled import compiled, document_text, operation, overlay_text


def test_an_edit_without_a_target_is_part_of_what_its_operations_are_accepted_by() -> None:
    """Ruling 52: once its target is gone, its operations count as changed, and no others."""
    text = document_text(paths={"/a": operation("getA"), "/b": operation("getB")})
    plain = compiled(text)
    idle = compiled(text, overlays=[overlay_text({"target": "$.paths['/a'].get.x", "update": 1})])
    same = [
        mine.digest == other.digest for mine, other in zip(plain.operations, idle.operations, strict=True)
    ]
    assert same == [False, True]
    (warning,) = idle.operations[0].warnings
    assert warning.startswith("Action 1 of the overlay 'Edits' changes nothing")
    assert idle.operations[1].warnings == ()
