"""What blocks look like, as text."""

import pytest

from tests.pi_tui.render.golden import FOLDER, drawn
from tests.pi_tui.render.scenes import SCENES


@pytest.mark.parametrize("name", SCENES)
def test_a_block_looks_as_agreed(name: str) -> None:
    expected = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert drawn(name) == expected, "if this is meant: python -m tests.pi_tui.render.golden, then look at the diff"


def test_no_file_without_its_scene() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == set(SCENES)
