"""One block of each kind, as it stands in a session."""

from __future__ import annotations

from core.agent.tools import ToolResult
from core.ai.messages import ImageContent, TextContent, UserContent
from core.ai.wire import Json
from pi_tui.model import (
    Block,
    CustomBlock,
    HeaderBlock,
    NoticeBlock,
    ShellBlock,
    SummaryBlock,
    TextBlock,
    TextBuffer,
    ThinkingBlock,
    ToolBlock,
    ToolStatus,
    UserBlock,
)

MARKDOWN = """# A heading that is long enough to be wrapped on a narrow screen

Some **strong**, *soft* and ~~struck~~ text with `code` in it.
A line break is kept. See [the docs](https://example.com/docs) or https://example.com/x, both work.

- first item, which is long enough to need a second row on a narrow screen
- second
  - nested
1. one
2. two

> A quote that is long enough to be wrapped.
>
> - with a list

```python
def area(points: list[Point]) -> float:
    return sum(p.x * 0.5 for p in points)  # a comment that goes on and on until it does not fit any more
```

    indented code

| Name | Rows | What it is for |
|------|-----:|:--------------:|
| `Flow` | 230 | geometry, measured on sight |
| 表格 | 7 | 宽字符 |

---

![a picture](pic.png) and 中文，见 https://a.b/c。然后 ⚠️ 👩‍💻 done
"""
DIFF = """\
 10 def area(points):
-11     return sum(p.x * 0.5 for p in points)
+11     return sum(p.x for p in points)
 12"""
OUTPUT = "\n".join(f"line {number} of the output" for number in range(1, 13))


def tool(
    name: str,
    status: ToolStatus = "ok",
    text: str = "",
    *,
    details: Json = None,
    duration_ms: int | None = None,
    partial: str = "",
    **arguments: Json,
) -> ToolBlock:
    """A tool call; a running one started 7 seconds before time 0."""
    content: tuple[UserContent, ...] = (TextContent(text=text),) if text else ()
    block = ToolBlock("call_1", name, status=status, arguments=arguments, content=content, details=details)
    block.duration_ms = duration_ms
    if partial:
        block.partial = ToolResult.text(partial)
    if status == "running":
        block.started_at = -7.0
    return block


def streaming(name: str, arguments_text: str) -> ToolBlock:
    """A call whose arguments are still arriving."""
    block = ToolBlock("call_1", name)
    block.arguments_text.append(arguments_text)
    return block


SCENES: dict[str, Block] = {
    "header": HeaderBlock((("accent", "pi 1.6.0"), ("muted", "escape interrupt · / commands · ctrl+o expand"))),
    "user": UserBlock("Explain this, please.\n\n    exactly as typed, however long the line is", ("image/png",)),
    "text": TextBlock(TextBuffer(MARKDOWN), final=True),
    "thinking": ThinkingBlock(TextBuffer("The person wants to know **why**. I look at the tests first."), final=True),
    "bash": tool("bash", text=OUTPUT, command="make test", duration_ms=1840),
    "bash-running": tool("bash", "running", command="sleep 60 && make test", partial="collected 12 items\n"),
    "bash-failed": tool("bash", "error", f"{OUTPUT}\n\nThe command ended with exit status 2.", command="make"),
    "bash-silent": tool("bash", command="true", duration_ms=4, text="(no output)"),
    "bash-stopped": tool("bash", "aborted", "Aborted: the call was not run.", command="sleep 300"),
    "read": tool("read", text="import os\n\nprint(os.name)\n", path="src/main.py", offset=10, limit=40),
    "read-failed": tool("read", "error", "File not found: src/nowhere.py", path="src/nowhere.py"),
    "write": tool("write", text="Wrote it.", path="plan.md", content="\n".join(["# Plan", *OUTPUT.split("\n")])),
    "write-arriving": streaming("write", '{"path": "a.py", "content": "import os\\nimport s'),
    "edit": tool("edit", text="Replaced 1 block.", path="src/area.py", details={"diff": DIFF, "patch": ""}),
    "edit-wanted": tool("edit", "pending", path="a.py", edits=[{"oldText": "a = 1", "newText": "a = 2\nb = 3"}]),
    "other": tool("weather", text=OUTPUT, city="Reykjavík", days=3, options={"units": ["C", "m/s"]}),
    "shell": ShellBlock("git status --short", "M a.py\n?? b.py", 1),
    "shell-excluded": ShellBlock("true", "", 0, excluded=True),
    "compaction": SummaryBlock("compaction", "## Goal\n\nFix the test.", 48_210),
    "branch": SummaryBlock("branch", "Tried another way."),
    "custom": CustomBlock("note", "An extension **says** hello."),
    "info": NoticeBlock("info", "Copied 12 lines"),
    "warning": NoticeBlock("warning", "tmux: extended keys are off, so Shift+Enter is Enter here"),
    "error": NoticeBlock("error", "Error: 529 overloaded_error: Overloaded", transient=False),
    "image-result": ToolBlock(
        "call_1",
        "read",
        status="ok",
        arguments={"path": "a.png"},
        content=(ImageContent(data="", mime_type="image/png"),),
    ),
}
