"""Trust in a project."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from core.config.paths import ConfigPaths
from core.config.trust import GUARDED, needs_decision, project_trust


@pytest.fixture
def paths(tmp_path: Path, agent_dir: Path) -> ConfigPaths:
    agent_dir.mkdir(parents=True)
    project = tmp_path / "outer" / "project"
    (project / ".pi").mkdir(parents=True)
    return ConfigPaths.of(project)


def decide(
    paths: ConfigPaths, decisions: Mapping[str, object], default: str = "ask", flag: bool | None = None
) -> bool | None:
    paths.trust.write_text(json.dumps(decisions))
    return project_trust(paths, default=default, flag=flag)[0]


@pytest.mark.parametrize("name", GUARDED)
def test_what_needs_a_decision(paths: ConfigPaths, name: str) -> None:
    assert not needs_decision(paths)
    assert decide(paths, {}) is True
    (paths.project_dir / name).touch()
    assert needs_decision(paths)
    assert decide(paths, {}) is None


def test_skills_of_a_folder_above_need_one_but_not_those_at_home(home: Path, tmp_path: Path) -> None:
    (home / ".agents" / "skills").mkdir(parents=True)
    project = home / "work"
    project.mkdir()
    assert not needs_decision(ConfigPaths.of(project))
    (tmp_path / ".agents" / "skills").mkdir(parents=True)
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert needs_decision(ConfigPaths.of(inner))


def test_the_nearest_folder_decides(paths: ConfigPaths) -> None:
    (paths.project_dir / "settings.json").touch()
    outer, project = str(paths.cwd.parent), str(paths.cwd)
    assert decide(paths, {outer: True}) is True
    assert decide(paths, {outer: True, project: False}) is False
    assert decide(paths, {str(paths.cwd.parent.parent / "else"): True}) is None
    assert decide(paths, {project: "yes"}) is None


def test_the_order_of_who_decides(paths: ConfigPaths) -> None:
    (paths.project_dir / "settings.json").touch()
    here = {str(paths.cwd): True}
    assert decide(paths, here, flag=False) is False
    assert decide(paths, here, default="never") is True
    assert decide(paths, {}, default="always") is True
    assert decide(paths, {}, default="never") is False


def test_links_are_followed(paths: ConfigPaths, tmp_path: Path) -> None:
    (paths.project_dir / "settings.json").touch()
    link = tmp_path / "link"
    link.symlink_to(paths.cwd)
    paths.trust.write_text(json.dumps({str(paths.cwd.resolve()): True}))
    assert project_trust(ConfigPaths.of(link), default="ask")[0] is True


def test_a_broken_file_decides_nothing_and_is_told(paths: ConfigPaths) -> None:
    (paths.project_dir / "settings.json").touch()
    paths.trust.write_text("{")
    decision, warning = project_trust(paths, default="ask")
    assert decision is None
    assert "trust.json" in str(warning)
