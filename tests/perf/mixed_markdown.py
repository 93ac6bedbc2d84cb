"""A long document as models write them: prose, lists, code, tables, quotes."""

from __future__ import annotations

import random

WORDS = (
    "the parser keeps a small table of open blocks and closes them when an outer container ends so that every delta "
    "costs the same amount of work"
).split()


def mixed_markdown(size: int, seed: int = 1) -> str:
    """`size` characters of it."""
    random_ = random.Random(seed)

    def sentence(words: int) -> str:
        return " ".join(random_.choice(WORDS) for _ in range(words)).capitalize() + "."

    out: list[str] = []
    length = 0
    while length < size:
        choice, number = random_.random(), len(out)
        if choice < 0.45:
            block = " ".join(sentence(random_.randint(6, 16)) for _ in range(random_.randint(1, 4)))
            block = block.replace("table", "`table`").replace("outer", "**outer**")
        elif choice < 0.6:
            block = "\n".join(f"- {sentence(8)} See [it](https://a.b)." for _ in range(random_.randint(3, 7)))
        elif choice < 0.7:
            block = f"## Section {number}"
        elif choice < 0.9:
            functions = (
                f'def f_{number}_{inner}(value: int) -> str:\n    """{sentence(5)}"""\n    return f"{{value}}" + "x"\n'
                for inner in range(random_.randint(1, 6))
            )
            block = "```python\n" + "\n".join(functions) + "```"
        elif choice < 0.95:
            rows = (f"| a{row} | `{row * row}` | {sentence(4)} |" for row in range(random_.randint(2, 6)))
            block = "| name | value | note |\n|---|---|---|\n" + "\n".join(rows)
        else:
            block = f"> {sentence(12)}"
        out.append(block)
        length += len(block) + 2
    return "\n\n".join(out)[:size]
