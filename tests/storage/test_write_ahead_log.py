"""The write-ahead log: what a killed process leaves there, what a full disk does, and how it stays small."""

import json
import stat
from pathlib import Path

import pytest

from bridge.storage.errors import FolderInUse, StoreError
from bridge.storage.write_ahead_log import NAMES, SEGMENT_BYTES, WriteAheadLog
from tests.support.stores.full_disk import limit_disk

LINE = b'{"id": "call_1"}\n'


def sizes(folder: Path) -> list[int]:
    return [(folder / name).stat().st_size for name in NAMES]


def test_what_was_appended_is_there_for_the_next_process(tmp_path: Path) -> None:
    """No end of the log is needed for that; nobody else may read it."""
    log = WriteAheadLog.open_log(tmp_path)
    log.append_lines(LINE, accepted=0, settled=0)
    assert (tmp_path / NAMES[0]).read_bytes() == LINE
    log.close()
    assert list(WriteAheadLog.open_log(tmp_path).read_lines()) == [LINE.strip()]
    assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in NAMES} == {0o600}


def test_what_is_settled_makes_room(tmp_path: Path) -> None:
    """Two files take turns, so that they stay small however long the bridge runs."""
    log, line = WriteAheadLog.open_log(tmp_path), b"x" * 999 + b"\n"
    for number in range(10 * SEGMENT_BYTES // len(line)):
        log.append_lines(line, accepted=number, settled=max(0, number - 100))
    assert max(sizes(tmp_path)) <= SEGMENT_BYTES + len(line)
    assert min(sizes(tmp_path)) > 0


def test_what_is_not_settled_stays(tmp_path: Path) -> None:
    """A file is not emptied while the database lacks one of its lines."""
    log, line, count = WriteAheadLog.open_log(tmp_path), b"x" * 999 + b"\n", 5 * SEGMENT_BYTES // 1000
    for number in range(count):
        log.append_lines(line, accepted=number, settled=0)
    assert len(list(log.read_lines())) == count
    log.append_lines(line, accepted=count, settled=count)
    assert len(list(log.read_lines())) < count


def test_a_line_that_does_not_fit_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    """On a full disk the beginning of a line is there; its call was refused and must not be settled."""
    log = WriteAheadLog.open_log(tmp_path)
    log.append_lines(LINE, accepted=0, settled=0)
    with limit_disk(len(LINE) + 5):
        for _ in range(2):
            with pytest.raises(OSError, match=r"No space left|File too large"):
                log.append_lines(LINE, accepted=1, settled=0)
    log.append_lines(b'{"id": "call_2"}\n', accepted=1, settled=0)
    assert [json.loads(line)["id"] for line in log.read_lines()] == ["call_1", "call_2"]


def test_a_line_that_was_cut_by_a_crash_is_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its call was not sent, or nobody heard of its ending: that comes after the whole line."""
    (tmp_path / NAMES[0]).write_bytes(LINE + b'{"id": "cal')
    log = WriteAheadLog.open_log(tmp_path)
    assert list(log.read_lines()) == [LINE.strip()]
    assert "last line is incomplete" in caplog.text
    log.append_lines(LINE, accepted=0, settled=0)
    assert list(log.read_lines()) == [LINE.strip()] * 2
    log.clear_lines()
    log.append_lines(LINE, accepted=0, settled=0)
    assert list(log.read_lines()) == [LINE.strip()]


def test_two_processes_do_not_share_it(tmp_path: Path) -> None:
    """The second one would end the calls of the first; once that has ended, however it did, it may."""
    log = WriteAheadLog.open_log(tmp_path)
    with pytest.raises(FolderInUse, match=r"another tool-bridge runs on .*; stop it or choose another"):
        WriteAheadLog.open_log(tmp_path)
    log.close()
    WriteAheadLog.open_log(tmp_path).close()


def test_a_file_that_cannot_be_written_is_told_before_any_call_comes(tmp_path: Path) -> None:
    """With its name and the reason."""
    (tmp_path / NAMES[1]).mkdir()
    with pytest.raises(StoreError, match=rf"{NAMES[1]} cannot be written: Is a directory"):
        WriteAheadLog.open_log(tmp_path)
    (tmp_path / NAMES[1]).rmdir()
    WriteAheadLog.open_log(tmp_path).close()


def test_a_closed_log_writes_into_no_other_file(tmp_path: Path) -> None:
    """The system gives the number of a closed file to the next one that is opened."""
    log = WriteAheadLog.open_log(tmp_path)
    log.close()
    with (tmp_path / "other").open("wb"), pytest.raises(OSError, match="Bad file descriptor"):
        log.append_lines(LINE, accepted=0, settled=0)
    assert (tmp_path / "other").read_bytes() == b""
