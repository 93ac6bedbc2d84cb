"""Prefix sums over the heights of many blocks (a Fenwick tree)."""

from __future__ import annotations

from collections.abc import Iterable


class Heights:
    """A list of heights: changing one, summing the first n and finding the one at a row all cost O(log n)."""

    __slots__ = ("_sums", "_values", "total")

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._values = list(heights)
        self.total = sum(self._values)
        sums = self._sums = [0, *self._values]
        for index in range(1, len(sums)):
            parent = index + (index & -index)
            if parent < len(sums):
                sums[parent] += sums[index]

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> int:
        return self._values[index]

    def append(self, height: int) -> None:
        """Add one at the end."""
        self._values.append(height)
        self.total += height
        index = len(self._values)
        stop, node = index - (index & -index), index - 1
        while node > stop:
            height += self._sums[node]
            node -= node & -node
        self._sums.append(height)

    def set(self, index: int, height: int) -> None:
        """Change one."""
        difference = height - self._values[index]
        if not difference:
            return
        self._values[index] = height
        self.total += difference
        node = index + 1
        while node < len(self._sums):
            self._sums[node] += difference
            node += node & -node

    def before(self, index: int) -> int:
        """Return the sum of all before `index`."""
        total = 0
        while index > 0:
            total += self._sums[index]
            index -= index & -index
        return total

    def find(self, row: int) -> tuple[int, int]:
        """Return the index of the height that covers `row` (from 0) and the row within it.

        Past the end: one past the last index, and how many rows past it.
        """
        index, step = 0, 1 << len(self._values).bit_length()
        while step:
            following = index + step
            if following < len(self._sums) and self._sums[following] <= row:
                index, row = following, row - self._sums[following]
            step >>= 1
        return index, row
