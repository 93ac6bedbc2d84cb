"""The transcript beside a prompt, in a real terminal, doing one thing and reporting what it cost as JSON.

python -m tests.perf.transcript_app REPORT burst|stream|open:MESSAGES|idle
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from pathlib import Path

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import TextArea

from core.agent.events import MessageEnd, MessageStart, MessageUpdate
from core.ai.messages import AssistantMessage, TextContent, Usage
from core.ai.stream import TextDelta, TextStart
from core.session.events import SessionEvent
from pi_tui.model import State, fold_messages, reduce
from pi_tui.render import warm_up
from pi_tui.term.app import TerminalApp
from pi_tui.theme import built_in
from pi_tui.transcript import TranscriptView
from tests.perf.mixed_markdown import mixed_markdown
from tests.pi_tui.transcript.sessions import long_session

USAGE = Usage()
cpu = time.process_time


def resident() -> float:
    """Megabytes of this process in memory."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


class Pane(Vertical):
    """A container that paints nothing of its own: Textual repaints each one with every change inside it."""

    BLANK = True


class Bench(TerminalApp[None]):
    """Opens a session, then runs the scenario that its first argument names."""

    CSS = """
    #top { height: 1fr; }
    #bottom { height: 4; }
    TextArea { height: 4; border: none; }
    """

    def __init__(self, report: Path, scenario: str) -> None:
        super().__init__()
        self.report, self.scenario = report, scenario
        self.figures: dict[str, float] = {}
        kind, _, count = scenario.partition(":")
        messages = long_session(int(count)) if kind == "open" else []
        if kind != "open":
            warm_up()
        begun = cpu()
        self.state = fold_messages(messages, State.with_header(("accent", "pi"), ("muted", "keys")))
        self.view = TranscriptView(self.state, built_in(dark=True), backlog=lambda: self.queue_depth)
        self._opened = begun

    def compose(self) -> ComposeResult:
        with Pane(id="top"):
            yield self.view
        with Pane(id="bottom"):
            yield TextArea()

    def on_ready(self) -> None:
        self.figures["open_cpu"] = cpu() - self._opened
        self.query_one(TextArea).cursor_blink = False
        self.query_one(TextArea).focus()
        self.run_worker(self.run_scenario())

    def feed(self, event: SessionEvent) -> None:
        self.view.apply(reduce(self.state, event))

    async def run_scenario(self) -> None:
        await asyncio.sleep(0.5)
        kind = self.scenario.partition(":")[0]
        before, memory = cpu(), resident()
        if kind == "burst":
            await self.reply(mixed_markdown(200_000), 5_000, 0.0)
        elif kind == "stream":
            await self.reply(mixed_markdown(200_000)[:10_000], 500, 0.02)
        elif kind == "idle":
            await asyncio.sleep(3)
        else:
            await self.use()
        self.figures |= {"cpu": cpu() - before, "memory": resident() - memory}
        self.report.write_text(json.dumps(self.figures), encoding="ascii")
        self.exit()

    async def reply(self, text: str, deltas: int, pause: float) -> None:
        """Stream `text` in so many deltas, `pause` seconds apart on an absolute schedule; 0: as fast as they go."""
        size = len(text) // deltas
        self.feed(MessageStart(message=AssistantMessage(stop_reason="pending")))
        self.feed(MessageUpdate(usage=USAGE, assistant_message_event=TextStart(content_index=0)))
        begun, late, fifths = time.monotonic(), [0.0], [cpu()]
        for number in range(deltas):
            if pause:
                due = begun + number * pause
                await asyncio.sleep(max(due - time.monotonic(), 0))
                late.append(time.monotonic() - due)
            elif number % 8 == 0:
                await asyncio.sleep(0)
            piece = text[number * size : (number + 1) * size]
            self.feed(MessageUpdate(usage=USAGE, assistant_message_event=TextDelta(content_index=0, delta=piece)))
            if (number + 1) % (deltas // 5) == 0:
                fifths.append(cpu())
        self.feed(MessageEnd(message=AssistantMessage(content=(TextContent(text=text[: deltas * size]),))))
        await asyncio.sleep(0.1)  # the longest that a frame may be put off
        self.figures |= {
            "wall": time.monotonic() - begun,
            "late_p95": statistics.quantiles(late, n=20)[-1] if pause else 0.0,
            "first_fifth": fifths[1] - fifths[0],
            "last_fifth": fifths[-1] - fifths[-2],
        }

    async def use(self) -> None:
        """Type, page up, resize: the CPU of each, painting included."""
        area = self.query_one(TextArea)
        self.figures["key_cpu"] = await self.cost(20, lambda: area.post_message(events.Key("a", "a")))
        self.figures["page_cpu"] = await self.cost(20, self.view.action_page_up)
        self.figures["top_cpu"] = await self.cost(1, self.view.action_to_top)
        self.figures["end_cpu"] = await self.cost(1, self.view.action_to_bottom)

    async def cost(self, times: int, action: object) -> float:
        assert callable(action)
        begun = cpu()
        for _ in range(times):
            action()
            await asyncio.sleep(0.04)
        return (cpu() - begun) / times


if __name__ == "__main__":
    Bench(Path(sys.argv[1]), sys.argv[2]).run()
