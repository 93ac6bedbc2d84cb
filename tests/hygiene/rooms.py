"""The contract type `rooms` for import-linter: each room of the code, and all that it may import.

Its option `rooms` is a list of lines `room: allowed allowed ...`. A room is a package or module and holds everything
below it that no deeper line claims. A module may import its own room, the packages that it lies in, and what lies at or
below an allowed name; `*` allows everything. Names in `outside` (other distributions) must be allowed by name, the rest
of the world is free. A module in no room is an error, so that a new room is a decision and not an accident. A line may
name a room that does not exist yet.

Unlike the built-in types it lists what is allowed instead of what is forbidden, and it looks at direct imports: with a
rule for every module, no chain can lead where no step leads.
"""

from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class RoomsContract(Contract):
    """See the module's description. `rooms` and `outside` are lists of strings."""

    rooms = fields.ListField(subfield=fields.StringField())
    outside = fields.ListField(subfield=fields.StringField(), required=False, default=[])

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Keep the contract when `find_faults` finds none."""
        table: Any = self.rooms
        outside: Any = self.outside
        faults = find_faults(graph, read_table(table), set(outside))
        return ContractCheck(kept=not faults, metadata={"faults": faults})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print one line for each fault."""
        for fault in check.metadata["faults"]:
            output.print_error(fault, bold=False)


def read_table(lines: list[str]) -> dict[str, list[str]]:
    """Room -> allowed names."""
    return {room.strip(): allowed.split() for room, _, allowed in (line.partition(":") for line in lines)}


def find_faults(graph: ImportGraph, table: dict[str, list[str]], outside: set[str]) -> list[str]:
    """One line for each module without a room and for each import that its room does not allow."""
    faults = []
    for module in sorted(graph.modules):
        if graph.is_module_squashed(module):
            continue
        room = deepest(module, table)
        if room is None:
            faults.append(f"{module} is in no room: give it a line in pyproject.toml")
            continue
        for imported in sorted(graph.find_modules_directly_imported_by(module)):
            external = graph.is_module_squashed(imported)
            if external and imported not in outside:
                continue
            if not external and (deepest(imported, table) == room or within(module, imported)):
                continue
            if "*" not in table[room] and not any(within(imported, allowed) for allowed in table[room]):
                lines = {
                    detail["line_number"] for detail in graph.get_import_details(importer=module, imported=imported)
                }
                where = ", ".join(map(str, sorted(lines)))
                faults.append(f"{module} (line {where}) imports {imported}, which {room} may not")
    return faults


def deepest(module: str, table: dict[str, list[str]]) -> str | None:
    """The longest room name at or above `module`."""
    return max((room for room in table if within(module, room)), key=len, default=None)


def within(module: str, room: str) -> bool:
    """Whether `module` is `room` or lies below it."""
    return module == room or module.startswith(f"{room}.")
