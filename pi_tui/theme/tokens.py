"""The names of colours: what a colour is for, not which one it is. They are the 56 tokens of pi's theme files."""

from typing import Final, Literal, TypeAlias, get_args

Token: TypeAlias = Literal[
    "accent",
    "border",
    "borderAccent",
    "borderMuted",
    "success",
    "error",
    "warning",
    "muted",
    "dim",
    "text",
    "thinkingText",
    "scrollbarTrack",
    "scrollbarThumb",
    "selectedBg",
    "searchMatchBg",
    "searchMatchText",
    "userMessageBg",
    "userMessageText",
    "customMessageBg",
    "customMessageText",
    "customMessageLabel",
    "toolPendingBg",
    "toolSuccessBg",
    "toolErrorBg",
    "toolTitle",
    "toolOutput",
    "mdHeading",
    "mdLink",
    "mdLinkUrl",
    "mdCode",
    "mdCodeBlock",
    "mdCodeBlockBorder",
    "mdQuote",
    "mdQuoteBorder",
    "mdHr",
    "mdListBullet",
    "toolDiffAdded",
    "toolDiffRemoved",
    "toolDiffContext",
    "syntaxComment",
    "syntaxKeyword",
    "syntaxFunction",
    "syntaxVariable",
    "syntaxString",
    "syntaxNumber",
    "syntaxType",
    "syntaxOperator",
    "syntaxPunctuation",
    "thinkingOff",
    "thinkingMinimal",
    "thinkingLow",
    "thinkingMedium",
    "thinkingHigh",
    "thinkingXhigh",
    "thinkingMax",
    "bashMode",
]

TOKENS: Final[tuple[Token, ...]] = get_args(Token)

FALLBACKS: Final[dict[Token, Token]] = {
    "scrollbarTrack": "muted",
    "scrollbarThumb": "borderMuted",
    "searchMatchBg": "selectedBg",
    "searchMatchText": "text",
    "thinkingMax": "thinkingXhigh",
}
"""Tokens that a palette may leave out -> the token whose colour they then have. All others are required."""

BACKGROUNDS: Final[frozenset[Token]] = frozenset(token for token in TOKENS if token.endswith("Bg"))
"""Tokens that colour the background; the rest colour text and lines."""

ATTRIBUTES: Final[dict[Token, str]] = {
    "thinkingText": "italic",
    "toolTitle": "bold",
    "customMessageLabel": "bold",
    "mdHeading": "bold",
    "mdLink": "underline",
    "mdQuote": "italic",
    "syntaxComment": "italic",
    "searchMatchText": "bold",
}
"""What a token has besides its colour, in every theme, so that meaning does not hang on colour alone."""

LOW_COLOR_ATTRIBUTES: Final[dict[Token, str]] = {
    "muted": "dim",
    "dim": "dim",
    "thinkingText": "dim italic",
    "borderMuted": "dim",
    "mdLinkUrl": "dim",
    "mdCodeBlockBorder": "dim",
    "mdQuoteBorder": "dim",
    "mdHr": "dim",
    "mdCode": "bold",
    "toolDiffContext": "dim",
    "syntaxComment": "dim italic",
    "syntaxKeyword": "bold",
    "error": "bold",
    "warning": "bold",
    "selectedBg": "reverse",
    "searchMatchBg": "reverse",
    "userMessageText": "bold",
}
"""What replaces `ATTRIBUTES` where there are 16 colours or none and shades cannot tell things apart."""
