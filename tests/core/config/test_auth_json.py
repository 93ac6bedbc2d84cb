"""Stored credentials."""

import json
from pathlib import Path

from core.config.auth_json import read_auth


def write(folder: Path, content: object, mode: int = 0o600) -> Path:
    path = folder / "auth.json"
    path.write_text(json.dumps(content))
    path.chmod(mode)
    return path


def test_keys_and_logins(tmp_path: Path) -> None:
    stored = read_auth(
        write(
            tmp_path,
            {
                "anthropic": {"type": "api_key", "key": "$X", "env": {"X": "secret-x", "n": 1}},
                "openai": {"type": "oauth", "access": "secret-a", "refresh": "secret-r", "expires": 1},
            },
        )
    )
    assert stored.keys["anthropic"].key == "$X"
    assert stored.keys["anthropic"].env == {"X": "secret-x"}
    assert stored.logins == {"openai"}
    assert stored.warnings == ()
    assert "secret" not in repr(stored)


def test_entries_that_are_not_understood_are_told_without_their_content(tmp_path: Path) -> None:
    path = write(tmp_path, {"a": {"type": "api_key", "key": ""}, "b": "secret", "c": {"type": "x", "key": "secret"}})
    stored = read_auth(path)
    assert stored.keys == {}
    text = " ".join(map(str, stored.warnings))
    assert all(f'"{name}"' in text for name in "abc")
    assert "secret" not in text


def test_a_file_that_others_can_read_is_told(tmp_path: Path) -> None:
    (warning,) = read_auth(write(tmp_path, {"a": {"type": "api_key", "key": "k"}}, 0o644)).warnings
    assert "chmod 600" in str(warning)


def test_no_file_and_a_broken_one(tmp_path: Path) -> None:
    assert read_auth(tmp_path / "none").warnings == ()
    path = tmp_path / "auth.json"
    path.write_text('{"anthropic": {"key": "secret-key"')
    text = str(read_auth(path).warnings[0])
    assert str(path) in text
    assert "secret" not in text
