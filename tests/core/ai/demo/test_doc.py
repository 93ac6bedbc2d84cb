"""docs/demo-model.md tells the truth: every form is there, and each example makes the calls that it lists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.ai.demo.forms import FORMS
from core.ai.demo.talk import help_text
from core.ai.messages import ToolCall
from tests.core.ai.demo.driver import Talk, write_files

PAGE = Path(__file__).parents[4] / "docs" / "demo-model.md"
FILES = {
    "package.json": '{"name": "hello", "main": "hello.mjs", "scripts": {"test": "exit 0"}}',
    "hello.mjs": "// Says hello.\nconst a = 1;\nconsole.log('hello');\n",
    "notes.txt": "alpha\n",
    "src/part.mjs": "",
}


def rows() -> list[tuple[str, str, str]]:
    """The cells of the table."""
    cells = [
        re.split(r"(?<!\\) ?\| ?", line)[1:4]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line[:1] == "|"
    ]
    return [(form, example, calls.replace("\\|", "|")) for form, example, calls in cells[2:]]


def described(call: ToolCall) -> str:
    path = call.arguments.get("path") or call.arguments["command"]
    extra = "".join(f", {key} {call.arguments[key]}" for key in ("offset", "limit") if key in call.arguments)
    return f"`{call.name} {path}{extra}`"


@pytest.mark.parametrize(("form", "example", "calls"), rows(), ids=[row[1] for row in rows()])
async def test_an_example_makes_the_calls_that_it_lists(tmp_path: Path, form: str, example: str, calls: str) -> None:
    talk = Talk(write_files(tmp_path, FILES))
    await talk.ask(example)
    turns = [" & ".join(described(call) for call in reply.tool_calls) for reply in talk.replies if reply.tool_calls]
    assert (" → ".join(turns) or "no calls") == calls


def test_the_table_has_every_form_and_no_other() -> None:
    assert {row[0] for row in rows()} == {form.usage for form in FORMS} | {"help"}


def test_help_explains_its_letters_as_the_page_does() -> None:
    for letter in "FGDWABTPC":
        assert f"`{letter}`" in PAGE.read_text(encoding="utf-8")
        assert re.search(rf"\b{letter}\b", help_text())
