"""Where the configuration is."""

from pathlib import Path

from core.config.paths import ConfigPaths


def test_defaults(home: Path, tmp_path: Path) -> None:
    paths = ConfigPaths.of(tmp_path, {})
    assert paths.agent_dir == home / ".pi" / "agent"
    assert paths.settings == home / ".pi" / "agent" / "settings.json"
    assert paths.project_settings == tmp_path / ".pi" / "settings.json"
    assert {path.parent for path in (paths.models, paths.auth, paths.trust, paths.keybindings, paths.sessions)} == {
        paths.agent_dir
    }


def test_the_environment_names_the_agent_directory(home: Path, tmp_path: Path) -> None:
    assert ConfigPaths.of(tmp_path, {"PI_CODING_AGENT_DIR": "~/mine"}).agent_dir == home / "mine"
    assert ConfigPaths.of(tmp_path, {"PI_CODING_AGENT_DIR": "here"}).agent_dir == tmp_path / "here"
    assert ConfigPaths.of(tmp_path, {"PI_CODING_AGENT_DIR": " "}).agent_dir == home / ".pi" / "agent"


def test_session_folder(home: Path, tmp_path: Path) -> None:
    paths = ConfigPaths.of(tmp_path, {})
    assert paths.session_folder(None, {}) is None
    assert paths.session_folder("logs", {}) == tmp_path / "logs"
    assert paths.session_folder("~/logs", {}) == home / "logs"
    assert paths.session_folder("logs", {"PI_CODING_AGENT_SESSION_DIR": "/env"}) == Path("/env")


def test_the_project_s_prompts_count_only_when_it_is_trusted(tmp_path: Path) -> None:
    paths = ConfigPaths.of(tmp_path)
    own = paths.agent_dir / "SYSTEM.md"
    assert paths.system_prompts(trusted=False) == (own,)
    assert paths.system_prompts(trusted=True) == (tmp_path / ".pi" / "SYSTEM.md", own)
    assert paths.appended_prompts(trusted=False) == (paths.agent_dir / "APPEND_SYSTEM.md",)
