"""What README.md says can be done can be done: its commands, files, keys and configurations are real."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.ai.catalog import CATALOG_FILE
from core.config.auth_json import read_auth
from core.config.models_json import read_models
from pi_tui.commands import COMMANDS
from pi_tui.flags import parse
from pi_tui.keys import ACTIONS, load_keymap

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL = [
    line.split("  #")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    for line in block.splitlines()
]
JSON = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)


def code_of(text: str) -> list[str]:
    """The texts between backticks."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


@pytest.mark.parametrize("line", [line for line in SHELL if re.match(r"(?:.* \| )?pi\b", line)])
def test_a_pi_command_line_is_understood(line: str) -> None:
    arguments = line.rpartition("| ")[2].removeprefix("pi")
    assert parse([word.strip('"') for word in re.findall(r"\"[^\"]*\"|\S+", arguments)]) is not None


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"\bmake ([a-z]+)", " ".join([*SHELL, *code_of(TEXT)])):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_options_exist() -> None:
    for option in {word for text in code_of(TEXT) for word in text.split() if word.startswith("--")}:
        if option in ("--jinja", "--enable-auto-tool-choice", "--tool-call-parser"):
            continue
        assert parse([option, "x"]) is not None, option


def test_files_and_folders_exist() -> None:
    paths = [
        text
        for text in code_of(TEXT)
        if re.fullmatch(r"(?:core|tools|pi_tui|tests|docs)(?:/[\w./]+)?", text) and "NAME" not in text
    ]
    links = re.findall(r"\]\(([^):]+)\)", TEXT)
    assert len(paths) > 10
    for path in [*paths, *links]:
        assert (ROOT / path).exists(), path


def test_keys_do_what_the_table_says() -> None:
    known = {key for action in ACTIONS for key in action.keys}
    rows = [line.split("|")[1] for line in TEXT.partition("| Key |")[2].split("\n\n")[0].splitlines()[2:]]
    keys = [key for row in rows for key in code_of(row)]
    assert len(keys) > 15
    assert set(keys) <= known


def test_commands_are_all_named() -> None:
    (line,) = [line for line in TEXT.splitlines() if line.startswith("Commands: ")]
    assert re.findall(r"`/(\w+)`", line) == [command.name for command in COMMANDS]


def test_the_keybinding_is_accepted() -> None:
    (example,) = [text for text in code_of(TEXT) if text.startswith('{ "app.')]
    assert load_keymap(example, "keybindings.json").warnings == ()


def test_the_configurations_are_accepted(tmp_path: Path) -> None:
    auth, models = JSON
    (tmp_path / "auth.json").write_text(auth)
    (tmp_path / "auth.json").chmod(0o600)
    (tmp_path / "models.json").write_text(models)
    stored = read_auth(tmp_path / "auth.json")
    assert not stored.warnings
    custom = read_models(tmp_path / "models.json", frozenset())
    assert not custom.warnings
    assert "qwen3-coder:30b" in models


def test_named_key_variables_are_known() -> None:
    catalog = CATALOG_FILE.read_text(encoding="utf-8")
    for name in re.findall(r"\b[A-Z]+_(?:API_KEY|BASE_URL)\b", TEXT):
        assert f'"{name}"' in catalog
