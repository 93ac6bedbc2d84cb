"""Where the repository is and which files belong to it."""

import ast
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("core", "tools", "pi_tui")
SUFFIXES = {".py", ".md", ".toml", ".lock", ".txt", ".json", ".jsonl", ".yml", ".yaml", ".svg", ".sh", ""}


def files() -> list[Path]:
    """Every file of the repository that git would commit, relative to `ROOT`; a plain walk where git is not there."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            cwd=ROOT,
            capture_output=True,
            check=True,
            text=True,
        ).stdout.split("\0")
        names = [Path(name) for name in listed if name]
    except (OSError, subprocess.CalledProcessError):
        folders = [*PACKAGES, "tests", "docs", "screenshots", ".ci"]
        names = [path.relative_to(ROOT) for path in ROOT.iterdir() if path.is_file()]
        names += [path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*")]
    return sorted(name for name in names if (ROOT / name).is_file() and "__pycache__" not in name.parts)


def texts() -> list[tuple[Path, str]]:
    """Name and contents of every text file."""
    return [(name, (ROOT / name).read_text("utf-8")) for name in files() if name.suffix in SUFFIXES]


def python_files(*folders: str) -> list[Path]:
    """The Python files below these top-level folders; all of them without any."""
    return [name for name in files() if name.suffix == ".py" and (not folders or name.parts[0] in folders)]


def module_name(file: Path) -> str:
    """`core/ai/__init__.py` -> `core.ai`."""
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


def tree(file: Path) -> ast.Module:
    """The parsed file."""
    return ast.parse((ROOT / file).read_text("utf-8"))
