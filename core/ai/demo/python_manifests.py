"""Reads Python's manifests: pyproject.toml, setup.cfg and setup.py (its literal texts only; nothing is run)."""

from __future__ import annotations

import configparser
import re
import tomllib

from core.ai.demo.facts import Entry, Facts, Tree, string, strings, table


def pyproject(text: str, tree: Tree) -> Facts:
    data = tomllib.loads(text)
    project = table(data.get("project"))
    tool = table(data.get("tool"))
    poetry = table(tool.get("poetry"))
    source = project or poetry
    requirements = strings(project.get("dependencies"))
    scripts = {
        name: target if isinstance(target, str) else str(table(target).get("reference", ""))
        for key in ("scripts", "gui-scripts")
        for name, target in table(source.get(key)).items()
    }
    groups = [item for group in table(data.get("dependency-groups")).values() for item in strings(group)]
    poetry_needs = [name for name in table(poetry.get("dependencies")) if name != "python"]
    licence = source.get("license")
    facts = Facts(
        "pyproject.toml",
        "Python",
        name=string(source.get("name")),
        version=string(source.get("version")),
        description=string(source.get("description")),
        license=string(licence) or string(table(licence).get("text")),
        dependencies=[requirement_name(item) for item in requirements] or poetry_needs,
        dev_dependencies=[requirement_name(item) for item in groups],
    )
    needed = string(project.get("requires-python")) or string(table(poetry.get("dependencies")).get("python"))
    facts.requires = f"Python {needed}" if needed else ""
    uses_pytest = "pytest" in table(tool) or "pytest" in text
    _complete(facts, scripts, tree, uses_pytest=uses_pytest)
    return facts


def setup_cfg(text: str, tree: Tree) -> Facts:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise ValueError(str(error).splitlines()[0]) from error
    metadata = parser["metadata"] if parser.has_section("metadata") else {}
    requirements = parser.get("options", "install_requires", fallback="").split("\n")
    lines = parser.get("options.entry_points", "console_scripts", fallback="").split("\n")
    facts = Facts(
        "setup.cfg",
        "Python",
        name=metadata.get("name", ""),
        version=metadata.get("version", ""),
        description=metadata.get("description", "").split("\n")[0],
        license=metadata.get("license", ""),
        dependencies=[requirement_name(item) for item in requirements if item.strip()],
    )
    needed = parser.get("options", "python_requires", fallback="")
    facts.requires = f"Python {needed}" if needed else ""
    pairs = (line.partition("=") for line in lines if "=" in line)
    _complete(facts, {n.strip(): t.strip() for n, _, t in pairs}, tree, uses_pytest="pytest" in text)
    return facts


def setup_py(text: str, tree: Tree) -> Facts:
    def literal(key: str) -> str:
        match = re.search(rf"\b{key}\s*=\s*(['\"])((?:(?!\1)[^\\\n])*)\1", text)
        return match.group(2) if match else ""

    entries = re.search(r"console_scripts['\"]\s*:\s*\[(.*?)\]", text, re.DOTALL)
    required = re.search(r"install_requires\s*=\s*\[(.*?)\]", text, re.DOTALL)
    facts = Facts(
        "setup.py",
        "Python",
        name=literal("name"),
        version=literal("version"),
        description=literal("description"),
        license=literal("license"),
        requires=f"Python {literal('python_requires')}" if literal("python_requires") else "",
        dependencies=[requirement_name(item) for item in re.findall(r"['\"]([^'\"]+)['\"]", required.group(1))]
        if required
        else [],
    )
    found = re.findall(r"['\"]\s*([\w.-]+)\s*=\s*([\w.:]+)", entries.group(1)) if entries else []
    _complete(facts, dict(found), tree, uses_pytest="pytest" in text)
    return facts


def requirement_name(requirement: str) -> str:
    """Return the name of a requirement such as `rich[x]>=15; python_version < "4"`."""
    match = re.match(r"\s*([A-Za-z0-9][\w.-]*)", requirement)
    return match.group(1) if match else requirement.strip()


def _complete(facts: Facts, scripts: dict[str, str], tree: Tree, *, uses_pytest: bool) -> None:
    """Add entry points, kind and how to run and test, from the scripts and from the folders that were listed."""
    for name, target in scripts.items():
        module = target.partition(":")[0].strip().replace(".", "/")
        if module:
            why = f"the script `{name}` ({target})"
            facts.entries += [
                Entry(path, why)
                for base in ("", "src/", "lib/")
                for path in (f"{base}{module}.py", f"{base}{module}/__init__.py")
            ]
    package = re.sub(r"[-.]+", "_", facts.name)
    packages = [name for name in dict.fromkeys([package, package.lower(), facts.name, *_packages(tree)]) if name]
    for name in packages:
        for base in ("src/", "", "lib/"):
            facts.entries.append(Entry(f"{base}{name}/__main__.py", f"Python's convention (`python -m {name}`)"))
            facts.entries.append(Entry(f"{base}{name}/__init__.py", "Python's convention for a package"))
    single = [f"{base}{name}.py" for name in packages[:1] for base in ("", "src/")]
    single += ["main.py", "app.py", "cli.py", "manage.py", "__main__.py"]
    facts.entries += [Entry(path, "Python's convention") for path in single]
    runs_as_module = next(
        (n for n in packages if tree.files(f"src/{n}/__main__.py") + tree.files(f"{n}/__main__.py")), ""
    )
    if scripts:
        commands = [f"`{name}`" for name in scripts]
        facts.kind = f"package with the command{'s' if len(commands) > 1 else ''} {', '.join(commands[:4])}"
        facts.run += [f"`{name}` once it is installed (`pip install .`)" for name in list(scripts)[:1]]
    elif runs_as_module:
        facts.kind = "program"
        facts.run.append(f"`python -m {runs_as_module}`")
    elif facts.name and any(tree.files(f"{base}{package}/__init__.py") for base in ("", "src/", "lib/")):
        facts.kind = "library"
    facts.tested_by = _test_command(tree, uses_pytest=uses_pytest)


def _packages(tree: Tree) -> list[str]:
    """Folders that are import packages, tests and docs aside."""
    found = [path.split("/")[-2] for pattern in ("src/*/__init__.py", "*/__init__.py") for path in tree.files(pattern)]
    return [name for name in found if name not in ("tests", "test", "docs", "examples")]


def _test_command(tree: Tree, *, uses_pytest: bool) -> str:
    has_tests = any(tree.folder(name) for name in ("tests", "test")) or bool(tree.files("test_*.py"))
    marked = any(name in tree.top for name in ("pytest.ini", "conftest.py")) or tree.has("tests/conftest.py")
    if not (has_tests or uses_pytest or marked):
        return ""
    if "uv.lock" in tree.top and (uses_pytest or marked):
        return "uv run pytest"
    python = next((f"{name}/bin/python" for name in (".venv", "venv") if tree.folder(name)), "python3")
    if uses_pytest or marked:
        return f"{python} -m pytest"
    return f"{python} -m unittest discover{' -s tests' if tree.folder('tests') else ''}"
