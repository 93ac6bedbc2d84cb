"""The text of all scenes at three widths; `python -m tests.pi_tui.render.golden` writes what is drawn now.

Look at the difference before you commit it: it is what people will see.
"""

from __future__ import annotations

from pathlib import Path

from pi_tui.model import Block
from pi_tui.render import Context, view_of
from pi_tui.theme import Theme, built_in
from tests.pi_tui.render.scenes import SCENES

FOLDER = Path(__file__).parent / "golden"
WIDTHS = (40, 80, 120)


def rows_of_block(block: Block, width: int, *, expanded: bool = False, theme: Theme | None = None) -> list[str]:
    """The rows of a block, with what fills its background marked by a bar at the end."""
    context = Context(width, theme or built_in(dark=True), clock=lambda: 0.0)
    view = view_of(block, context, gap=False, expanded=expanded)
    lines = [line for index in range(len(view.pieces)) for line in view.rows(index, context)]
    return [f"{line.text:{width}}▏" if line.fill else line.text.rstrip() for line in lines]


def drawn(name: str) -> str:
    """All that is compared of one scene: collapsed at each width, then expanded where that differs."""
    block = SCENES[name]
    out = []
    for width in WIDTHS:
        collapsed, expanded = (rows_of_block(block, width, expanded=expanded) for expanded in (False, True))
        out.append(f"=== {width} cells\n" + "\n".join(collapsed))
        if expanded != collapsed:
            out.append(f"=== {width} cells, expanded\n" + "\n".join(expanded))
    return "\n".join(out) + "\n"


def main() -> None:
    """Write all files anew."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name in SCENES:
        (FOLDER / f"{name}.txt").write_text(drawn(name), encoding="utf-8")


if __name__ == "__main__":
    main()
