"""What the command line says of mistakes: never what may be a secret."""

import pytest

from bridge.__main__ import main
from bridge.cli.parser import without_values

SECRET = "hunter2"
URL = f"postgresql://me:{SECRET}@db/x"


@pytest.mark.parametrize(
    "arguments",
    [
        ["serve", "--datbase", URL],
        ["serve", f"--datbase={URL}"],
        ["serve", f"--da={URL} and more"],
        ["serve", URL],
        ["users", f"--{SECRET}_1"],
        [URL],
        [f"tbk_{SECRET}", "serve"],
        ["call", "tool", "--kee", f"tbk_{SECRET}", "-x"],
    ],
)
def test_a_mistake_is_said_without_the_secret_that_it_holds(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Standard error ends up in logs, in tickets and on screens that others see."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert SECRET not in said.err + said.out


def test_the_name_of_what_was_mistyped_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """Else nobody finds the mistake."""
    for arguments, told in (
        (["serve", "--datbase", URL], "unrecognized arguments: --datbase. Did you mean --database?\n"),
        (["key", "--usr=bob"], "unrecognized arguments: --usr. Did you mean --user?\n"),
        (["serve", f"--da={URL}"], "ambiguous option: --da could match --data, --database"),
        (["srve"], "there is no command 'srve'. Did you mean serve?\n"),
        ([URL], "there is no such command\n"),
        (["serve", URL], "unrecognized arguments: not repeated here, as they may be secret"),
    ):
        with pytest.raises(SystemExit):
            main(arguments)
        assert told in capsys.readouterr().err


def test_other_mistakes_are_said_as_they_are() -> None:
    """A value that is refused by its option is no secret by mistake."""
    message = "argument --port: invalid int value: 'x'"
    assert without_values(message) == message
