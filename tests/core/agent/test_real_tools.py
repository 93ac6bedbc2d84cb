"""The real tools and their lock under the real loop."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from core.ai.script import Call, call, say
from tests.core.agent.rig import Rig, label, text_of
from tools.registry import coding_tools
from tools.shared.lock import MutationLock

DONE = say("done")


def rig_in(folder: Path, *calls: Call) -> tuple[Rig, MutationLock]:
    lock = MutationLock()
    return Rig(say("", *calls), DONE, tools=coding_tools(folder, lock=lock)), lock


def edit(number: int, old: str, new: str) -> Call:
    return call("edit", {"path": "a.txt", "edits": [{"oldText": old, "newText": new}]}, id=str(number))


async def test_calls_of_one_reply_that_touch_one_file_take_effect_in_their_order(tmp_path: Path) -> None:
    rig, lock = rig_in(
        tmp_path,
        call("write", {"path": "a.txt", "content": "0\n"}, id="0"),
        *(edit(number, str(number - 1), str(number)) for number in range(1, 8)),
        call("bash", {"command": "cat a.txt; echo end >> a.txt"}, id="8"),
        call("read", {"path": "./a.txt"}, id="9"),
    )
    await rig.agent.prompt("user")
    results = rig.results()
    assert [label(result) for result in results] == [f"r{number}" for number in range(10)]
    assert text_of(results[8]).startswith("7")
    assert text_of(results[9]).startswith("7\n")
    assert len(lock) == 0


async def test_an_abort_stops_commands_and_what_waits_for_them(tmp_path: Path) -> None:
    rig, lock = rig_in(
        tmp_path,
        call("bash", {"command": "echo begun; sleep 300 & sleep 300"}, id="1"),
        call("write", {"path": "a.txt", "content": "x"}, id="2"),
        call("bash", {"command": "sleep 300"}, id="3"),
    )
    begun = asyncio.Event()
    rig.on("tool_execution_update", lambda event: begun.set() if "begun" in str(event) else None, times=99)
    running = asyncio.create_task(rig.agent.prompt("user"))
    await asyncio.wait_for(begun.wait(), 20)
    stopped = time.monotonic()
    rig.agent.abort()
    await asyncio.wait_for(running, 20)
    assert time.monotonic() - stopped < 5
    assert [label(result) for result in rig.results()] == ["r1!", "r2!", "r3!"]
    assert text_of(rig.results()[1]) == "Aborted: the call was not run."
    assert not (tmp_path / "a.txt").exists()
    assert rig.sequence.endswith("TE TS A(aborted) TE AE")
    await asyncio.sleep(0)
    assert len(lock) == 0
