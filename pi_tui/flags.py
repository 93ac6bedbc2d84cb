"""pi's command line as one table, and the parser that reads it.

The table gives the help text, the parser and the docs. It is a table and not a Typer command because pi has a grammar
of its own (two-letter short options such as `-ne`, `@file` words, `---text` after `-p`, unknown options reported on one
line with exit code 1), and because the way to the first frame must not pay for an import of Typer (70 ms of CPU beside
Textual). For the same reason this module imports nothing but `sys`.
"""

import sys


class Flag:
    """One option. `value` names its argument, "" for a switch; `field` is the `Options` field that it fills.

    `field` is "" where there is nothing to switch off yet, so that the option's meaning holds anyway. `many` collects
    every use; `unsupported` marks an option of pi that is refused with a clear line.
    """

    __slots__ = ("field", "help", "many", "names", "unsupported", "value")

    def __init__(
        self, names: str, field: str, help: str, *, value: str = "", many: bool = False, unsupported: bool = False
    ) -> None:
        self.names = tuple(names.split())
        self.field = field
        self.help = help
        self.value = value
        self.many = many
        self.unsupported = unsupported


class CommandLineError(Exception):
    """The command line cannot be carried out; the text is the one line to print. Exit code 1."""


FLAGS = (
    Flag("-p --print", "print", "answer once on stdout and leave"),
    Flag("--mode", "mode", "text, json (one event a line on stdout) or rpc (not supported yet)", value="MODE"),
    Flag("--model", "model", "model as provider/id, id or a part of its name; may end in :THINKING", value="MODEL"),
    Flag("--provider", "provider", "provider of --model", value="NAME"),
    Flag("--api-key", "api_key", "key for this run only; other users of this machine can see it in ps", value="KEY"),
    Flag("--thinking", "thinking", "off, minimal, low, medium, high, xhigh or max", value="LEVEL"),
    Flag("--system-prompt", "system_prompt", "replaces the system prompt: text, or a file that exists", value="TEXT"),
    Flag(
        "--append-system-prompt",
        "append_system_prompt",
        "added to the system prompt: text, or a file; may be repeated",
        value="TEXT",
        many=True,
    ),
    Flag("-t --tools", "tools", "only these tools (a,b,c; * matches), or changes (+a,-b)", value="LIST"),
    Flag("-xt --exclude-tools", "exclude_tools", "all but these tools", value="LIST"),
    Flag("-nt --no-tools", "no_tools", "no tools at all"),
    Flag("-c --continue", "continue_", "go on with the newest session of this directory"),
    Flag("--session", "session", "go on with this session: file, id or the start of an id", value="SESSION"),
    Flag("--session-dir", "session_dir", "where sessions are kept", value="DIR"),
    Flag("--no-session", "no_session", "write no session file"),
    Flag("-nc --no-context-files", "no_context_files", "do not read AGENTS.md and CLAUDE.md"),
    Flag("-ne --no-extensions", "", "no extensions"),
    Flag("-ns --no-skills", "", "no skills"),
    Flag("-np --no-prompt-templates", "", "no prompt templates"),
    Flag("--no-themes", "", "no theme files"),
    Flag("--no-mcp", "", "no MCP servers"),
    Flag("--offline", "offline", "no request but those to the model"),
    Flag("--no-mouse", "no_mouse", "leave the mouse to the terminal"),
    Flag("-h --help", "help", "show this text"),
    Flag("-v --version", "version", "show the version"),
    Flag("--models", "", "", value="LIST", unsupported=True),
    Flag("--list-models", "", "", unsupported=True),
    Flag("-r --resume", "", "", unsupported=True),
    Flag("--session-id", "", "", value="ID", unsupported=True),
    Flag("--fork", "", "", value="SESSION", unsupported=True),
    Flag("-n --name", "", "", value="TEXT", unsupported=True),
    Flag("-nbt --no-builtin-tools", "", "", unsupported=True),
    Flag("-e --extension", "", "", value="SOURCE", unsupported=True),
    Flag("--skill", "", "", value="PATH", unsupported=True),
    Flag("--prompt-template", "", "", value="PATH", unsupported=True),
    Flag("--theme", "", "", value="PATH", unsupported=True),
    Flag("--use-theme", "", "", value="NAME", unsupported=True),
    Flag("--tui-mode", "", "", value="MODE", unsupported=True),
    Flag("--verbose", "", "", unsupported=True),
    Flag("-a --approve", "", "", unsupported=True),
    Flag("-na --no-approve", "", "", unsupported=True),
    Flag("--export", "", "", value="FILE", unsupported=True),
)

