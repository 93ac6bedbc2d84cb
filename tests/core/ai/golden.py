"""Comparison with recorded request bodies; `UPDATE_GOLDEN=1` writes them anew, to be reviewed by eye."""

from __future__ import annotations

import json
import os
from pathlib import Path

from core.ai.wire import Json

FOLDER = Path(__file__).with_name("golden")


def check_golden(name: str, value: Json) -> None:
    """Fail when `value` differs from `golden/<name>.json`, the order of keys included."""
    text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    path = FOLDER / f"{name}.json"
    if os.environ.get("UPDATE_GOLDEN"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
