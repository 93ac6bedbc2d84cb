"""Settings: the person's file, and over it the project's where the project is trusted.

Names, defaults and merge rules are pi's. A value of the wrong type counts as absent and is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Generic, TypeVar, cast, overload

from core.ai.messages import THINKING_LEVELS, ThinkingLevel
from core.ai.wire import Json
from core.config.json_file import ConfigWarning, read_object
from core.config.paths import ConfigPaths

T = TypeVar("T")

USER_ONLY = ("cacheWarming", "defaultProjectTrust", "httpProxy", "selfUpdateCommand")
"""Keys that a project cannot set."""

RESOURCE_LISTS = ("packages", "extensions", "skills", "prompts", "themes")
"""Lists that are loaded from both files: the person's entries first."""


class Setting(Generic[T]):
    """A typed key: `path` with dots, the value when it is absent, and what it accepts."""

    def __init__(self, path: str, default: T, accepts: Callable[[Json], bool], kind: str) -> None:
        self.path = path
        self.default = default
        self.accepts = accepts
        self.kind = kind

    @overload
    def __get__(self, settings: None, owner: type[Settings]) -> Setting[T]: ...
    @overload
    def __get__(self, settings: Settings, owner: type[Settings]) -> T: ...
    def __get__(self, settings: Settings | None, owner: type[Settings]) -> Setting[T] | T:
        if settings is None:
            return self
        value = settings.lookup(self.path)
        return self.default if value is None or not self.accepts(value) else cast(T, value)


def _flag(path: str, default: bool) -> Setting[bool]:
    return Setting(path, default, lambda value: isinstance(value, bool), "true or false")


def _text(path: str) -> Setting[str | None]:
    return Setting(path, None, lambda value: isinstance(value, str), "a text")


def _number(path: str, default: int) -> Setting[int]:
    return Setting(path, default, _is_count, "a whole number that is not negative")


def _choice(path: str, *values: str) -> Setting[str]:
    """One of `values`; the first is the default."""
    return Setting(path, values[0], lambda value: value in values, f"one of {', '.join(values)}")


def _texts(path: str) -> Setting[Sequence[str]]:
    return Setting(path, (), lambda v: isinstance(v, list) and all(isinstance(i, str) for i in v), "a list of texts")


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


class Settings:
    """The merged settings. `raw` keeps every key, known or not; `warnings` tells what was left aside."""

    default_provider = _text("defaultProvider")
    default_model = _text("defaultModel")
    enabled_models = _texts("enabledModels")
    hide_thinking_block = _flag("hideThinkingBlock", False)
    steering_mode = _choice("steeringMode", "one-at-a-time", "all")
    follow_up_mode = _choice("followUpMode", "one-at-a-time", "all")
    external_editor = _text("externalEditor")
    double_escape_action = _choice("doubleEscapeAction", "tree", "fork", "none")
    tree_filter_mode = _choice("treeFilterMode", "default", "no-tools", "user-only", "labeled-only", "all")
    default_project_trust = _choice("defaultProjectTrust", "ask", "always", "never")
    session_dir = _text("sessionDir")
    theme = _text("theme")
    editor_padding_x = _number("editorPaddingX", 0)
    output_pad = _number("outputPad", 1)
    autocomplete_max_visible = _number("autocompleteMaxVisible", 5)
    show_hardware_cursor = _flag("showHardwareCursor", False)
    fullscreen_copy_on_select = _flag("fullscreenCopyOnSelect", True)
    shell_path = _text("shellPath")
    shell_command_prefix = _text("shellCommandPrefix")
    http_proxy = _text("httpProxy")
    enable_skill_commands = _flag("enableSkillCommands", True)
    images_auto_resize = _flag("images.autoResize", True)
    images_blocked = _flag("images.blockImages", False)
    compaction_enabled = _flag("compaction.enabled", True)
    compaction_reserve_tokens = _number("compaction.reserveTokens", 16_384)
    compaction_keep_recent_tokens = _number("compaction.keepRecentTokens", 20_000)
    retry_enabled = _flag("retry.enabled", True)
    retry_max_retries = _number("retry.maxRetries", 3)
    retry_base_delay_ms = _number("retry.baseDelayMs", 2000)
    retry_max_delay_ms = _number("retry.maxAgentDelayMs", 60_000)

    def __init__(self, raw: Mapping[str, Json], warnings: Sequence[ConfigWarning] = ()) -> None:
        self.raw = dict(raw)
        self.warnings = tuple(warnings)

    @classmethod
    def load(cls, paths: ConfigPaths, *, trusted: bool = False) -> Settings:
        """Read the person's settings and, when the project is trusted, the project's. Never raises."""
        own, problem = read_object(paths.settings)
        warnings = [problem] if problem else []
        own = _migrated(own)
        warnings += _type_warnings(own, paths.settings)
        project: dict[str, Json] = {}
        if trusted:
            project, problem = read_object(paths.project_settings)
            warnings += [problem] if problem else []
            project = {key: value for key, value in _migrated(project).items() if key not in USER_ONLY}
            warnings += _type_warnings(project, paths.project_settings)
        return cls(_merged(own, project), warnings)

    def lookup(self, path: str) -> Json:
        """Return the value at a dotted path, None when it is absent."""
        value: Json = self.raw
        for key in path.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        return value

    @property
    def default_thinking_level(self) -> ThinkingLevel:
        """The level for models that have no level of their own."""
        return _level(self.lookup("defaultThinkingLevel")) or "medium"

    def thinking_level_for(self, model_ref: str) -> ThinkingLevel:
        """Return the saved level of `provider/id`, else the default level."""
        levels = self.lookup("modelThinkingLevels")
        saved = levels.get(model_ref) if isinstance(levels, dict) else None
        return _level(saved) or self.default_thinking_level

    @property
    def thinking_budgets(self) -> dict[str, int]:
        """Thinking tokens per level, only those that differ from the defaults."""
        budgets = self.lookup("thinkingBudgets")
        return {k: v for k, v in budgets.items() if _is_count(v)} if isinstance(budgets, dict) else {}

    @property
    def default_tools(self) -> Sequence[str] | None:
        """The entries of `defaultTools`, None when it is not set; a project's list of only +x and -x adds to it."""
        value = self.lookup("defaultTools")
        return [name for name in value if isinstance(name, str)] if isinstance(value, list) else None

    @property
    def http_idle_timeout(self) -> float | None:
        """Seconds of silence after which a stream is given up; None when that is disabled."""
        value = self.lookup("httpIdleTimeoutMs")
        if value == "disabled" or value == 0:
            return None
        return value / 1000 if _is_count(value) else 300.0

    @property
    def quiet_startup(self) -> bool | str:
        """False, True, or `header`: only the header is shown."""
        value = self.lookup("quietStartup")
        return value if isinstance(value, bool) or value == "header" else False


