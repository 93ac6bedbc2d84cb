"""`python -m tests.screenshots [--check] [NAME…]`: draw the scenes into `screenshots/`, or tell which are stale."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from tests.screenshots.png import NoPng, Painter
from tests.screenshots.scenes import SCENES
from tests.screenshots.stage import play
from tests.screenshots.svg import svg_of

FOLDER = Path(__file__).parents[2] / "screenshots"


async def draw(names: list[str]) -> None:
    """Draw the scenes of these names, all without any."""
    FOLDER.mkdir(exist_ok=True)
    painter = None
    try:
        painter = Painter()
    except NoPng as error:
        print(f"Only SVG files are drawn. {error}", file=sys.stderr)
    for scene in SCENES:
        if names and scene.name not in names:
            continue
        picture = await play(scene)
        svg, path = svg_of(picture, scene.title), FOLDER / f"{scene.name}.svg"
        same = path.exists() and path.read_text(encoding="utf-8") == svg
        path.write_text(svg, encoding="utf-8")
        png = FOLDER / f"{scene.name}.png"
        if painter:
            png.write_bytes(painter.png_of(picture))
        print(f"{'same   ' if same else 'drawn  '} {path.name}")


async def check(names: list[str]) -> int:
    """Print the scenes whose SVG file is not what would be drawn now; return how many."""
    stale = 0
    for scene in SCENES:
        if names and scene.name not in names:
            continue
        path = FOLDER / f"{scene.name}.svg"
        current = path.read_text(encoding="utf-8") if path.exists() else ""
        if current != svg_of(await play(scene), scene.title):
            print(f"out of date: {path.name}")
            stale += 1
    return stale


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__)
    parser.add_argument("--check", action="store_true", help="draw nothing; exit 1 when a picture is out of date")
    parser.add_argument("names", nargs="*", help="scenes; all without any")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - {scene.name for scene in SCENES}
    if unknown:
        parser.error(f"no such scene: {', '.join(sorted(unknown))}")
    if arguments.check:
        stale = asyncio.run(check(arguments.names))
        print(
            f"{stale} of {len(arguments.names or SCENES)} are out of date" if stale else "All pictures are up to date."
        )
        return 1 if stale else 0
    asyncio.run(draw(arguments.names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
