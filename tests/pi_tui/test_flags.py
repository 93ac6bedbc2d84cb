"""The grammar of the command line (pi 1.6.0's, product sheet 1.2) as one table and its parser."""

import string
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_tui.flags import BY_NAME, COMMANDS, FLAGS, CommandLineError, complain, help_text, parse

PI_NAMES = """
    -p --print --mode --provider --model --models --list-models --api-key --thinking --system-prompt
    --append-system-prompt -c --continue -r --resume --session --session-id --fork --session-dir --no-session -n --name
    -t --tools -xt --exclude-tools -nbt --no-builtin-tools -nt --no-tools -e --extension -ne --no-extensions --no-mcp
    --skill -ns --no-skills --prompt-template -np --no-prompt-templates --theme --use-theme --no-themes -nc
    --no-context-files --tui-mode --verbose -a --approve -na --no-approve --offline --export -h --help -v --version
""".split()


def test_every_option_of_pi_is_known() -> None:
    assert set(BY_NAME) == {*PI_NAMES, "--no-mouse"}


def test_no_name_is_used_twice() -> None:
    assert len(BY_NAME) == sum(len(flag.names) for flag in FLAGS)


@pytest.mark.parametrize("flag", [flag for flag in FLAGS if flag.unsupported], ids=lambda flag: flag.names[0])
def test_unsupported_options_are_refused_by_name(flag) -> None:
    for name in flag.names:
        with pytest.raises(CommandLineError, match=f"^{name} is not supported yet$"):
            parse([name, "x"])


@pytest.mark.parametrize("flag", [flag for flag in FLAGS if not flag.unsupported], ids=lambda flag: flag.names[0])
def test_supported_options_fill_their_field_by_every_name(flag) -> None:
    for name in flag.names:
        line = parse([name, "x"] if flag.value else [name])
        assert line.values == ({flag.field: ["x"] if flag.many else "x" if flag.value else True} if flag.field else {})
        assert not line.messages


@pytest.mark.parametrize("command", COMMANDS)
def test_sub_commands_count_only_as_the_first_word(command: str) -> None:
    with pytest.raises(CommandLineError, match=f"`pi {command}` is not supported yet"):
        parse([command, "x"])
    assert parse(["-p", command]).messages == [command]
    assert parse(["--", command]).messages == [command]


@pytest.mark.parametrize("word", ["--bogus", "-z", "-", "-pc", "--bogus=1", "-p=1", "--Print"])
def test_unknown_options_are_named(word: str) -> None:
    with pytest.raises(
        CommandLineError, match=f"^Unknown option: {word.removesuffix('=1') if word[:2] == '--' else word}$"
    ):
        parse(["hello", word])


def test_values() -> None:
    line = parse(
        ["--model=a/b=c", "--system-prompt", "--terse", "--append-system-prompt", "1", "--append-system-prompt=2"]
    )
    assert line.text("model") == "a/b=c"
    assert line.text("system_prompt") == "--terse"
    assert line.texts("append_system_prompt") == ("1", "2")
    assert line.text("session") is None
    assert line.texts("tools") == ()


def test_the_last_value_wins() -> None:
    assert parse(["--model", "a", "--model", "b"]).text("model") == "b"


@pytest.mark.parametrize(
    ("args", "message"),
    [(["--model"], "--model needs a value: --model MODEL"), (["--print=yes"], "--print takes no value")],
)
def test_wrong_use_of_a_value(args: list[str], message: str) -> None:
    with pytest.raises(CommandLineError, match=f"^{message}$"):
        parse(args)


def test_print_may_take_a_word_of_dashes() -> None:
    line = parse(["-p", "---\ntitle: x", "more"])
    assert line.switch("print")
    assert line.messages == ["---\ntitle: x", "more"]
    with pytest.raises(CommandLineError, match="Unknown option: ---"):
        parse(["hello", "---"])


def test_words_and_files_keep_their_order() -> None:
    line = parse(["one", "@a.txt", "-c", "two", "--", "-p", "@b.txt", "--", "--model"])
    assert line.messages == ["one", "two", "-p", "--", "--model"]
    assert line.files == ["a.txt", "b.txt"]
    assert line.values == {"continue_": True}


@pytest.mark.parametrize("wish", ["--help", "-h", "--version", "-v"])
def test_help_and_version_win_over_mistakes(wish: str) -> None:
    line = parse(["--bogus", "--list-models", wish, "--model"])
    assert line.switch("help") or line.switch("version")


@given(st.lists(st.text(st.sampled_from(string.ascii_letters + "-@=")) | st.sampled_from(sorted(BY_NAME)), max_size=6))
def test_any_line_is_parsed_or_refused(args: list[str]) -> None:
    with suppress(CommandLineError):
        line = parse(args)
        assert len(line.messages) + len(line.files) <= len(args)


def test_help_shows_what_works_and_names_what_does_not() -> None:
    text = help_text()
    for flag in FLAGS:
        assert flag.names[-1] in text
        if not flag.unsupported:
            assert flag.help
            assert ", ".join(flag.names) in text
    assert max(map(len, text.splitlines()[:-1])) <= 110


def test_complaints_cannot_drive_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    complain("Unknown option: --\x1b]0;owned\x07\udce9")
    assert capsys.readouterr().err == "Unknown option: --?]0;owned??\n"
