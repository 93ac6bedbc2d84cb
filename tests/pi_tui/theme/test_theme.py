"""Tokens, palettes and what becomes of them."""

import subprocess
import sys
from collections.abc import Mapping

import pytest
from rich.cells import cell_len
from rich.color import Color as RichColor
from rich.console import Console
from textual.app import ComposeResult
from textual.color import Color
from textual.theme import BUILTIN_THEMES
from textual.widgets import Static, TextArea

from pi_tui.term.app import TerminalApp
from pi_tui.theme import (
    BACKGROUNDS,
    STATUS,
    TOKENS,
    Depth,
    Theme,
    built_in,
    color_depth,
    current_theme,
    dark_background,
    style_of,
    use_theme,
)
from pi_tui.theme.palettes import DARK, LIGHT
from pi_tui.theme.tokens import FALLBACKS, Token

ALL = [(dark, depth) for dark in (True, False) for depth in ("full", "ansi", "none")]
LEAST = {"dim", "mdLinkUrl", "mdCodeBlockBorder", "mdQuoteBorder", "mdHr"}
LINES = {token for token in TOKENS if token.startswith(("border", "thinking", "scrollbar"))} - {"thinkingText"}


def luminance(color: str) -> float:
    """Relative luminance of `#rrggbb` as WCAG 2 defines it."""
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4 for value in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("palette", "plain"), [(DARK, ["#000000", "#1e1e1e"]), (LIGHT, ["#ffffff", "#fafafa"])])
def test_text_can_be_read(palette: Mapping[Token, str], plain: list[str]) -> None:
    painted = [palette[token] for token in palette if token in BACKGROUNDS and token != "searchMatchBg"]
    for token, color in palette.items():
        if token in BACKGROUNDS or not color:
            continue
        if token == "searchMatchText":
            assert contrast(color, palette["searchMatchBg"]) >= 4.5
            continue
        for background in plain if token in LINES else plain + painted:
            assert contrast(color, background) >= (3 if token in LINES | LEAST else 4.5), (token, background)


@pytest.mark.parametrize(("dark", "depth"), ALL)
def test_every_token_has_a_style(dark: bool, depth: Depth) -> None:
    theme = built_in(dark, depth)
    assert set(theme.styles) == set(TOKENS)
    for token, style in theme.styles.items():
        shown = style.bgcolor if token in BACKGROUNDS else style.color
        hidden = style.color if token in BACKGROUNDS else style.bgcolor
        assert hidden is None
        assert (shown is None) == (theme.color(token) == "")


def test_sixteen_colours_use_only_the_terminals_own_and_no_colour_none() -> None:
    for dark in (True, False):
        for style in built_in(dark, "ansi").styles.values():
            assert style.bgcolor is None
            assert style.color is None or (style.color.number or 0) < 8
        assert all(style.color is style.bgcolor is None for style in built_in(dark, "none").styles.values())
    assert built_in(False, "ansi")["warning"].color != RichColor.parse("yellow")


@pytest.mark.parametrize("depth", ["ansi", "none"])
def test_without_shades_attributes_tell_things_apart(depth: Depth) -> None:
    theme = built_in(True, depth)
    assert theme["muted"].dim
    assert theme["selectedBg"].reverse
    assert theme["error"].bold
    assert theme["mdLink"].underline
    assert not built_in(True)["muted"].dim


def test_a_palette_may_leave_out_tokens_that_have_a_fallback() -> None:
    colors = {token: color for token, color in DARK.items() if token not in FALLBACKS}
    theme = Theme("x", True, "full", colors)
    assert theme.color("thinkingMax") == DARK["thinkingXhigh"]
    assert theme.color("searchMatchBg") == DARK["selectedBg"]
    with pytest.raises(KeyError):
        Theme("x", True, "full", {})


def test_the_theme_in_force() -> None:
    before = current_theme()
    try:
        use_theme(built_in(False))
        assert style_of("error") == built_in(False)["error"]
    finally:
        use_theme(before)


def test_no_state_is_told_by_colour_alone() -> None:
    assert len({mark.glyph for mark in STATUS.values()}) == len({mark.word for mark in STATUS.values()}) == len(STATUS)
    assert all(cell_len(mark.glyph) == 1 for mark in STATUS.values())


@pytest.mark.parametrize(
    ("environ", "depth"),
    [
        ({"TERM": "xterm-256color"}, "full"),
        ({"TERM": "xterm-kitty"}, "full"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "full"),
        ({"TERM": "xterm"}, "ansi"),
        ({"TERM": "linux"}, "ansi"),
        ({}, "ansi"),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, "none"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "none"),
    ],
)
def test_colour_depth(environ: dict[str, str], depth: Depth) -> None:
    assert color_depth(environ) == depth
    if "NO_COLOR" not in environ:
        shown = Console(force_terminal=True, _environ=environ).color_system
        assert {"full": shown in ("256", "truecolor"), "ansi": shown == "standard", "none": shown is None}[depth]


@pytest.mark.parametrize(
    ("value", "dark"),
    [("15;0", True), ("0;15", False), ("0;default;15", False), ("7;8", True), ("", None), ("x;y", None)],
)
def test_background_from_the_environment(value: str, dark: bool | None) -> None:
    assert dark_background({"COLORFGBG": value}) is dark


def test_every_variable_that_textual_lets_an_ansi_theme_set_is_set() -> None:
    theirs = BUILTIN_THEMES["ansi-dark"].variables.keys() | BUILTIN_THEMES["ansi-light"].variables.keys()
    assert theirs <= built_in(True).textual().variables.keys()


class Shown(TerminalApp[None]):
    CSS = "#box { background: $pi-userMessageBg; color: $pi-userMessageText; border: round $pi-accent; }"

    def __init__(self, theme: Theme) -> None:
        self._shown = theme
        super().__init__()

    def compose(self) -> ComposeResult:
        yield Static("text", id="box")
        yield TextArea("text")

    def on_mount(self) -> None:
        self.register_theme(self._shown.textual())
        self.theme = self._shown.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return self._shown.textual().variables


@pytest.mark.parametrize(("dark", "depth"), ALL)
async def test_widgets_get_the_same_colours(dark: bool, depth: Depth) -> None:
    theme = built_in(dark, depth)
    async with Shown(theme).run_test() as pilot:
        box = pilot.app.query_one("#box")
        wanted = theme.color("userMessageBg")
        assert box.styles.background == Color.parse(wanted or "ansi_default")
        assert pilot.app.screen.styles.background.ansi == -1  # the terminal's own


async def test_no_color_leaves_no_colour_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with Shown(built_in(True, "none")).run_test() as pilot:
        strips = pilot.app.screen._compositor.render_strips()
        styles = [
            segment.style for strip in strips for segment in strip.apply_filter(pilot.app._filters[-1], Color(0, 0, 0))
        ]
        colors = [color for style in styles if style is not None for color in (style.color, style.bgcolor) if color]
        assert colors
        assert all(color.is_default for color in colors)


def test_tokens_load_without_rich_and_textual() -> None:
    code = "import sys, pi_tui.theme; print(sorted({'textual', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.strip() == "[]"
