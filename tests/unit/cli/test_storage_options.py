"""How what is kept is stored, as the environment says; what cannot be meant stops the start."""

import argparse

import pytest

from bridge.cli.storage_options import kept_settings, kept_warnings
from bridge.settings.bridge import StorageSettings


def test_without_variables_everything_is_as_documented() -> None:
    """S0-142, S0-144: defaults of the source documents."""
    assert kept_settings({}) == StorageSettings()
    assert (StorageSettings().cleanup_days, StorageSettings().cleanup_interval_hours) == (90, 1.0)


def test_every_variable_is_read() -> None:
    """S0-142, S0-144: under the names that operators know."""
    environ = {
        "ARTIFACT_ENCRYPTION_KEY": "new, old",
        "ENCRYPT_ALL": "False",
        "ENABLE_LZ4_COMPRESSION": "no",
        "MIN_COMPRESS_BYTES": "100",
        "ARTIFACT_CLEANUP_DAYS": "7",
        "ARTIFACT_CLEANUP_INTERVAL_HOURS": "0.5",
        "KEPT_BYTES_PER_USER": "0",
    }
    assert kept_settings(environ) == StorageSettings(("new", "old"), False, False, 100, 7, 0.5, 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ARTIFACT_ENCRYPTION_KEY", "a,"),
        ("ENCRYPT_ALL", "maybe"),
        ("MIN_COMPRESS_BYTES", "-1"),
        ("ARTIFACT_CLEANUP_DAYS", "0"),
        ("ARTIFACT_CLEANUP_DAYS", "1.5"),
        ("ARTIFACT_CLEANUP_INTERVAL_HOURS", "nan"),
        ("KEPT_BYTES_PER_USER", "1000"),
    ],
)
def test_a_value_that_cannot_be_meant_is_named(name: str, value: str) -> None:
    """Whoever mistypes a number of days must not lose what is older by another one."""
    with pytest.raises(argparse.ArgumentTypeError, match=name):
        kept_settings({name: value})


def test_settings_that_mean_nothing_any_more_are_told() -> None:
    """S0-143, S0-145: there are no batches, and no Redis in between."""
    told = " ".join(kept_warnings({"DB_BATCH_SIZE": "10", "ENABLE_REDIS_CACHE": "true", "OTHER": "1"}))
    assert "DB_BATCH_SIZE" in told
    assert "ENABLE_REDIS_CACHE" in told
    assert "OTHER" not in told
