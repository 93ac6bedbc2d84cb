"""`pi --mode json` has the reference's shapes: event records, session file, and the conversation sent to the model.

With PI_REFERENCE set, the reference itself is run instead of ours: then the recordings and this test are under test.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.reference.run import run_scenario, shape_file
from tests.reference.scenarios import SCENARIOS, Scenario
from tests.reference.shape import conversation, lines
from tests.support.commands import pi_command, reference_command
from tests.support.script import APIS, Api


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_json_mode_has_the_shapes_of_the_reference(
    api: Api, scenario: Scenario, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    recorded = json.loads(shape_file(api, scenario).read_text(encoding="utf-8"))
    reference = reference_command()
    outcome = run_scenario(reference or pi_command(), api, scenario, tmp_path)
    assert outcome.events, outcome.stderr
    with subtests.test("exit code"):
        assert outcome.exit_code == (recorded["exit_code"] if reference else scenario.exit_code), outcome.stderr
    with subtests.test("events"):
        assert lines(outcome.events) == lines(recorded["events"])
    with subtests.test("session file"):
        assert lines(outcome.session) == lines(recorded["session"])
    with subtests.test("requests"):
        assert outcome.refused == []
        assert [conversation(body) for body in outcome.requests] == [conversation(b) for b in recorded["requests"]]