def _level(value: Json) -> ThinkingLevel | None:
    return next((level for level in THINKING_LEVELS if level == value), None)


def _type_warnings(raw: Mapping[str, Json], path: Path) -> list[ConfigWarning]:
    settings = Settings(raw)
    out: list[ConfigWarning] = []
    for setting in vars(Settings).values():
        if isinstance(setting, Setting):
            value = settings.lookup(setting.path)
            if value is not None and not setting.accepts(value):
                out.append(ConfigWarning(path, f'"{setting.path}" must be {setting.kind}; it is ignored'))
    return out


def _merged(own: Mapping[str, Json], project: Mapping[str, Json]) -> dict[str, Json]:
    out = _overlaid(own, project)
    for key in RESOURCE_LISTS:
        first, second = own.get(key), project.get(key)
        if isinstance(first, list) and isinstance(second, list):
            out[key] = [*first, *second]
    tools = project.get("defaultTools")
    if isinstance(tools, list) and tools and all(isinstance(t, str) and t[:1] in ("+", "-") for t in tools):
        before = own.get("defaultTools")
        out["defaultTools"] = [*(before if isinstance(before, list) else []), *tools]
    return out


def _overlaid(under: Mapping[str, Json], over: Mapping[str, Json]) -> dict[str, Json]:
    """Objects are merged key by key, everything else is replaced."""
    out = dict(under)
    for key, value in over.items():
        below = out.get(key)
        out[key] = _overlaid(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return out


def _migrated(raw: Mapping[str, Json]) -> dict[str, Json]:
    """Return settings in their present form; older names count where the present one is absent."""
    out = dict(raw)
    if "queueMode" in out:
        out.setdefault("steeringMode", out["queueMode"])
    if isinstance(out.get("websockets"), bool):
        out.setdefault("transport", "websocket" if out["websockets"] else "sse")
    skills = out.get("skills")
    if isinstance(skills, dict):
        out["skills"] = skills.get("customDirectories", [])
        if isinstance(skills.get("enableSkillCommands"), bool):
            out.setdefault("enableSkillCommands", skills["enableSkillCommands"])
    retry = out.get("retry")
    if isinstance(retry, dict) and "maxDelayMs" in retry:
        provider = retry.get("provider")
        inner = dict(provider) if isinstance(provider, dict) else {}
        inner.setdefault("maxRetryDelayMs", retry["maxDelayMs"])
        out["retry"] = {**retry, "provider": inner}
    return out
