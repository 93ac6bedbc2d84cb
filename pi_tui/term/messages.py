"""What the terminal tells the app beyond Textual's own events."""

from textual.message import Message


class TerminalBackground(Message, bubble=False):
    """The terminal's background colour, in answer to the question asked at start. Channels are 0 to 255."""

    def __init__(self, red: int, green: int, blue: int) -> None:
        super().__init__()
        self.rgb = (red, green, blue)

    @property
    def dark(self) -> bool:
        """Whether light text is the readable one on this background."""
        red, green, blue = self.rgb
        return 0.299 * red + 0.587 * green + 0.114 * blue < 128


class QueriesAnswered(Message, bubble=False):
    """The terminal has answered all that it was asked at start."""


class TerminationRequested(Message, bubble=False):
    """A signal (SIGTERM, SIGHUP, SIGINT) or the loss of the terminal asks the program to end."""

    def __init__(self, signum: int) -> None:
        super().__init__()
        self.signum = signum
