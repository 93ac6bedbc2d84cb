"""Plain words: politeness taken off, several wishes in one sentence told apart, other languages recognised."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_POLITE = re.compile(
    r"""(?:
        (?:[-*•]|\d{1,3}[.)])\s+
      | (?:hey|hi|hello|ok(?:ay)?|alright|so|well|now|next|then|also|and|but|first(?!\s+\d)|finally|lastly|afterwards
           |instead|please|kindly|just|quickly|guide|pi|actually|maybe|perhaps|after\ that)\b[\s,:!.]*
      | (?:can|could|would|will)\s+you\s+(?:please\s+|kindly\s+|maybe\s+)?
      | no[,.!]+\s+ | would\s+you\s+mind\s+
      | i(?:\s+would|'d|’d)\s+like\s+(?:you\s+)?to\s+ | i\s+(?:want|need)\s+(?:you\s+)?to\s+
      | (?:let\s+us|let's|let’s)\s+ | go\s+ahead\s+and\s+ | try\s+to\s+ | help\s+me\s+(?:to\s+)?
      | you\s+(?:should|can|could|may|must)\s+(?:now\s+)?
    )(?=\S)""",
    re.IGNORECASE | re.VERBOSE,
)
_POLITE_END = re.compile(
    r"(?:^|[\s,;]{1,3})(?:please|for me|thanks?(?: you)?(?: very much| a lot)?|right now|now|again|as well|too|instead"
    r"|first|if you (?:can|could|would|please)|will you|ok(?:ay)?)$",
    re.IGNORECASE,
)
_END_MARKS = " \t\r\n.!?,;:…"
_ATTACHED = re.compile(r"<file\s+name=\"?([^\">]*)\"?[^>]*>.*?</file>", re.DOTALL)
_QUOTES = re.compile(
    r"```.*?```|``.+?``|`[^`\n]*`|\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|(?<!\w)'[^'\n]*'(?!\w)|(?<!\w)‘[^’\n]*’(?!\w)",
    re.DOTALL,
)


def without_attachments(text: str) -> tuple[str, list[str]]:
    """Return the text without the files that were attached to it, and their names."""
    return _ATTACHED.sub("", text).strip(), _ATTACHED.findall(text)


def opened_politely(text: str) -> str:
    """Return `text` without the polite words at its start, of which nobody says many."""
    start = 0
    for _ in range(12):
        match = _POLITE.match(text, start)
        if match is None:
            break
        start = match.end()
    return text[start:].strip()


def tidied(text: str) -> str:
    """Return `text` without polite words and punctuation at its end; a text that is nothing else keeps its words."""
    text = re.sub(r"(?<=\w)’(?=s\b)", "'", text.rstrip(_END_MARKS) or text)
    while match := _POLITE_END.search(text, max(0, len(text) - 60)):
        shorter = text[: match.start()].rstrip(_END_MARKS)
        if not shorter:
            break
        text = shorter
    return text


def unquoted(text: str) -> str:
    """Return `text` without one pair of quotes, backticks or a code fence around it."""
    text = text.strip()
    if fenced := re.fullmatch(r"```[^\n`]*\n(.*?)\n?```", text, re.DOTALL):
        return fenced.group(1)
    for left, right in ("``", '""', "''", "“”", "‘’", "«»", "„“", "„”"):
        if len(text) > 1 and text.startswith(left) and text.endswith(right):
            inner = text[1:-1]
            if left not in inner and right not in inner:
                return inner
    return text


def pieces(text: str, separator: re.Pattern[str]) -> list[str]:
    """Split `text` at the separators that stand outside of quotes."""
    quotes = [match.span() for match in _QUOTES.finditer(text)]
    out, start = [], 0
    for match in separator.finditer(text):
        if not any(left < match.end() and match.start() < right for left, right in quotes):
            out.append(text[start : match.start()])
            start = match.end()
    out.append(text[start:])
    return [piece.strip() for piece in out if piece.strip(" .,;!?\n")]


SEPARATORS: Sequence[re.Pattern[str]] = (
    re.compile(r"\n{1,4}(?:[ \t]{0,4}(?:[-*•]|\d{1,3}[.)])[ \t]{1,4})?"),
    re.compile(r"[.!?;] {1,3}(?=[A-Z])| ?; {1,3}"),
    re.compile(r" ?[,;.]?\s{1,3}(?:and\s{1,3})?(?:then|after that|afterwards|finally) ?,?\s{1,3}", re.IGNORECASE),
    re.compile(r" ?,?\s{1,3}and\s{1,3}(?:also\s{1,3})?(?=[a-z]+\s)", re.IGNORECASE),
    re.compile(r" ?,\s{1,3}"),
)
"""Where one wish may end and another begin, in the order in which they are tried."""


def split_wishes(text: str, understood: Callable[[str], bool]) -> list[str]:
    """Return the wishes of `text` in order: split only where every piece is understood on its own."""
    for separator in SEPARATORS:
        parts = pieces(text, separator)
        if len(parts) > 1:
            split = [wish for part in parts for wish in split_wishes(part, understood)]
            if all(understood(part) for part in split):
                return split
    return [text]


# Other languages

_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("uk", re.compile(r"[іїєґІЇЄҐ]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
)
_WORDS = {
    "de": "und der die das ist nicht bitte zeige zeig mir was datei dateien erkläre projekt dieses welche lies liste",
    "fr": "le les des est une dans ce cette quels quel montre moi liste fichier fichiers projet explique lis bonjour",
    "es": "el los las una qué que este esta muestra lista archivo archivos proyecto explica hola favor lee cuáles dime",
    "pt": "o os uma que este esta mostra mostre lista arquivo arquivos projeto explique olá favor leia quais você diga",
    "it": "il lo gli una che questo questa mostra elenca file progetto spiega ciao leggi quali per favore dimmi cosa",
    "nl": "het een niet deze toon mij wat bestand bestanden leg uit alsjeblieft welke lees geef dit",
    "pl": "jest nie proszę pokaż mi co plik pliki projekt wyjaśnij ten tego jakie przeczytaj",
    "tr": "bu bir ve lütfen göster dosya dosyaları proje nedir açıkla hangi oku listele",
}
SORRY = {
    "de": "Entschuldigung: Ich verstehe nur einfache englische Sätze.",
    "fr": "Désolé : je ne comprends que des phrases simples en anglais.",
    "es": "Lo siento: solo entiendo frases sencillas en inglés.",
    "pt": "Desculpe: só entendo frases simples em inglês.",
    "it": "Mi dispiace: capisco solo frasi semplici in inglese.",
    "nl": "Sorry: ik begrijp alleen eenvoudige Engelse zinnen.",
    "pl": "Przepraszam: rozumiem tylko proste zdania po angielsku.",
    "tr": "Üzgünüm: yalnızca basit İngilizce cümleleri anlıyorum.",
    "ru": "Извините, я понимаю только простые фразы на английском языке.",
    "uk": "Вибачте, я розумію лише прості речення англійською.",
    "ja": "すみません。簡単な英語の文しか理解できません。",
    "ko": "죄송합니다. 간단한 영어 문장만 이해할 수 있습니다.",
    "zh": "抱歉，我只能理解简单的英文句子。",
    "ar": "عذراً، أفهم الجمل الإنجليزية البسيطة فقط.",
    "hi": "क्षमा करें, मैं केवल सरल अंग्रेज़ी वाक्य समझता हूँ।",
}


def sorry_in(text: str) -> str:
    """Return an apology in the language of `text`, empty when that is English or not known."""
    for language, script in _SCRIPTS:
        if script.search(text):
            return SORRY[language]
    words = set(re.findall(r"[^\W\d_]+", text.casefold()))
    scores = {language: len(words & set(known.split())) for language, known in _WORDS.items()}
    best = max(scores, key=lambda language: scores[language])
    return SORRY[best] if scores[best] >= 2 and not words & {"the", "this", "and", "what", "please", "of"} else ""
