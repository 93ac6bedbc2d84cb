"""The conductor: the only caller of the session, for every mode. Commands go down through it, events come up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

from core.agent.events import EventBase
from core.ai.messages import AgentMessage, AssistantMessage, UserMessage
from core.ai.model import Model
from core.ai.sdk_clients import close_clients
from core.ai.wire import Json
from core.session.agent_session import AgentSession
from core.session.events import SessionEvent


class Composition(Protocol):
    """What the conductor asks of the composition root."""

    def new_session(self, model: Model) -> AgentSession:
        """Return an empty session with `model`."""
        ...

    def find_model(self, pattern: str) -> Model:
        """Return the model a person means. Raises StartError with what to do."""
        ...

    def models(self) -> Sequence[Model]:
        """Return the models that can be used now."""
        ...


Listener = Callable[[SessionEvent], Awaitable[None] | None]


class Conductor:
    """Holds the current session. Listeners stay subscribed when the session is replaced."""

    def __init__(self, composition: Composition, session: AgentSession) -> None:
        self.composition = composition
        self._session = session
        self._listeners: list[Listener] = []
        self._unsubscribe = session.subscribe(self._deliver)

    # What is known

    @property
    def busy(self) -> bool:
        """True while anything runs or waits to run."""
        return self._session.busy

    @property
    def model(self) -> Model:
        """The model of the next request."""
        return self._session.model

    @property
    def messages(self) -> Sequence[AgentMessage]:
        """The transcript as the model will read it."""
        return self._session.messages

    @property
    def session_id(self) -> str:
        """The id people resume by."""
        return self._session.store.header.id

    @property
    def session_file(self) -> Path | None:
        """Where the session is kept; None when it is only in memory."""
        return self._session.store.path

    @property
    def thinking_level(self) -> str:
        """The thinking level of the next request."""
        return self._session.thinking_level

    def header(self) -> dict[str, Json]:
        """Return the first record of the session file."""
        return self._session.store.header.to_wire()

    def to_wire(self, event: EventBase) -> dict[str, Json]:
        """Return pi's record of an event, while it is being delivered."""
        return self._session.to_wire(event)

    def last_reply(self) -> AssistantMessage | None:
        """Return the newest reply of the transcript."""
        return next((m for m in reversed(self.messages) if isinstance(m, AssistantMessage)), None)

    def subscribe(self, listener: Listener) -> None:
        """Call `listener(event)` for each event of whatever session is current."""
        self._listeners.append(listener)

    # Commands

    def submit(self, text: str) -> None:
        """Enter: steer while something runs, else start a run."""
        message = UserMessage.of(text)
        if self._session.busy:
            self._session.steer(message)
        else:
            self._session.follow_up(message)

    def follow_up(self, text: str) -> None:
        """Alt+Enter: give this to the model when it would stop."""
        self._session.follow_up(UserMessage.of(text))

    async def prompt(self, text: str) -> None:
        """Send `text` and return when everything is done."""
        await self._session.prompt(UserMessage.of(text))

    def interrupt(self) -> tuple[str, ...]:
        """Esc: abort, and return the texts that were waiting."""
        return self._session.interrupt()

    def take_back(self) -> tuple[str, ...]:
        """Return the texts that were waiting, without stopping anything."""
        return self._session.take_back()

    def abort(self, reason: str) -> None:
        """Stop what is going on."""
        self._session.abort(reason)

    def set_model(self, pattern: str) -> Model:
        """Use the model that `pattern` names from the next request on. Raises StartError."""
        model = self.composition.find_model(pattern)
        self._session.set_model(model)
        return model

    async def new_session(self) -> None:
        """End the current session and begin an empty one with the same model."""
        await self._session.close()
        self._unsubscribe()
        self._session = self.composition.new_session(self._session.model)
        self._unsubscribe = self._session.subscribe(self._deliver)

    async def wait_for_idle(self) -> None:
        """Return when nothing runs and nothing waits to run."""
        await self._session.wait_for_idle()

    async def close(self) -> None:
        """Stop, save what is not saved yet, and close connections. Raises OSError when it cannot be saved."""
        try:
            await self._session.close()
        finally:
            await close_clients()

    async def _deliver(self, event: SessionEvent) -> None:
        for listener in tuple(self._listeners):
            waiting = listener(event)
            if waiting is not None:
                await waiting
