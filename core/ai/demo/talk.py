"""What the guide says without looking at anything: who it is, help, greetings, and that it did not understand."""

from __future__ import annotations

import re
from difflib import get_close_matches

from core.ai.demo.forms import FORMS, usages
from core.ai.demo.language import sorry_in, tidied
from core.ai.demo.plan import clip, code, join
from core.ai.demo.slots import looks_like_file, path_of

HOW_TO_ADD = (
    "To talk to a real one, set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or name a local server in "
    "`~/.pi/agent/models.json`, and start `pi` again."
)
INTRODUCTION = (
    "*I am Guide, a script and not a language model: I follow fixed rules, but the tools I use and the files I read "
    f"are real. {HOW_TO_ADD} Say `help` for what I understand.*"
)

LOOKED_AT = 500
"""Characters of a message that is not understood which are searched for hints."""

_HELP = re.compile(
    r"help|h|\?+|commands|usage|what\s+(?:can|do)\s+you\s+(?:do|understand|know|support)(?:\s+.*)?"
    r"|how\s+(?:do|can)\s+i\s+(?:use\s+(?:you|pi)|talk\s+to\s+you)|what\s+(?:can|should|could)\s+i\s+(?:say|ask|type|do|try)(?:\s+.*)?",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"(?:hi|hello|hey|hallo|howdy|yo|greetings|good\s+(?:morning|afternoon|evening|day))(?:\s+(?:there|guide|pi))?"
    r"|how\s+are\s+you(?:\s+\w+)?|test(?:ing)?\s+1.*",
    re.IGNORECASE,
)
_IDENTITY = re.compile(
    r"who\s+are\s+you|what\s+are\s+you|what(?:'s|\s+is)\s+your\s+name|(?:what|which)\s+(?:ai\s+|language\s+)?model\s+(?:are|is)\s+(?:you|this)"
    r"|are\s+you\s+(?:a\s+|an\s+)?(?:real|ai|bot|human|robot|llm|(?:language\s+)?model|person|claude|gpt|chatgpt)(?:\s+.*)?",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"(?:many\s+)?thank(?:s|\s+you)?(?:\s+.*)?|thx|great|nice|cool|good(?:\s+job)?|perfect|ok(?:ay)?|yes|no|bye|goodbye|exit|quit",
    re.IGNORECASE,
)
_STOP = re.compile(
    r"(?:stop|halt|cancel|abort|quit|enough|never\s*mind|forget\s+(?:it|that)|leave\s+it|don't|no)(?:\s+(?:it|that|this|now|here|everything))?",
    re.IGNORECASE,
)
_CONTINUE = re.compile(r"(?:continue|go\s+on|carry\s+on|resume|keep\s+going|try\s+again|retry|again)", re.IGNORECASE)


def small_talk(text: str) -> str | None:
    """Return the answer to a greeting, a question about the guide itself or a request for help, else None."""
    words = tidied(text.strip()) or text.strip()
    if _HELP.fullmatch(words):
        return help_text()
    if _IDENTITY.fullmatch(words):
        return f"I am Guide, the demo model of pi: a script, not a language model. {HOW_TO_ADD}"
    if _GREETING.fullmatch(words):
        return "Hello. Say `explain the project` and I look at this folder; `help` lists what else I understand."
    if _THANKS.fullmatch(words):
        return "Good. `help` lists what I understand."
    return None


def wants_stop(text: str) -> bool:
    """True when the words only say that work should end."""
    return bool(_STOP.fullmatch(tidied(text.strip()) or text.strip()))


def wants_more(text: str) -> bool:
    """True when the words only say that work should go on."""
    return bool(_CONTINUE.fullmatch(tidied(text.strip()) or text.strip()))


def help_text() -> str:
    """Return the list of forms."""
    rows = "\n".join(f"- {code(usage)}" for usage in usages())
    return (
        f"I understand these forms:\n\n{rows}\n\n"
        "(F, G: files, D: a folder, W: words, A, B, T: texts, P: a name pattern, C: a command.) "
        "Quotes or backticks around a text keep it as it is. Several forms can be joined with “then”. "
        "While I work you can add a message; I take it up in my next turn."
    )


def not_understood(text: str) -> str:
    """Return the admission that the words have no form that is known, with what could be said instead."""
    ideas = suggestions(text)
    sorry = sorry_in(text[:LOOKED_AT])
    said = f"I do not understand {code(clip(text, 80))}: I am a script that knows a few plain English forms."
    return (
        f"{sorry + ' ' if sorry else ''}{said} Try {join([code(idea) for idea in ideas], 'or')}; `help` lists them all."
    )


def suggestions(text: str) -> list[str]:
    """Return up to three sentences that would be understood, near to what was said."""
    words = text[:LOOKED_AT].split()
    ideas: list[str] = []
    files = [path_of(bare) for word in words if looks_like_file(bare := word.strip(".,;:!?()"))]
    if files:
        ideas += [f"read {files[0]}", f"summarise {files[0]}"]
    verbs = {form.usage.split()[0]: form.usage for form in reversed(FORMS)}
    for word in words[:6]:
        near = get_close_matches(word.casefold(), verbs, n=1, cutoff=0.75)
        ideas += [verbs[verb] for verb in near]
    return list(dict.fromkeys([*ideas, "explain the project", "list files", "search TODO"]))[:3]
