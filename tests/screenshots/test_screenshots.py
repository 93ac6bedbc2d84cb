"""Every scene plays to its end, shows what it is about, and is what stands in `screenshots/`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style

from tests.screenshots.__main__ import FOLDER
from tests.screenshots.picture import DARK, Run, picture_of
from tests.screenshots.scenes import SCENES, Scene
from tests.screenshots.stage import play
from tests.screenshots.svg import svg_of

README = Path(__file__).parents[2] / "README.md"


@pytest.mark.parametrize("scene", SCENES, ids=[scene.name for scene in SCENES])
async def test_the_picture_of_a_scene_is_up_to_date(scene: Scene) -> None:
    svg = svg_of(await play(scene), scene.title)
    path = FOLDER / f"{scene.name}.svg"
    drawn = path.read_text(encoding="utf-8") if path.exists() else ""
    assert drawn == svg, "out of date: `make screenshots` draws it anew; look at what changed before you commit it"


def test_there_is_a_picture_for_each_scene_and_no_other() -> None:
    names = {scene.name for scene in SCENES}
    for suffix in ("svg", "png"):
        assert {path.stem for path in FOLDER.glob(f"*.{suffix}")} == names


def test_pictures_fetch_nothing_and_run_nothing() -> None:
    for path in FOLDER.glob("*.svg"):
        text = path.read_text(encoding="utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "", 1)
        assert not re.search(r"<(?:script|image|use|style|foreignObject|a)\b|@font-face|url\(|href", text), path.name


def test_the_readme_shows_pictures_that_are_there() -> None:
    shown = re.findall(r"\]\((screenshots/[^)]+)\)", README.read_text(encoding="utf-8"))
    assert shown
    for name in shown:
        assert (README.parent / name).is_file()


def test_a_picture_holds_text_and_looks() -> None:
    red = Style.parse("bold red")
    row = [
        Segment("  a "),
        Segment("b", red),
        Segment("c", red),
        Segment(" 表 ", Style.parse("reverse")),
        Segment("   "),
    ]
    picture = picture_of([row, [Segment(" ")]], 12, DARK)
    first, second, third = picture.rows[0]
    assert first == Run("a", 2, DARK.foreground_color.hex)
    assert second == Run("bc", 4, "#e06c75", bold=True)
    assert third == Run(" 表 ", 6, DARK.background_color.hex, DARK.foreground_color.hex)
    assert picture.lines == ["  a bc 表", ""]


def test_svg_keeps_what_would_be_markup_as_text() -> None:
    picture = picture_of([[Segment('<b> & "c"')]], 20, DARK)
    svg = svg_of(picture, "<t>")
    assert '>&lt;b&gt; &amp; "c"</text>' in svg
    assert "<title>&lt;t&gt;</title>" in svg
    assert 'textLength="75.6"' in svg


def test_each_scene_says_what_it_shows() -> None:
    assert len({scene.name for scene in SCENES}) == len(SCENES)
    assert all(scene.shows and scene.title for scene in SCENES)
