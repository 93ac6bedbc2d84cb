"""The composition root: settings, models, tools, prompt and session put together for one start of `pi`."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path

from core.agent.tools import AgentTool
from core.ai.abort import AbortSignal
from core.ai.messages import ThinkingLevel
from core.ai.model import Model, ModelRequest, RequestOptions
from core.ai.provider import Provider, stream_response
from core.ai.registry import provider_for
from core.ai.stream import StreamEvent
from core.config.models import ModelRegistry
from core.config.paths import ConfigPaths
from core.config.settings import Settings
from core.config.trust import project_trust
from core.session.agent_session import AgentSession, SessionConfig
from core.session.locate import SessionNotFound, SessionPlace, open_session
from core.session.retry import RetryPolicy
from core.session.store import SessionFileError, SessionStore
from core.session.tree import branch_state, path_to
from pi_tui.conductor import Conductor
from pi_tui.errors import StartError
from pi_tui.options import Options
from tools import coding_tools

NO_MODEL = (
    "No model is configured. Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or describe a provider in {models}. "
    "To see pi at work without one: --model demo/guide"
)


@dataclass(frozen=True, slots=True)
class Wired:
    """What a mode starts with. `notices` are warnings for the person, one line each.

    `options` are the command line's, with the working directory of the session that is gone on with.
    """

    options: Options
    conductor: Conductor
    settings: Settings
    paths: ConfigPaths
    notices: tuple[str, ...]


def wire(options: Options, *, demo_without_model: bool) -> Wired:
    """Put everything together for one start. Raises StartError.

    With `demo_without_model` the demo model stands in when no other can be used; without, that is an error.
    """
    composer = Composer(options)
    store = composer.open_store()
    home = Path(store.header.cwd or options.cwd)
    if home != options.cwd:
        if not home.is_dir():
            raise StartError(
                f"The folder of this session no longer exists: {home}. Start a new one, or make the folder."
            )
        options = replace(options, cwd=home)
        composer = Composer(options)
        composer.notices.append(f"This session belongs to {home}: tools work there")
    model, level = composer.first_model(store, demo_without_model=demo_without_model)
    session = composer.session(store, model, level)
    return Wired(options, Conductor(composer, session), composer.settings, composer.paths, tuple(composer.notices))


class Composer:
    """Makes sessions; the conductor asks it for new ones and for models."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._providers: dict[str, Provider] = {}
        self.paths = ConfigPaths.of(options.cwd)
        own = Settings.load(self.paths)
        trusted, problem = project_trust(self.paths, default=own.default_project_trust)
        self.trusted = trusted is True
        self.settings = Settings.load(self.paths, trusted=True) if self.trusted else own
        self.registry = ModelRegistry.load(self.paths, self.settings, api_key=options.api_key)
        found = [*self.settings.warnings, *([problem] if problem else []), *self.registry.warnings]
        self.notices = [str(warning) for warning in found]
        if not self.trusted:
            what, where = self.paths.project_dir, self.paths.trust
            self.notices.append(f"What {what} brings is not loaded: the project is not trusted (see {where})")

    # Sessions

    def open_store(self) -> SessionStore:
        """Return the session that the command line asks for."""
        options, place = self._options, self._place()
        if options.no_session:
            return place.new(on_disk=False)
        try:
            if options.session is not None:
                return open_session(place.find(options.session), place)
            newest = place.newest() if options.continue_ else None
            return place.new() if newest is None else open_session(newest, place)
        except (SessionNotFound, SessionFileError) as error:
            raise StartError(str(error)) from error
        except OSError as error:
            raise StartError(f"The session cannot be opened: {error}") from error

    def new_session(self, model: Model) -> AgentSession:
        """Return an empty session."""
        store = self._place().new(on_disk=not self._options.no_session)
        return self.session(store, model, self._level(model))

    def session(self, store: SessionStore, model: Model, level: ThinkingLevel) -> AgentSession:
        """Return a session over `store`."""
        settings = self.settings
        session: AgentSession | None = None

        def environment() -> dict[str, str]:
            assert session is not None
            path = session.store.path
            return {
                "PI_SESSION_ID": session.store.header.id,
                "PI_SESSION_FILE": "" if path is None else str(path),
                "PI_PROVIDER": session.model.provider,
                "PI_MODEL": session.model.id,
                "PI_REASONING_LEVEL": session.thinking_level,
            }

        tools = self._chosen(coding_tools(self._options.cwd, session_env=environment))
        today = date.today()

        def sections() -> Mapping[str, str]:
            from pi_tui.prompt_parts import prompt_parts  # asked for before each run, not at start

            return prompt_parts(self._options, self.paths, tools, today, trusted=self.trusted)

        retry = RetryPolicy(
            settings.retry_enabled,
            settings.retry_max_retries,
            settings.retry_base_delay_ms / 1000,
            settings.retry_max_delay_ms / 1000,
        )
        config = SessionConfig(
            model=model,
            stream=self._stream,
            tools=tools,
            thinking_level=level,
            prompt_sections=sections,
            options=RequestOptions(
                session_id=store.header.id,
                thinking_budgets=settings.thinking_budgets,
                timeout=settings.http_idle_timeout,
                cache_retention="long" if os.environ.get("PI_CACHE_RETENTION") == "long" else "short",
            ),
            retry=retry,
            steering_mode="all" if settings.steering_mode == "all" else "one-at-a-time",
            follow_up_mode="all" if settings.follow_up_mode == "all" else "one-at-a-time",
        )
        session = AgentSession(store, config)
        return session

    def _place(self) -> SessionPlace:
        folder = self._options.session_dir or self.paths.session_folder(self.settings.session_dir)
        return SessionPlace(folder or self.paths.sessions, self._options.cwd, flat=folder is not None)

    # Models

    def first_model(self, store: SessionStore, *, demo_without_model: bool) -> tuple[Model, ThinkingLevel]:
        """Return what to start with: the command line's, else the session's, else the default. Raises StartError."""
        state = branch_state(path_to(store.leaf, store.by_id))
        model: Model | None = None
        level: ThinkingLevel | None = None
        used = ""
        if self._options.model is not None:
            model, level = self._find(self._options.model, self._options.provider)
        elif state.provider and state.model_id:
            used = f"{state.provider}/{state.model_id}"
            model = self.registry.usable(used)
        model = model or self.registry.default()
        if model is None and demo_without_model:
            model = self.registry.demo
        if model is None:
            raise StartError("\n".join([*self.notices, NO_MODEL.format(models=self.paths.models)]))
        if used and model.ref != used:
            self.notices.append(f"The model of this session, {used}, cannot be used; it goes on with {model.ref}")
        saved = state.thinking_level if store.entries else None
        return model, self._level(model, self._options.thinking or level or saved)

    def find_model(self, pattern: str) -> Model:
        """Return the model a person means. Raises StartError."""
        return self._find(pattern, None)[0]

    def models(self) -> Sequence[Model]:
        """Return the models that can be used now."""
        return self.registry.available()

    def _find(self, pattern: str, provider: str | None) -> tuple[Model, ThinkingLevel | None]:
        found = self.registry.find(pattern, provider)
        if found is None:
            where = f" of {provider}" if provider else ""
            raise StartError(f"No model{where} matches {pattern!r}. `/model` lists those that can be used.")
        if found.warning:
            self.notices.append(found.warning)
        return found.model, found.level

    def _level(self, model: Model, wanted: str | None = None) -> ThinkingLevel:
        return self.registry.level_for(model, wanted)

    async def _stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncGenerator[StreamEvent, None]:
        """Answer a request with the credentials of the moment."""
        credentials = await self.registry.credentials(request.model)
        options = replace(request.options, api_key=credentials.api_key, headers=credentials.headers)
        api = request.model.api
        if api not in self._providers:
            self._providers[api] = provider_for(api)
        provider = self._providers[api]
        async with aclosing(stream_response(provider, replace(request, options=options), signal)) as events:
            async for event in events:
                yield event

    # Tools

    def _chosen(self, tools: Sequence[AgentTool]) -> tuple[AgentTool, ...]:
        """Return the tools that settings and command line leave. Raises StartError for a name that does not exist."""
        options = self._options
        names = [tool.name for tool in tools]
        chosen = [] if options.no_tools else self._default_tools(names)
        if options.tools is not None:
            base = [] if options.no_tools else chosen
            unknown = _unknown(options.tools, names)
            if unknown:
                raise StartError(f"--tools: there is no tool {unknown[0]!r}; there are {', '.join(names)}")
            chosen = _selected(names, base, options.tools)
        chosen = [name for name in chosen if not any(fnmatchcase(name, wrong) for wrong in options.exclude_tools)]
        return tuple(tool for tool in tools if tool.name in chosen)

    def _default_tools(self, names: list[str]) -> list[str]:
        wanted = self.settings.default_tools
        if wanted is None:
            return names
        unknown = _unknown(wanted, names)
        if unknown:
            self.notices.append(
                f"defaultTools in settings.json names tools that do not exist here: {', '.join(unknown)}"
            )
        return _selected(names, names, [name for name in wanted if name not in unknown])


def _only_changes(wanted: Sequence[str]) -> bool:
    return all(name.startswith(("+", "-")) for name in wanted)


def _unknown(wanted: Sequence[str], known: Sequence[str]) -> list[str]:
    return [name for name in wanted if not any(fnmatchcase(tool, name.lstrip("+-")) for tool in known)]


def _selected(known: Sequence[str], base: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Return the known names that are wanted: either a list (with `*`), or changes (`+x`, `-y`) of `base`."""
    if not _only_changes(wanted):
        return [name for name in known if any(fnmatchcase(name, pattern) for pattern in wanted)]
    chosen = set(base)
    for change in wanted:
        matching = {name for name in known if fnmatchcase(name, change[1:])}
        chosen = chosen | matching if change[0] == "+" else chosen - matching
    return [name for name in known if name in chosen]
