"""A shell command under its supervisor, as the event loop sees it.

A thread of its own reads the command's output and the supervisor's reports, so that output is taken in whatever the
event loop does, and also after the call that started it has returned: a background process never blocks on a full pipe
and never dies of a closed one. The output is a plain pipe: asyncio's own would let a wait for the exit hang on every
process that inherited it.
"""

from __future__ import annotations

import asyncio
import marshal
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tools.shared.errors import ToolError, os_reason

SUPERVISOR = os.path.join(os.path.dirname(__file__), "supervisor.py")
MAX_ARGUMENT = 100_000
"""Bytes of a command up to which it is passed as an argument; Linux refuses one of 128 KiB."""

CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Survivor:
    """A process that is still running."""

    pid: int
    name: str


class Process:
    """A running command. Made by `start` and then begun once; its fields are written by the reading thread only.

    `status` is the shell's exit status (128+n for signal n), None while it runs. `alone` tells that nothing of the
    command was left when it ended. `failure` tells why it could not be started. `gone` tells that the supervisor ended,
    and with it everything that the command started, daemons apart.
    """

    def __init__(
        self,
        supervisor: subprocess.Popen[bytes],
        output: int,
        on_output: Callable[[bytes], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        assert supervisor.stdin is not None
        assert supervisor.stdout is not None
        self.shell: int | None = None
        self.status: int | None = None
        self.alone = False
        self.failure: ToolError | None = None
        self.survivors: list[Survivor] = []
        self.listed = False
        self.stuck: list[Survivor] = []
        self.output_ended = False
        self.last_output = time.monotonic()
        self.gone = False
        self._supervisor = supervisor
        self._orders = supervisor.stdin
        self._reports = supervisor.stdout
        self._output = output
        self._on_output = on_output
        self._changed = asyncio.Event()
        self._loop = loop
        self._orders_lock = threading.Lock()

    def begin(self) -> None:
        """Start the reading thread. It is a daemon: a background process must not keep the interpreter from ending."""
        threading.Thread(target=self._read, name="pi-command", daemon=True).start()

    async def until(self, condition: Callable[[], bool], timeout: float | None) -> bool:
        """Wait until `condition`, which looks at these fields, holds; return False after `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout):
                while not condition():
                    self._changed.clear()
                    if not condition():
                        await self._changed.wait()
        except TimeoutError:
            return condition()
        return True

    async def drain(self, idle: float, limit: float) -> None:
        """Wait for the end of the output, or until nothing came for `idle` seconds, `limit` seconds at most.

        When nothing of the command is left, its output is certain to end, and only the limit counts.
        """
        deadline = time.monotonic() + limit
        while not self.output_ended:
            now = time.monotonic()
            quiet = deadline if self.alone else self.last_output + idle
            if min(deadline, quiet) <= now:
                return
            await self.until(lambda: self.output_ended, min(deadline, quiet) - now)

    async def list_survivors(self, timeout: float) -> list[Survivor]:
        """Return the processes that are left."""
        self._order("list\n")
        await self.until(lambda: self.listed or self.gone, timeout)
        return self.survivors

    def stop(self, grace: float) -> None:
        """Send SIGTERM to the whole tree and, `grace` seconds later, SIGKILL to what is left of it. Never raises."""
        self._order(f"stop {round(grace * 1000)}\n")

    def kill(self) -> None:
        """Kill the shell's group and the supervisor at once: for a supervisor that does not answer."""
        self._kill_group()
        self._supervisor.kill()

    def _order(self, line: str) -> None:
        with self._orders_lock:
            try:
                os.write(self._orders.fileno(), line.encode())
            except (OSError, ValueError):
                # It has ended, which the reading thread tells.
                return

    def _kill_group(self) -> None:
        if self.shell is not None and self.status is None:
            try:
                os.killpg(self.shell, 9)
            except OSError:
                return

    def _read(self) -> None:
        try:
            self._follow()
        except Exception as error:
            # Nobody reads on, so the command must not run on; whoever waits is told.
            self.failure = ToolError(f"The output of the command could not be read: {error or type(error).__name__}")
            self._take_end(kill=True)
            self.output_ended = True
            self._wake()

    def _follow(self) -> None:
        poll = select.poll()
        reports, pending = self._reports.fileno(), b""
        poll.register(reports, select.POLLIN)
        poll.register(self._output, select.POLLIN)
        while not (self.output_ended and self.gone):
            for descriptor, _ in poll.poll():
                data = os.read(descriptor, CHUNK)
                if descriptor == self._output and data:
                    # Nobody is woken for this: those who look at the output are told by `on_output`.
                    self.last_output = time.monotonic()
                    self._on_output(data)
                    continue
                if not data:
                    poll.unregister(descriptor)
                if descriptor == self._output:
                    self.output_ended = True
                    os.close(self._output)
                    self._on_output(b"")
                elif data:
                    *lines, pending = (pending + data).split(b"\n")
                    for line in lines:
                        self._take_report(line.decode("utf-8", "replace"))
                else:
                    self._take_end()
                self._wake()

    def _take_report(self, line: str) -> None:
        kind, _, rest = line.partition(" ")
        first, _, text = rest.partition(" ")
        if kind == "start":
            self.shell = int(first)
        elif kind == "exit":
            self.alone = text == "1"
            self.status = int(first)
        elif kind == "fail":
            reason = os_reason(OSError(int(first), os.strerror(int(first)), text or None))
            self.failure = ToolError(f"The shell could not be started: {f'{text}: ' if text else ''}{reason}.")
        elif kind == "left":
            self.survivors.append(Survivor(int(first), text))
        elif kind == "stuck":
            self.stuck.append(Survivor(int(first), text))
        elif kind == "listed":
            self.listed = True

    def _take_end(self, *, kill: bool = False) -> None:
        """The supervisor has ended. When it did so before the shell, something killed it: end the shell's group."""
        self._kill_group()
        if kill:
            self._supervisor.kill()
        with self._orders_lock:
            self._orders.close()
        self._reports.close()
        self._supervisor.wait()
        if self.status is None and self.failure is None:
            self.status = 128 + 9
        self.gone = True

    def _wake(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._changed.set)
        except RuntimeError:
            # The loop is closed: nobody waits any more.
            return


def start(
    shell: str,
    command: str,
    cwd: str,
    environment: Mapping[str, str],
    on_output: Callable[[bytes], None],
    loop: asyncio.AbstractEventLoop,
) -> Process:
    """Start `command` in `shell`. Blocks for a moment, so it is for a thread; the process is used in `loop`.

    `on_output` is called in the reading thread with what the command writes to standard output and error, in order,
    and with empty bytes once all of it has come.
    """
    text = os.fsencode(command)
    script = text if len(text) > MAX_ARGUMENT else None
    argv = [os.fsencode(shell)] if script else [os.fsencode(shell), b"-c", text]
    encoded = {os.fsencode(name): os.fsencode(value) for name, value in environment.items()}
    request = marshal.dumps((argv, encoded, os.fsencode(cwd), script))
    output, output_end = os.pipe()
    supervisor: subprocess.Popen[bytes] | None = None
    try:
        supervisor = subprocess.Popen(
            [sys.executable, "-I", "-S", SUPERVISOR, str(output_end)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=[output_end],
            start_new_session=True,
            bufsize=0,
            cwd="/",
        )
        assert supervisor.stdin is not None
        left = memoryview(len(request).to_bytes(8, "big") + request)
        while left:
            left = left[os.write(supervisor.stdin.fileno(), left) :]
    except OSError as error:
        os.close(output)
        if supervisor is not None:
            supervisor.kill()
            supervisor.communicate()
        raise ToolError(f"The command could not be started: {os_reason(error)}.") from error
    finally:
        os.close(output_end)
    return Process(supervisor, output, on_output, loop)
