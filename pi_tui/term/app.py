"""The base of our app: runs on `TerminalDriver` and does not paint faster than the terminal takes it."""

from typing import Any, Generic, TypeVar

from textual.app import App
from textual.driver import Driver
from textual.screen import Screen
from textual.theme import Theme

from pi_tui.term.driver import MAX_DEPTH, TerminalDriver
from pi_tui.term.messages import TerminationRequested

ReturnT = TypeVar("ReturnT")


class TerminalApp(App[ReturnT], Generic[ReturnT], inherit_css=False):
    """An app that keeps the terminal's own colours (16 ANSI colours, default background, NO_COLOR without any).

    Of Textual's style sheet for apps it takes only what is used here, for a faster start. Subclasses may handle
    `TerminalBackground` (choose a palette) and `TerminationRequested` (save before `exit`).
    """

    DEFAULT_CSS = """
    App { background: ansi_default; color: ansi_default; }
    *:disabled:can-focus { opacity: 0.7; }
    """

    def __init__(self) -> None:
        # decided here and not by the theme: only then NO_COLOR means no colour instead of greys
        super().__init__(ansi_color=True)

    def get_driver_class(self) -> type[Driver]:
        return TerminalDriver

    def use_css_theme(self, theme: Theme) -> None:
        """Take the style sheet's variables from `theme`. Before the app runs that is free; later it paints anew."""
        self.register_theme(theme)
        if self.is_running:
            self.theme = theme.name
            return
        self.set_reactive(App.theme, theme.name)
        shade = {"-dark-mode": theme.dark, "-light-mode": not theme.dark}
        self.update_classes({f"-theme-{theme.name}": True, **shade}, update=False)
        self.stylesheet.set_variables(self.get_css_variables())

    @property
    def queue_depth(self) -> int:
        """Paints that the terminal has not taken yet; 0 without a terminal. A frame clock slows down above 2."""
        return self._driver.queue_depth if isinstance(self._driver, TerminalDriver) else 0

    def set_window_title(self, title: str) -> None:
        """Set the terminal's window title; foreign text is made harmless. The old one returns when the app ends."""
        if isinstance(self._driver, TerminalDriver):
            self._driver.set_title(title)

    def show_typed(self, text: str) -> None:
        """Put what was typed on the early screen where it belongs. Called once at most, before the first paint."""

    def on_termination_requested(self, message: TerminationRequested) -> None:
        """A signal or a hang-up asks us to end: exit with 128 + signal number, as shells report it.

        Textual calls a subclass's handler of this name first; when that has called `exit`, this one does nothing.
        """
        if not self._exit:
            self.exit(return_code=128 + message.signum)

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        driver = self._driver
        if isinstance(driver, TerminalDriver):
            if driver.to_be_taken_over and renderable is not None and not self._batch_count:
                text = driver.take_over()
                if text:  # this frame does not show it yet, and what a person sees must not vanish in between
                    self.show_typed(text)
                    driver.owe_repaint()
                    return
            if driver.queue_depth > MAX_DEPTH:
                driver.owe_repaint()
                self.post_display_hook()
                return
        super()._display(screen, renderable)