COMMANDS = ("config", "install", "list", "mcp", "remove", "uninstall", "update")
"""Sub-commands of pi that are not supported yet; they count only as the first word."""

BY_NAME = {name: flag for flag in FLAGS for name in flag.names}


class CommandLine:
    """A parsed command line: `values` by field (True, str or list of str), `messages`, `files` (without their `@`)."""

    __slots__ = ("files", "messages", "values")

    def __init__(self) -> None:
        self.values: dict[str, bool | str | list[str]] = {}
        self.messages: list[str] = []
        self.files: list[str] = []

    def text(self, field: str) -> str | None:
        """The value given last for `field`, None when it was not given."""
        value = self.values.get(field)
        return value if isinstance(value, str) else None

    def texts(self, field: str) -> tuple[str, ...]:
        """Every value given for the repeatable `field`."""
        value = self.values.get(field)
        return tuple(value) if isinstance(value, list) else ()

    def switch(self, field: str) -> bool:
        """Whether the switch `field` was given."""
        return self.values.get(field) is True


def parse(args: list[str]) -> CommandLine:
    """Read the words after `pi`; raises `CommandLineError` at the first that is wrong.

    `--help` and `--version` win over mistakes elsewhere on the line, as a person who asks for help expects.
    """
    line = CommandLine()
    error = None
    rest = list(reversed(args))
    if rest and rest[-1] in COMMANDS:
        raise CommandLineError(f"`pi {rest[-1]}` is not supported yet")
    while rest:
        word = rest.pop()
        if word == "--":
            for message in reversed(rest):
                take_word(line, message)
            break
        if word.startswith("-"):
            try:
                take_flag(line, word, rest)
            except CommandLineError as problem:
                error = error or problem
        else:
            take_word(line, word)
    if error is not None and not (line.switch("help") or line.switch("version")):
        raise error
    return line


def take_word(line: CommandLine, word: str) -> None:
    """A word that is no option: a message, or a file when it begins with `@`."""
    if word.startswith("@"):
        line.files.append(word[1:])
    else:
        line.messages.append(word)


def take_flag(line: CommandLine, word: str, rest: list[str]) -> None:
    """Store the option `word`; its argument follows after `=` or is taken from the end of `rest`, the words to come."""
    name, equals, given = word.partition("=") if word.startswith("--") else (word, "", "")
    flag = BY_NAME.get(name)
    if flag is None:
        raise CommandLineError(f"Unknown option: {name}")
    if flag.value and not equals:
        if not rest:
            raise CommandLineError(f"{name} needs a value: {name} {flag.value}")
        given = rest.pop()
    elif equals and not flag.value:
        raise CommandLineError(f"{name} takes no value")
    if flag.unsupported:
        raise CommandLineError(f"{name} is not supported yet")
    if not flag.value:
        if flag.field:
            line.values[flag.field] = True
        if flag.field == "print" and rest and rest[-1].startswith("---"):
            line.messages.append(rest.pop())
    elif flag.many:
        line.values[flag.field] = [*line.texts(flag.field), given]
    else:
        line.values[flag.field] = given


def complain(text: str) -> None:
    """Print one line on stderr; control characters in it cannot reach the terminal."""
    print("".join(char if char.isprintable() else "?" for char in text), file=sys.stderr)


def help_text() -> str:
    """What `pi --help` prints."""
    rows = []
    for flag in FLAGS:
        if not flag.unsupported:
            left = ", ".join(flag.names) + (f" {flag.value}" if flag.value else "")
            rows.append(f"  {left:<32} {flag.help}" if len(left) <= 32 else f"  {left}\n{'':<35}{flag.help}")
    later = " ".join(flag.names[-1] for flag in FLAGS if flag.unsupported)
    return "\n".join(
        (
            "pi: a coding agent in your terminal",
            "",
            "Usage: pi [options] [--] [@file...] [message...]",
            "",
            "  pi                        start in this directory",
            '  pi "fix the tests"        start with a first prompt',
            '  pi @notes.md "do this"    put a file in front of the prompt',
            '  pi -p "what is this?"     answer once; text piped in comes before the prompt',
            '  pi -c "and now?"          go on with the last session',
            "  pi auth check             which providers have a key",
            "",
            "Options:",
            *rows,
            "  --                               the rest are messages and @files, even when they begin with -",
            "",
            f"Not supported yet: {later}",
        )
    )
