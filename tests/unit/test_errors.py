"""Codes that were renamed are read by their former names, and tell them for one release."""

import json

import pytest
from pydantic import ValidationError

from bridge.calls.outcome import doubtful_error
from bridge.errors import FORMER_CODES, ErrorCode, WireError, code_of

RENAMED = [(ErrorCode(code), former) for code, former in FORMER_CODES.items()]


@pytest.mark.parametrize(("code", "former"), RENAMED)
def test_an_older_page_or_replica_may_say_a_former_code(code: ErrorCode, former: str) -> None:
    """Finding house-H19: a page that was open during the update reports what it knows."""
    written = {"code": former, "message": "Full.", "detail": {"browser": "Chrome"}, "retryable": False}
    read = WireError.model_validate(written)
    assert read == WireError.model_validate_json(json.dumps(written))
    assert (read.code, read.detail) == (code, {"browser": "Chrome", "former_code": former})
    assert code_of(former) == code_of(code) == code


@pytest.mark.parametrize(("code", "former"), RENAMED)
def test_an_error_names_its_former_code(code: ErrorCode, former: str) -> None:
    """Finding house-H19: programs that decide by the former name find it for one release."""
    assert WireError(code=code, message="Away.").detail == {"former_code": former}


@pytest.mark.parametrize(("code", "former"), RENAMED)
def test_the_database_keeps_the_former_code(code: ErrorCode, former: str) -> None:
    """Finding house-H19: a replica of the version before reads what a new one wrote, and vice versa."""
    error = WireError(code=code, message="Away.", retryable=True)
    stored = error.to_stored()
    assert json.loads(stored)["code"] == former
    assert WireError.model_validate_json(stored) == error


def test_a_doubt_does_not_name_the_former_code_of_its_cause() -> None:
    """It would be taken for the doubt's own: another code, after which nothing may be repeated."""
    doubt = doubtful_error(WireError(code=ErrorCode.BROWSER_STORAGE_UNAVAILABLE, message="Full."))
    assert doubt.detail == {"reason": "browser_storage_unavailable"}
    assert json.loads(doubt.to_stored())["code"] == "outcome_unknown"


@pytest.mark.parametrize("code", ["full", "", None, ["store_unavailable"], 7])
def test_other_codes_are_refused(code: object) -> None:
    """A code that the bridge does not know has no status and no blame."""
    with pytest.raises(ValidationError):
        WireError.model_validate({"code": code, "message": "Full."})
