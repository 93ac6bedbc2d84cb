"""A theme: the colours in force, as Rich styles for renderers and as a Textual theme for widgets."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from pi_tui.theme.palettes import ANSI, ANSI_LIGHT, DARK, LIGHT, NO_COLOR
from pi_tui.theme.tokens import ATTRIBUTES, BACKGROUNDS, FALLBACKS, LOW_COLOR_ATTRIBUTES, TOKENS, Token

if TYPE_CHECKING:
    from rich.style import Style
    from textual.theme import Theme as TextualTheme

Depth: TypeAlias = Literal["full", "ansi", "none"]
"""Shades (256 colours or more, which Rich brings down as needed), the terminal's own 16 colours, or none."""


class Theme:
    """`theme["error"]` is the Rich style of a token; `theme.color("error")` its colour.

    `name` is unique among themes, `dark` says for which background it is made. Rich is imported on the first style,
    Textual on the first call of `textual`.
    """

    def __init__(self, name: str, dark: bool, depth: Depth, colors: Mapping[Token, str]) -> None:
        self.name = name
        self.dark = dark
        self.depth = depth
        self._colors = {token: colors[token if token in colors else FALLBACKS[token]] for token in TOKENS}

    def color(self, token: Token) -> str:
        """`#rrggbb`, `ansi_<name>` or "" for the terminal's default."""
        return self._colors[token]

    @cached_property
    def styles(self) -> Mapping[Token, Style]:
        """Rich styles of all tokens. Tokens that end in `Bg` set the background, the others the foreground."""
        from rich.style import Style

        attributes = ATTRIBUTES if self.depth == "full" else {**ATTRIBUTES, **LOW_COLOR_ATTRIBUTES}
        styles: dict[Token, Style] = {}
        for token, color in self._colors.items():
            words = attributes.get(token, "").split()
            if color:
                words += ["on"] * (token in BACKGROUNDS) + [color.removeprefix("ansi_")]
            styles[token] = Style.parse(" ".join(words))
        return styles

    def __getitem__(self, token: Token) -> Style:
        return self.styles[token]

    def textual(self) -> TextualTheme:
        """The Textual theme of the same name. Each token is a CSS variable: `$pi-accent`, `$pi-userMessageBg`.

        Background and text stay the terminal's own. Needs an app with native ANSI colours (`TerminalApp`).
        """
        from textual.theme import Theme as TextualTheme

        css = {token: color or "ansi_default" for token, color in self._colors.items()}
        low = self.depth != "full"
        return TextualTheme(
            name=self.name,
            dark=self.dark,
            ansi=True,
            primary=css["accent"],
            secondary=css["border"],
            accent=css["accent"],
            warning=css["warning"],
            error=css["error"],
            success=css["success"],
            foreground="ansi_default",
            background="ansi_default",
            surface="ansi_default",
            panel="ansi_default",
            boost="ansi_default",
            variables={
                **{f"pi-{token}": color for token, color in css.items()},
                "ansi-background": "ansi_black" if self.dark else "ansi_white",
                "ansi-foreground": "ansi_white" if self.dark else "ansi_black",
                "border": css["borderAccent"],
                "border-blurred": css["borderMuted"],
                "text-muted": css["muted"],
                "text-disabled": css["dim"],
                "foreground-muted": css["muted"],
                "block-cursor-foreground": css["text"],
                "block-cursor-background": css["selectedBg"],
                "block-cursor-text-style": "reverse" if low else "bold",
                "block-cursor-blurred-foreground": css["text"],
                "block-cursor-blurred-background": css["selectedBg"],
                "block-hover-background": "ansi_default",
                "input-cursor-foreground": "ansi_default",
                "input-cursor-background": "ansi_default",
                "input-cursor-text-style": "reverse",
                "input-selection-foreground": css["text"],
                "input-selection-background": css["selectedBg"],
                "screen-selection-foreground": css["text"],
                "screen-selection-background": css["selectedBg"],
                "scrollbar": css["scrollbarThumb"],
                "scrollbar-hover": css["scrollbarThumb"],
                "scrollbar-active": css["accent"],
                "scrollbar-background": "ansi_default",
                "scrollbar-background-hover": "ansi_default",
                "scrollbar-background-active": "ansi_default",
                "scrollbar-corner-color": "ansi_default",
                "link-color": css["mdLink"],
                "link-color-hover": css["accent"],
                "link-background-hover": "ansi_default",
            },
        )


def built_in(dark: bool, depth: Depth = "full") -> Theme:
    """The built-in theme for a background and a colour depth: `pi-dark`, `pi-ansi-light`, `pi-none-dark` and so on."""
    shade = "dark" if dark else "light"
    match depth:
        case "full":
            return Theme(f"pi-{shade}", dark, depth, DARK if dark else LIGHT)
        case "ansi":
            return Theme(f"pi-ansi-{shade}", dark, depth, ANSI if dark else ANSI_LIGHT)
        case "none":
            return Theme(f"pi-none-{shade}", dark, depth, NO_COLOR)
