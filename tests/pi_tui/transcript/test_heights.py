"""The prefix sums against plain sums."""

from hypothesis import given
from hypothesis import strategies as st

from pi_tui.transcript.heights import Heights

operations = st.lists(st.tuples(st.booleans(), st.integers(0, 10**6), st.integers(0, 9)), max_size=40)


@given(st.lists(st.integers(0, 9), max_size=40), operations)
def test_sums_and_searches_equal_those_of_a_plain_list(values: list[int], changes: list[tuple[bool, int, int]]) -> None:
    heights = Heights(values)
    for is_append, where, height in changes:
        if is_append or not values:
            values.append(height)
            heights.append(height)
        else:
            values[where % len(values)] = height
            heights.set(where % len(values), height)
    assert len(heights) == len(values)
    assert heights.total == sum(values)
    assert [heights.before(index) for index in range(len(values) + 1)] == [
        sum(values[:index]) for index in range(len(values) + 1)
    ]
    covering = [(index, row) for index, value in enumerate(values) for row in range(value)]
    assert [heights.find(row) for row in range(heights.total)] == covering
    assert heights.find(heights.total + 3) == (len(values), 3)
