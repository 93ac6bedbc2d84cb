"""The first lines of ours that run: make the process safe, then hand over to the command line.

Everything here must stay cheap, because `pi --version`, `pi --help` and the way to the first frame pass through it: not
even `typing` is imported (a third of the time that `pi --version` takes). Nothing of ours is imported before the import
path is clean, so that it cannot be the caller's.
"""

import gc
import os
import sys

MINIMUM = (3, 11)
INTERRUPTED = 130
"""128 + SIGINT, what a shell reports for a program that Ctrl+C ended."""
READER_GONE = 141
"""128 + SIGPIPE, what a shell reports for a program whose reader went away, as in `pi --help | head -1`."""


def main() -> None:
    """Run `pi` with `sys.argv` and leave the process with its exit code."""
    if sys.version_info < MINIMUM:
        sys.exit(f"pi needs Python 3.11 or newer, this is {sys.version.split()[0]} ({sys.executable})")
    forget_current_directory()
    # Collecting while hundreds of modules are loaded finds nothing and costs a tenth of the start; the mode ends it.
    gc.disable()
    sys.argv[0] = "pi"
    try:
        code = run(sys.argv[1:])
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        # Python flushes stdout once more while it ends: give it a place where that cannot fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = READER_GONE
    sys.exit(code)


def forget_current_directory() -> None:
    """Take the caller's directory off the import path: it may hold a `core/` or a `tools/` of its own.

    The `pi` script starts Python isolated (-I), where it never was on the path: this covers `python -m pi_tui.boot`.
    Our own source tree stays: an editable installation put it there.
    """
    if sys.flags.isolated:
        return
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        here = os.getcwd()
    except FileNotFoundError:
        here = ""
    sys.path[:] = [entry for entry in sys.path if os.path.isabs(entry) and (entry != here or entry == own)]


def run(args: list[str]) -> int:
    """Carry out `pi` with the words `args`; returns the exit code. Mistakes go to stderr as one line, code 1."""
    from core import __version__
    from pi_tui.flags import CommandLineError, complain, help_text, parse

    if args[:1] == ["auth"]:
        from pi_tui import auth

        gc.enable()
        return auth.run(args[1:])
    try:
        line = parse(args)
        if line.switch("version"):
            print(__version__)
        elif line.switch("help"):
            print(help_text())
        else:
            from pi_tui import first_frame

            try:
                if first_frame.wanted(line):
                    first_frame.show()
                from pi_tui.cli import start

                return start(line)
            finally:
                first_frame.hide()
    except CommandLineError as error:
        complain(str(error))
        return 1
    return 0


if __name__ == "__main__":
    main()
