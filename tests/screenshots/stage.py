"""Plays a scene in the real app, with real tools in a folder of its own, and takes the picture.

Only time is not real: timers stand still, a finished call took a tenth of a second, and the demo model, which estimates
its tokens from the prompt, is given round figures.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from unittest.mock import patch

from textual.pilot import Pilot

from core.agent.events import MessageEnd, MessageStart, ToolExecutionEnd
from core.ai.demo import DemoProvider
from core.ai.messages import AssistantMessage, ToolResultMessage, Usage
from core.ai.provider import Provider
from core.ai.script import Pace
from core.ai.scripted import ScriptedProvider
from core.session.events import SessionEvent
from pi_tui import wiring
from pi_tui.app import PiApp
from pi_tui.keys import load_keymap
from pi_tui.model import State
from pi_tui.options import Options
from tests.screenshots.picture import DARK, LIGHT, Picture, picture_of
from tests.screenshots.scenes import Idle, Press, Scene, Type, Wait

PATIENCE = 30.0
"""Seconds after which a scene that does not come to its end is given up."""

PAUSE, SAME = 0.05, 8
"""A picture that is the same for so many pauses of so many seconds is final."""

NOW = 1_000.0
TOOK_MS = 100
DEMO_USAGE = Usage(input=1_500, output=100, total_tokens=1_600)
AT_ONCE = Pace(chars=10_000)
MODELS = {
    "sketch": {
        "name": "Sketch",
        "baseUrl": "/script.json",
        "api": "scripted",
        "apiKey": "-",
        "models": [{"id": "pencil-1"}],
    },
    "ollama": {
        "name": "Ollama",
        "baseUrl": "http://127.0.0.1:11434/v1",
        "api": "openai-completions",
        "apiKey": "-",
        "models": [{"id": "qwen3-coder:30b", "name": "Qwen3 Coder"}, {"id": "gpt-oss:20b", "name": "GPT-OSS"}],
    },
}


class SceneError(AssertionError):
    """A scene did not come to what it waited for."""


class SceneApp(PiApp):
    """The app with its clock stopped."""

    def _new_state(self) -> State:
        state = super()._new_state()
        state.clock = lambda: NOW
        return state

    def _on_event(self, event: SessionEvent) -> None:
        super()._on_event(_steady(event))


def _steady(event: SessionEvent) -> SessionEvent:
    if isinstance(event, ToolExecutionEnd) and event.duration_ms is not None:
        return event.model_copy(update={"duration_ms": TOOK_MS})
    if not isinstance(event, MessageStart | MessageEnd):
        return event
    message = event.message
    if isinstance(message, ToolResultMessage) and message.duration_ms is not None:
        return event.model_copy(update={"message": message.model_copy(update={"duration_ms": TOOK_MS})})
    if isinstance(message, AssistantMessage) and message.provider == "demo":
        return event.model_copy(update={"message": message.model_copy(update={"usage": DEMO_USAGE})})
    return event


async def play(scene: Scene) -> Picture:
    """Return the picture of a scene. Raises SceneError."""
    with tempfile.TemporaryDirectory(prefix="pi-scene-") as root:
        home = Path(root)
        async with _stage(scene, home) as (app, pilot):
            for step in scene.steps:
                await _do(app, pilot, step)
            picture = await _settled(app, pilot, scene)
        missing = [text for text in scene.shows if text not in picture.text]
        if missing:
            raise SceneError(f"scene {scene.name} does not show {missing}:\n{picture.text}")
        return picture


async def _settled(app: PiApp, pilot: Pilot[int], scene: Scene) -> Picture:
    """The picture once it stays the same: what is loaded late (colours of code, say) has come."""
    picture, same = None, 0
    for _ in range(round(PATIENCE / PAUSE)):
        strips = app.screen._compositor.render_strips()
        new = picture_of(strips, scene.size[0], LIGHT if scene.light else DARK)
        same = same + 1 if new == picture else 0
        picture = new
        if same == SAME:
            return picture
        await pilot.pause(PAUSE)
    raise SceneError(f"scene {scene.name} does not come to rest")


@asynccontextmanager
async def _stage(scene: Scene, home: Path) -> AsyncGenerator[tuple[PiApp, Pilot[int]]]:
    folder = home / "projects" / "sample"
    folder.mkdir(parents=True)
    for name, text in scene.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    agent_dir = home / ".pi" / "agent"
    agent_dir.mkdir(parents=True)
    if scene.replies is not None:
        (agent_dir / "models.json").write_text(json.dumps({"providers": MODELS}), encoding="utf-8")
    with patch.dict(os.environ, _environment(scene, home), clear=True):
        provider: Provider = DemoProvider(pace=AT_ONCE)
        if scene.replies is not None:
            provider = ScriptedProvider(scene.replies, pace=AT_ONCE)
        model = None if scene.replies is None else "sketch/pencil-1"
        options = Options(mode="interactive", cwd=folder, model=model, no_session=True)
        with patch.object(wiring, "provider_for", lambda api: provider):
            wired = wiring.wire(options, demo_without_model=True)
            app = SceneApp(wired, keymap=load_keymap("", ""))
            async with app.run_test(size=scene.size) as pilot:
                try:
                    await pilot.pause()
                    yield app, pilot
                finally:
                    wired.conductor.interrupt()
                    await wired.conductor.close()


def _environment(scene: Scene, home: Path) -> dict[str, str]:
    environment = {
        "HOME": str(home),
        "PI_CODING_AGENT_DIR": str(home / ".pi" / "agent"),
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "COLORFGBG": "0;15" if scene.light else "15;0",
    }
    return {**environment, "NO_COLOR": "1"} if scene.colourless else environment


async def _do(app: PiApp, pilot: Pilot[int], step: Type | Press | Wait | Idle) -> None:
    if isinstance(step, Type):
        await pilot.press(*("space" if char == " " else char for char in step.text))
    elif isinstance(step, Press):
        await pilot.press(step.key)
    elif isinstance(step, Wait):
        await _until(pilot, lambda: step.text in _screen(app), step.text)
    else:
        conductor = app._conductor
        await _until(pilot, lambda: bool(conductor.messages) and not conductor.busy, "the end of the run")


def _screen(app: PiApp) -> str:
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def _until(pilot: Pilot[int], condition: Callable[[], bool], what: str) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await pilot.pause(0.02)
    except TimeoutError:
        raise SceneError(f"{what!r} did not come in {PATIENCE:g} seconds") from None
