from pathlib import Path

import pytest

from tests.tools.bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """The tools in this test's directory."""
    return Bench(tmp_path)
