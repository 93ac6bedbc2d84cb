"""The wheel holds all that pi needs, and an environment made from it runs."""

import os
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from core import __version__
from tests.hygiene.repository import PACKAGES, ROOT, files

pytestmark = pytest.mark.xdist_group("wheel")
"""One worker builds the wheel and its environment, for all tests of this file."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from this source tree, without network."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment in a path with a space: the wheel is installed, other distributions are borrowed from ours."""
    folder = tmp_path_factory.mktemp("an environment")
    venv.create(folder, with_pip=False, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", folder / "bin" / "python"]
    subprocess.run([*pip, "install", "--no-index", "--no-deps", wheel], check=True, capture_output=True)
    libraries = next(folder.glob("lib/python*/site-packages"))
    (libraries / "borrowed.pth").write_text(f"import sys; sys.path.append({sysconfig.get_path('purelib')!r})\n")
    return folder


def test_the_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    ours = {name.as_posix() for name in files() if name.parts[0] in PACKAGES}
    metadata = {name for name in names if name.startswith("pi_tui-")}
    assert ours <= names
    assert names - ours - metadata == set()
    assert {f"{package}/py.typed" for package in PACKAGES} <= names
    assert f"pi_tui-{__version__}.data/scripts/pi" in metadata
    assert any(name.endswith("licenses/LICENSE") for name in metadata)


def test_the_metadata_is_the_project_file(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    metadata = archive.read(f"pi_tui-{__version__}.dist-info/METADATA").decode()
    prefix = "Requires-Dist: "
    required = {Requirement(line.removeprefix(prefix)) for line in metadata.splitlines() if line.startswith(prefix)}
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert required == {Requirement(text) for text in wanted}
    assert f"\nVersion: {__version__}\n" in metadata


def test_an_installed_pi_runs_our_code_from_anywhere(environment: Path, tmp_path: Path) -> None:
    shim = environment / "bin" / "pi"
    link = tmp_path / "pi"
    link.symlink_to(shim)
    for command in (shim, link):
        done = subprocess.run([command, "--version"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{__version__}\n", "")
    where = "import core, pi_tui, tools; print(core.__file__, pi_tui.__file__, tools.__file__, sep='\\n')"
    done = subprocess.run([shim.with_name("python"), "-I", "-c", where], capture_output=True, text=True, check=True)
    assert all(line.startswith(f"{environment}/lib") for line in done.stdout.splitlines())


def test_the_installed_script_is_the_source(environment: Path) -> None:
    assert (environment / "bin" / "pi").read_bytes() == (ROOT / "pi_tui" / "pi").read_bytes()
    assert os.access(environment / "bin" / "pi", os.X_OK)
