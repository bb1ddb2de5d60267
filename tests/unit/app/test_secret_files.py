"""The bridge's own files in the data folder, also when one is damaged."""

import json
from pathlib import Path

import pytest

from bridge.app.secret_files import choose_secret, load_or_create_secret, read_private, write_private
from bridge.storage.errors import StoreError


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_secret_is_made_once_and_is_its_owners(tmp_path: Path) -> None:
    """Sessions outlive a restart; nobody else on the machine can sign them."""
    path = tmp_path / "secret.key"
    secret = load_or_create_secret(path)
    assert len(secret) == 32
    assert load_or_create_secret(path) == secret
    assert mode_of(path) == 0o600


def test_a_secret_of_the_settings_replaces_the_file(tmp_path: Path) -> None:
    """Replicas on several machines have no folder in common; a second secret beside it would mislead."""
    path = tmp_path / "secret.key"
    assert choose_secret("aB" * 32, path) == b"\xab" * 32
    assert not path.exists()
    assert choose_secret(None, path) == load_or_create_secret(path)


@pytest.mark.parametrize("content", [b"", b"abc", b"\xff\xfe", b"00" * 8], ids=repr)
def test_a_damaged_secret_is_told_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    """An empty one is what a bridge left that was killed at its first start; it would sign nothing."""
    path = tmp_path / "secret.key"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged: it must hold 64 hexadecimal digits") as told:
        load_or_create_secret(path)
    assert str(path) in str(told.value)


def test_a_secret_that_cannot_be_read_is_told_in_one_sentence(tmp_path: Path) -> None:
    """Also root, who may read every file, cannot read a folder."""
    (tmp_path / "secret.key").mkdir()
    with pytest.raises(StoreError, match=r"secret\.key cannot be used: Is a directory"):
        load_or_create_secret(tmp_path / "secret.key")


def test_a_secret_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    """It was copied, or restored from a backup, without its mode."""
    path = tmp_path / "secret.key"
    secret = load_or_create_secret(path)
    path.chmod(0o644)
    assert load_or_create_secret(path) == secret
    assert mode_of(path) == 0o600


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    """Who reads it meanwhile has the old or the new content."""
    path = tmp_path / "running.json"
    write_private(path, json.dumps({"pid": 1}))
    with path.open(encoding="utf-8") as reader:
        write_private(path, json.dumps({"pid": 2}))
        assert json.load(reader) == {"pid": 1}
    assert read_private(path) == '{"pid": 2}'
    assert [file.name for file in tmp_path.iterdir()] == ["running.json"]


def test_a_folder_that_takes_nothing_is_told_in_one_sentence(tmp_path: Path) -> None:
    """The start says which file, and why."""
    with pytest.raises(StoreError, match=r"local\.key cannot be written: No such file or directory"):
        write_private(tmp_path / "gone" / "local.key", "tbk_1")
