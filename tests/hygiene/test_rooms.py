"""The import contract can fail, for each kind of fault that it looks for."""

import pytest
from grimp import ImportGraph

from tests.hygiene.rooms import find_faults, read_table

TABLE = read_table(["core:", "core.ai: anthropic", "core.agent: core.ai", "app.modes: *", "app.render: core.ai rich"])
OUTSIDE = {"anthropic", "rich", "textual"}


def graph_of(*imports: tuple[str, str]) -> ImportGraph:
    graph = ImportGraph()
    for module in sorted({name for pair in imports for name in pair}):
        graph.add_module(module, is_squashed=module.partition(".")[0] not in ("core", "app"))
    for importer, imported in imports:
        graph.add_import(importer=importer, imported=imported, line_number=7, line_contents="")
    return graph


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("core.agent.loop", "core.ai.messages"),
        ("core.agent.loop", "core.agent.queues"),
        ("core.agent", "core.ai"),
        ("core.ai.adapter", "core"),
        ("core.ai.adapter", "anthropic"),
        ("core.ai.adapter", "json"),
        ("app.modes.screen", "core.agent.loop"),
        ("app.modes.screen", "textual"),
    ],
)
def test_allowed(importer: str, imported: str) -> None:
    assert find_faults(graph_of((importer, imported)), TABLE, OUTSIDE) == []


@pytest.mark.parametrize(
    ("importer", "imported", "fault"),
    [
        ("core.ai.x", "core.agent.y", "core.ai.x (line 7) imports core.agent.y, which core.ai may not"),
        ("core.other", "core.ai", "core.other (line 7) imports core.ai, which core may not"),
        ("core.agent.x", "anthropic", "core.agent.x (line 7) imports anthropic, which core.agent may not"),
        ("app.render.x", "app.modes", "app.render.x (line 7) imports app.modes, which app.render may not"),
        ("app.render.x", "core.aim", "app.render.x (line 7) imports core.aim, which app.render may not"),
        ("app.new", "json", "app.new is in no room: give it a line in pyproject.toml"),
    ],
)
def test_forbidden(importer: str, imported: str, fault: str) -> None:
    assert find_faults(graph_of((importer, imported)), TABLE, OUTSIDE) == [fault]
