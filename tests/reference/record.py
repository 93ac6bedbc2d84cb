"""Record the reference's shapes anew:

    PI_REFERENCE="node /path/to/cli.js" python -m tests.reference.record [name ...]

PI_REFERENCE is the command of npm's `@earendil-works/pi-coding-agent` 1.6.0. With names (`no-tool`), only those
scenarios are recorded.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.reference.run import SHAPES, Outcome, run_scenario, shape_file
from tests.reference.scenarios import SCENARIOS
from tests.reference.shape import lines
from tests.support.commands import REFERENCE_VARIABLE, reference_command
from tests.support.script import APIS, JsonObject


def render(outcome: Outcome, version: str) -> str:
    """The file's text: one record per line, so that a change shows as the lines it changes."""

    def block(name: str, records: list[JsonObject]) -> str:
        return f'"{name}": [\n' + ",\n".join(lines(records)) + "\n]"

    parts = [
        f'"reference": {json.dumps(version)}',
        f'"exit_code": {outcome.exit_code}',
        block("events", outcome.events),
        block("session", outcome.session),
        block("requests", outcome.requests),
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(names: list[str]) -> int:
    command = reference_command()
    if command is None:
        print(f"{REFERENCE_VARIABLE} is not set.\n\n{__doc__}", file=sys.stderr)
        return 2
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    SHAPES.mkdir(exist_ok=True)
    for scenario in SCENARIOS:
        if names and scenario.name not in names:
            continue
        for api in APIS:
            with tempfile.TemporaryDirectory() as folder:
                outcome = run_scenario(command, api, scenario, Path(folder))
            if outcome.refused or not outcome.events:
                print(f"{api} {scenario.name}: {outcome.refused or outcome.stderr}", file=sys.stderr)
                return 1
            shape_file(api, scenario).write_text(render(outcome, f"pi {version}"), encoding="utf-8")
            print(f"{api} {scenario.name}: {len(outcome.events)} records, exit code {outcome.exit_code}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
