"""From a parsed command line to one call of a mode."""

import gc
import importlib
import os
import sys
import warnings
from pathlib import Path

from pi_tui import first_frame, inputs
from pi_tui.flags import CommandLine, CommandLineError, complain
from pi_tui.options import THINKING_LEVELS, Mode, Options, Thinking

MODULES: dict[Mode, str] = {
    "interactive": "pi_tui.modes.interactive",
    "print": "pi_tui.modes.print_mode",
    "json": "pi_tui.modes.json_mode",
}
"""Each has `run(options: Options) -> int`, which returns the exit code. Only the first may load Textual."""


def start(line: CommandLine) -> int:
    """Load the mode and run it; returns its exit code. Raises `CommandLineError` before anything was started.

    What was loaded on the way stays for the life of the process: it is taken out of the garbage collector's sight. The
    interactive mode does that itself, once its first frame stands.
    """
    options = resolve(line)
    # Warnings of the SDKs are for their developers; on a person's screen they would be noise in the middle of a frame.
    warnings.simplefilter("ignore")
    if options.offline:
        os.environ["PI_OFFLINE"] = "1"
    if options.mode == "interactive":
        first_frame.show()
    run = importlib.import_module(MODULES[options.mode]).run
    if options.mode != "interactive":
        gc.freeze()
        gc.enable()
    return run(options)


def resolve(line: CommandLine) -> Options:
    """Check what the options mean together and read what they point to; raises `CommandLineError`."""
    for needs_model in ("provider", "api_key"):
        if line.text(needs_model) is not None and line.text("model") is None:
            raise CommandLineError(f"--{needs_model.replace('_', '-')} needs --model beside it")
    try:
        cwd = Path.cwd()
    except FileNotFoundError:
        raise CommandLineError(
            "The current directory no longer exists: change to another one and start pi there"
        ) from None
    system_prompt, session_dir = line.text("system_prompt"), line.text("session_dir")
    return Options(
        mode=choose_mode(line),
        cwd=cwd,
        model=line.text("model"),
        provider=line.text("provider"),
        api_key=line.text("api_key"),
        thinking=thinking(line.text("thinking")),
        system_prompt=None if system_prompt is None else inputs.text_or_file(system_prompt),
        append_system_prompt=tuple(inputs.text_or_file(text) for text in line.texts("append_system_prompt")),
        tools=tool_names(line.text("tools")),
        exclude_tools=names(line.text("exclude_tools")),
        session=line.text("session"),
        session_dir=None if session_dir is None else cwd / Path(session_dir).expanduser(),
        messages=inputs.gather([printable(text) for text in line.messages], line.files, inputs.read_piped()),
        **{name: True for name, given in line.values.items() if given is True and name != "print"},
    )


def choose_mode(line: CommandLine) -> Mode:
    """`--mode json`, else print when asked for or when stdin or stdout is not a terminal, else interactive."""
    mode = line.text("mode")
    if mode == "rpc":
        raise CommandLineError("--mode rpc is not supported yet")
    if mode not in (None, "text", "json"):
        raise CommandLineError(f"--mode is text, json or rpc, not {mode}")
    if mode == "json":
        return "json"
    both_terminals = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
    return "interactive" if both_terminals and not line.switch("print") else "print"


def thinking(given: str | None) -> Thinking | None:
    """The thinking level; one that does not exist is only warned about, as in pi."""
    for level in THINKING_LEVELS:
        if level == given:
            return level
    if given is not None:
        complain(f"Warning: --thinking {given} is ignored; the levels are {', '.join(THINKING_LEVELS)}")
    return None


def names(given: str | None) -> tuple[str, ...]:
    """The names in a comma-separated list."""
    return tuple(name for name in (part.strip() for part in (given or "").split(",")) if name)


def tool_names(given: str | None) -> tuple[str, ...] | None:
    """The `--tools` list; names and changes (`+x`, `-y`) cannot be mixed."""
    if given is None:
        return None
    listed = names(given)
    changes = sum(name.startswith(("+", "-")) for name in listed)
    if changes not in (0, len(listed)):
        raise CommandLineError("--tools takes either names (a,b) or changes (+a,-b), not both")
    return listed


def printable(text: str) -> str:
    """`text` without what cannot be written as UTF-8 (bytes of another encoding on the command line)."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
