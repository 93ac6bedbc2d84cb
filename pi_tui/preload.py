"""Loading ahead, once the first frame stands, what the first prompt and its answer need.

It happens in a thread while the person reads and types. Without it the first Enter would hold up the event loop for
half a second, and the request would leave one to two seconds later.
"""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Final

from core.ai.daemon_thread import in_daemon_thread
from core.ai.registry import preload
from core.ai.wire import WireModel
from pi_tui.render import warm_up

SWITCH: Final = 0.001
"""Seconds that the event loop waits at most when the loading thread has the interpreter (Python's default is 0.005)."""

_FIRST: Final = ("core.agent.loop", "pi_tui.prompt_parts", "aiofiles.os")
"""What a prompt needs before anything is sent."""
_LAST: Final = ("jsonschema", "core.ai.retry", "pi_tui.overlays.picker")
"""What tool calls, failures and dialogs need."""


async def load_ahead(api: str) -> None:
    """Load what a first prompt over the wire format `api` needs, in the order in which it is needed."""
    with _in_the_background():
        await in_daemon_thread(lambda: _import(_FIRST))
        await in_daemon_thread(build_validators)
        await preload(api)
        await in_daemon_thread(warm_up)
        await in_daemon_thread(lambda: _import(_LAST))


def build_validators() -> None:
    """Build the validators of messages and events, which their classes put off until first use."""
    for model in _below(WireModel):
        model.model_rebuild()


def _below(model: type[WireModel]) -> Iterator[type[WireModel]]:
    for child in model.__subclasses__():
        yield child
        yield from _below(child)


def _import(names: tuple[str, ...]) -> None:
    for name in names:
        importlib.import_module(name)


@contextmanager
def _in_the_background() -> Generator[None]:
    """Let the event loop come first: short turns, and no search for garbage among thousands of new objects."""
    interval, collecting = sys.getswitchinterval(), gc.isenabled()
    sys.setswitchinterval(SWITCH)
    gc.disable()
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        if collecting:
            gc.freeze()  # what was loaded stays for the life of the process
            gc.enable()
