from pathlib import Path

import pytest

from tests.tools.bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """The tools in this test's directory."""
    return Bench(tmp_path)


@pytest.fixture(autouse=True)
def temporary_files(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test's files of long outputs and backups go."""
    folder = tmp_path_factory.mktemp("tmp")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder
