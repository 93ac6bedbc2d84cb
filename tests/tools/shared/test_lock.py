import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.shared.lock import MutationLock, Place


async def settle() -> None:
    """Let every callback that is ready run, and what those make ready."""
    for _ in range(20):
        await asyncio.sleep(0)


async def running(*places: Place) -> list[bool]:
    tasks = [asyncio.ensure_future(place.acquire()) for place in places]
    await settle()
    state = [place.running for place in places]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return state


def take(lock: MutationLock, kind: str, path: str = "") -> Place:
    if kind == "bash":
        return lock.reserve_workspace()
    return lock.reserve_read(path) if kind == "read" else lock.reserve_write(path)


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        (("read", "a"), ("read", "a"), True),
        (("read", "a"), ("write", "a"), False),
        (("write", "a"), ("read", "a"), False),
        (("write", "a"), ("write", "a"), False),
        (("write", "a"), ("write", "b"), True),
        (("read", "a"), ("write", "b"), True),
        (("bash", ""), ("bash", ""), True),
        (("bash", ""), ("read", "a"), True),
        (("read", "a"), ("bash", ""), True),
        (("bash", ""), ("write", "a"), False),
        (("write", "a"), ("bash", ""), False),
    ],
)
async def test_what_runs_together(tmp_path: Path, first: tuple[str, str], second: tuple[str, str], together: bool):
    lock = MutationLock()
    one = take(lock, first[0], str(tmp_path / first[1]))
    two = take(lock, second[0], str(tmp_path / second[1]))
    assert await running(one, two) == [True, together]


async def test_two_reads_and_commands_after_a_write_wait_and_then_run_together(tmp_path: Path):
    lock = MutationLock()
    path = str(tmp_path / "a")
    write, read, bash, later = (take(lock, kind, path) for kind in ("write", "read", "bash", "write"))
    waiting = [asyncio.ensure_future(place.acquire()) for place in (later, bash, read, write)]
    await settle()
    assert [place.running for place in (write, read, bash, later)] == [True, False, False, False]
    write.release()
    await settle()
    assert [place.running for place in (read, bash, later)] == [True, True, False]
    read.release()
    await settle()
    assert not later.running
    bash.release()
    await asyncio.gather(*waiting)
    assert later.running
    later.release()
    assert len(lock) == 0


@pytest.mark.parametrize("alias", ["./a", "sub/../a", "symlink", "hardlink", "dirlink/a"])
async def test_aliases_of_one_file_meet(tmp_path: Path, alias: str):
    # E62, E63: spellings, symbolic and hard links.
    (tmp_path / "a").write_text("x")
    (tmp_path / "symlink").symlink_to("a")
    os.link(tmp_path / "a", tmp_path / "hardlink")
    (tmp_path / "dirlink").symlink_to(tmp_path)
    lock = MutationLock()
    first, second = lock.reserve_write(str(tmp_path / "a")), lock.reserve_write(f"{tmp_path}/{alias}")
    assert await running(first, second) == [True, False]


async def test_a_new_file_is_one_file_through_a_linked_directory(tmp_path: Path):
    # E64
    (tmp_path / "dir").mkdir()
    (tmp_path / "dirlink").symlink_to("dir")
    lock = MutationLock()
    first = lock.reserve_write(str(tmp_path / "dir/new/n"))
    second = lock.reserve_write(str(tmp_path / "dirlink/new/n"))
    assert await running(first, second) == [True, False]


async def test_names_that_differ_in_unicode_form_or_case_only_meet(tmp_path: Path):
    lock = MutationLock()
    first = lock.reserve_write(str(tmp_path / "caf\u00e9"))
    second = lock.reserve_write(str(tmp_path / "CAFE\u0301"))
    assert await running(first, second) == [True, False]


@pytest.mark.parametrize("other", ["read", "write", "bash"])
async def test_a_path_that_cannot_be_resolved_conflicts_with_all(tmp_path: Path, other: str):
    lock = MutationLock()
    unknown = lock.reserve_read("/nul\0byte")
    assert await running(unknown, take(lock, other, str(tmp_path / "a"))) == [True, False]


async def test_a_cancelled_wait_leaves_the_queue_at_once(tmp_path: Path):
    lock = MutationLock()
    path = str(tmp_path / "a")
    first, second, third = (lock.reserve_write(path) for _ in range(3))
    await first.acquire()
    waits = [asyncio.ensure_future(place.acquire()) for place in (second, third)]
    await settle()
    waits[0].cancel()
    await settle()
    assert len(lock) == 2
    first.release()
    await settle()
    assert third.running
    assert not second.running


async def test_release_without_acquire_and_twice(tmp_path: Path):
    lock = MutationLock()
    first, second = lock.reserve_write(str(tmp_path / "a")), lock.reserve_write(str(tmp_path / "a"))
    first.release()
    first.release()
    await second.acquire()
    second.release()
    assert len(lock) == 0
    with pytest.raises(RuntimeError, match="given up"):
        await first.acquire()


async def test_releasing_a_place_that_waits_ends_the_wait_with_an_error(tmp_path: Path):
    lock = MutationLock()
    first, second = lock.reserve_write(str(tmp_path / "a")), lock.reserve_write(str(tmp_path / "a"))
    await first.acquire()
    wait = asyncio.ensure_future(second.acquire())
    await settle()
    second.release()
    with pytest.raises(RuntimeError, match="given up"):
        await wait


async def test_keys_are_looked_at_again_when_a_place_comes_free(tmp_path: Path):
    # A command that runs first turns `link` into another name of b; the write through `link` must then wait for the
    # write of b although that one asked later, since it runs already.
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    link = tmp_path / "link"
    link.symlink_to("a")
    lock = MutationLock()
    held = lock.reserve_write(str(tmp_path / "a"))
    through_link, on_b = lock.reserve_write(str(link)), lock.reserve_write(str(tmp_path / "b"))
    await held.acquire()
    waits = [asyncio.ensure_future(place.acquire()) for place in (through_link, on_b)]
    await settle()
    assert on_b.running
    link.unlink()
    link.symlink_to("b")
    held.release()
    await settle()
    assert not through_link.running
    on_b.release()
    await asyncio.gather(*waits)
    assert through_link.running


CALLS = st.lists(
    st.tuples(st.sampled_from(["read", "write", "bash"]), st.sampled_from("abc"), st.booleans()),
    min_size=1,
    max_size=12,
)


@given(calls=CALLS, order=st.randoms(use_true_random=False))
def test_any_batch_runs_in_an_order_that_equals_one_by_one(calls: list[tuple[str, str, bool]], order):
    """Against the plain model: conflicting calls start in request order and never overlap, and all of them finish."""

    def conflict(one: int, two: int) -> bool:
        (kind, path, _), (other, other_path, _) = calls[one], calls[two]
        if "write" not in (kind, other):
            return False
        return "bash" in (kind, other) or path == other_path

    async def play() -> None:
        lock = MutationLock()
        places = [take(lock, kind, f"/nowhere/{path}") for kind, path, _ in calls]
        started: list[int] = []
        active: set[int] = set()
        cancelled = {index for index, call in enumerate(calls) if call[2]}

        async def call(index: int) -> None:
            await places[index].acquire()
            assert not [other for other in active if conflict(index, other)]
            active.add(index)
            started.append(index)
            for _ in range(order.randrange(4)):
                await asyncio.sleep(0)
            active.discard(index)
            places[index].release()

        tasks = {index: asyncio.ensure_future(call(index)) for index in order.sample(range(len(calls)), len(calls))}
        await asyncio.sleep(0)
        for index in cancelled:
            if index not in started:
                tasks[index].cancel()
            else:
                cancelled = cancelled - {index}
        async with asyncio.timeout(5):
            results = await asyncio.gather(*tasks.values(), return_exceptions=True)
        assert all(result is None or isinstance(result, asyncio.CancelledError) for result in results), results
        assert len(lock) == 0
        assert set(started) == set(range(len(calls))) - cancelled
        for position, index in enumerate(started):
            for later in started[position + 1 :]:
                assert index < later or not conflict(index, later)

    asyncio.run(play())
