"""Settings of the person and the project."""

import json
from pathlib import Path

import pytest

from core.ai.wire import Json
from core.config.paths import ConfigPaths
from core.config.settings import Settings


@pytest.fixture
def paths(tmp_path: Path, agent_dir: Path) -> ConfigPaths:
    agent_dir.mkdir(parents=True)
    (tmp_path / ".pi").mkdir()
    return ConfigPaths.of(tmp_path)


def load(paths: ConfigPaths, own: Json = None, project: Json = None, *, trusted: bool = True) -> Settings:
    if own is not None:
        paths.settings.write_text(json.dumps(own))
    if project is not None:
        paths.project_settings.write_text(json.dumps(project))
    return Settings.load(paths, trusted=trusted)


def test_defaults(paths: ConfigPaths) -> None:
    settings = load(paths)
    assert (settings.default_provider, settings.default_model) == (None, None)
    assert settings.default_thinking_level == "medium"
    assert (settings.steering_mode, settings.follow_up_mode) == ("one-at-a-time", "one-at-a-time")
    assert (settings.retry_enabled, settings.retry_max_retries, settings.retry_base_delay_ms) == (True, 3, 2000)
    assert (settings.compaction_enabled, settings.compaction_reserve_tokens) == (True, 16_384)
    assert settings.http_idle_timeout == 300.0
    assert settings.default_tools is None
    assert settings.warnings == ()


def test_the_project_is_laid_over_the_person(paths: ConfigPaths) -> None:
    own = {"defaultModel": "a", "retry": {"maxRetries": 1, "enabled": False}, "enabledModels": ["x"], "odd": {"k": 1}}
    project = {"defaultModel": "b", "retry": {"maxRetries": 9}, "enabledModels": ["y"], "odd": {"l": 2}}
    settings = load(paths, own, project)
    assert settings.default_model == "b"
    assert (settings.retry_max_retries, settings.retry_enabled) == (9, False)
    assert settings.enabled_models == ["y"]
    assert settings.raw["odd"] == {"k": 1, "l": 2}


def test_lists_of_resources_come_from_both(paths: ConfigPaths) -> None:
    assert load(paths, {"skills": ["a"]}, {"skills": ["b"]}).raw["skills"] == ["a", "b"]


@pytest.mark.parametrize(
    ("own", "project", "tools"),
    [
        (["read", "bash"], ["+grep", "-bash"], ["read", "bash", "+grep", "-bash"]),
        (["read", "bash"], ["edit"], ["edit"]),
        (None, ["+grep"], ["+grep"]),
        (["read"], None, ["read"]),
    ],
)
def test_default_tools(paths: ConfigPaths, own: Json, project: Json, tools: list[str]) -> None:
    settings = load(paths, {"defaultTools": own} if own else {}, {"defaultTools": project} if project else {})
    assert settings.default_tools == tools


def test_an_untrusted_project_sets_nothing(paths: ConfigPaths) -> None:
    settings = load(paths, {"defaultModel": "a"}, {"defaultModel": "b", "sessionDir": "s"}, trusted=False)
    assert (settings.default_model, settings.session_dir) == ("a", None)


def test_what_only_the_person_may_set(paths: ConfigPaths) -> None:
    settings = load(paths, {}, {"defaultProjectTrust": "always", "httpProxy": "http://evil"})
    assert (settings.default_project_trust, settings.http_proxy) == ("ask", None)


@pytest.mark.parametrize("content", ['{"defaultModel": "a",}', "[1]", "{'a': 1}", "\x80"])
def test_a_file_that_cannot_be_used_is_left_aside_as_a_whole(paths: ConfigPaths, content: str) -> None:
    paths.settings.write_bytes(content.encode("latin-1"))
    settings = Settings.load(paths)
    assert settings.raw == {}
    (warning,) = settings.warnings
    assert str(warning).startswith(str(paths.settings))


def test_the_place_of_the_fault_is_told(paths: ConfigPaths) -> None:
    paths.settings.write_text('{\n  "defaultModel": "a"\n  "x": 1\n}')
    assert "line 3, column 3" in str(Settings.load(paths).warnings[0])


def test_a_byte_order_mark_is_ignored(paths: ConfigPaths) -> None:
    paths.settings.write_bytes(b'\xef\xbb\xbf{"defaultModel": "a"}')
    assert Settings.load(paths).default_model == "a"


@pytest.mark.parametrize(
    ("key", "value", "attribute", "default"),
    [
        ("defaultModel", 5, "default_model", None),
        ("steeringMode", "some", "steering_mode", "one-at-a-time"),
        ("hideThinkingBlock", "yes", "hide_thinking_block", False),
        ("editorPaddingX", -1, "editor_padding_x", 0),
        ("enabledModels", "x", "enabled_models", ()),
    ],
)
def test_a_value_of_the_wrong_kind_counts_as_absent_and_is_told(
    paths: ConfigPaths, key: str, value: Json, attribute: str, default: Json
) -> None:
    settings = load(paths, {key: value})
    assert getattr(settings, attribute) == default
    assert settings.raw[key] == value
    (warning,) = settings.warnings
    assert f'"{key}"' in str(warning)


def test_levels(paths: ConfigPaths) -> None:
    settings = load(paths, {"defaultThinkingLevel": "high", "modelThinkingLevels": {"a/b": "low", "c/d": "odd"}})
    assert settings.thinking_level_for("a/b") == "low"
    assert settings.thinking_level_for("c/d") == "high"
    assert load(paths, {"defaultThinkingLevel": "odd"}).default_thinking_level == "medium"
    assert load(paths, {"thinkingBudgets": {"low": 5, "high": "x"}}).thinking_budgets == {"low": 5}


@pytest.mark.parametrize(("value", "seconds"), [(60_000, 60.0), ("disabled", None), (0, None), ("x", 300.0)])
def test_idle_timeout(paths: ConfigPaths, value: Json, seconds: float | None) -> None:
    assert load(paths, {"httpIdleTimeoutMs": value}).http_idle_timeout == seconds


def test_older_names(paths: ConfigPaths) -> None:
    old = {
        "queueMode": "all",
        "websockets": True,
        "skills": {"customDirectories": ["d"], "enableSkillCommands": False},
        "retry": {"maxDelayMs": 5},
    }
    settings = load(paths, old)
    assert settings.steering_mode == "all"
    assert settings.raw["transport"] == "websocket"
    assert (settings.raw["skills"], settings.enable_skill_commands) == (["d"], False)
    assert settings.lookup("retry.provider.maxRetryDelayMs") == 5
    assert load(paths, {"queueMode": "all", "steeringMode": "one-at-a-time"}).steering_mode == "one-at-a-time"


def test_a_file_that_cannot_be_read(paths: ConfigPaths) -> None:
    paths.settings.mkdir()
    assert "cannot be read" in str(Settings.load(paths).warnings[0])
