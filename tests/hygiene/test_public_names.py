"""A package's `__all__` is exactly what its `__init__` offers.

A package without `__all__` offers its modules, not names of its own.
"""

import ast
from pathlib import Path

import pytest

from tests.hygiene.repository import PACKAGES, python_files, tree


def declared(module: ast.Module) -> list[str] | None:
    """The value of `__all__`, None without one."""
    for node in module.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return ast.literal_eval(node.value)
    return None


INITS = [file for file in python_files(*PACKAGES) if file.name == "__init__.py" and declared(tree(file)) is not None]


def offered(module: ast.Module) -> set[str]:
    """Public names that the module defines or takes over from our own packages."""
    names: set[str] = set()
    for node in module.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in PACKAGES:
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if not name.startswith("_") or name == "__version__"}


@pytest.mark.parametrize("file", INITS, ids=str)
def test_all_is_what_is_offered(file: Path) -> None:
    names = declared(tree(file)) or []
    assert len(names) == len(set(names))
    assert set(names) == offered(tree(file))


def test_offered_names_are_found() -> None:
    source = "from core.ai import A as B\nimport os\nfrom os import path\nX = 1\ny: int = 2\n_z = 3\ndef f(): ...\n"
    assert offered(ast.parse(source)) == {"B", "X", "y", "f"}
    assert declared(ast.parse("__all__ = ['a']")) == ["a"]
