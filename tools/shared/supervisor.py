"""Runs one shell command and sees to it that nothing of it outlives its time. A script of its own, not a module:

    python -I -S supervisor.py <fd>       <fd> is the write end of the command's output

Standard input first carries the request (8 bytes of length, then marshal data: argv, environment, directory, and the
script to append to argv as a file or None) and then orders, one a line; its end means that the agent is gone. Standard
output carries reports, one a line:

    start <pid>              the shell runs; it leads a session and a process group of its own
    fail <errno> <text>      it could not be started
    exit <status> <alone>    it ended, 128+n for signal n; alone is 1 when nothing that it started is left
    left <pid> <name>        one answer to `list`: a process that is still running; then `listed`
    stuck <pid> <name>       a process that could not be killed

Orders: `list`, and `stop <ms>`: SIGTERM to the whole tree, SIGKILL to what is left after that time.

As the subreaper of all that the command starts, it finds those too that left the group and the session. When the shell
has ended and the agent goes, what is left in the shell's session is killed; a process that made a session of its own
(a daemon) is left alone. It imports little, since it is started once for every command.
"""

from __future__ import annotations

import errno
import marshal
import os
import select
import sys
import time

SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGPIPE, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU = 1, 2, 3, 9, 13, 15, 20, 21, 22
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
DEFAULT, IGNORE = 0, 1
LINUX = sys.platform == "linux"
if not LINUX:
    SIGTSTP = 18
AGENT_GONE_GRACE = 0.3
KILL_LIMIT = 5.0
"""Seconds after which processes that survive SIGKILL (waiting for a device, say) are reported and left."""

try:
    import ctypes

    LIBC = ctypes.CDLL(None)
    LIBC.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
    LIBC.signal.restype = ctypes.c_void_p
except (ImportError, OSError, AttributeError):
    LIBC = None
SUBREAPER = LIBC is not None and LINUX


def dispose(signals: tuple[int, ...] | range, handler: int) -> None:
    """Set `signals` to `DEFAULT` or `IGNORE`. The signal module would cost as much time as the interpreter's start."""
    if LIBC is None:
        import signal

        for number in signals:
            try:
                signal.signal(number, signal.Handlers(handler))
            except (OSError, ValueError):
                continue
        return
    for number in signals:
        LIBC.signal(number, handler)


def control(option: int, value: int) -> None:
    """Call prctl, where there is one."""
    if LIBC is not None and LINUX:
        LIBC.prctl(option, value, 0, 0, 0)


Request = tuple[list[bytes], dict[bytes, bytes], bytes, bytes | None]
"""argv, environment, directory, script."""


class Supervisor:
    """One command, from its request to the end of its last process."""

    def __init__(self, orders: int, reports: int) -> None:
        self.orders = orders
        self.reports = reports
        self.shell = 0
        self.ended = False
        self.alone = False
        self.agent_gone = False
        self.pending = b""
        self.poll = select.poll()
        self.poll.register(orders, select.POLLIN)

    def report(self, line: str) -> None:
        """Tell the agent; when it is gone, nobody needs to know."""
        try:
            os.write(self.reports, line.encode("utf-8", "surrogateescape") + b"\n")
        except OSError:
            self.agent_gone = True

    def start(self, request: Request, output: int) -> bool:
        """Start the shell; return whether its end will wake the poll. A failure to exec is reported by the child."""
        empty, end = os.pipe()
        os.close(end)
        self.shell = os.fork()
        if self.shell == 0:
            try:
                self.become_shell(request, empty, output)
            except OSError as error:
                self.report(f"fail {error.errno or 0} {os.fsdecode(error.filename or '')}")
            finally:
                os._exit(127)
        os.close(empty)
        os.close(output)
        self.report(f"start {self.shell}")
        if LINUX and hasattr(os, "pidfd_open"):
            try:
                self.poll.register(os.pidfd_open(self.shell), select.POLLIN)
            except OSError:
                return False
            return True
        return False

    def become_shell(self, request: Request, empty: int, output: int) -> None:
        """Turn this forked process into the shell."""
        os.setsid()
        control(PR_SET_PDEATHSIG, SIGKILL)
        try:
            # Out of memory, the command goes before the agent.
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write("1000")
        except OSError:
            pass
        argv, environment, directory, script = request
        if script is not None:
            argv = [*argv, b"/dev/fd/%d" % script_file(script)]
        os.chdir(directory)
        os.dup2(empty, 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        dispose(range(1, 32), DEFAULT)
        os.execve(argv[0], argv, environment)

    def reap(self) -> None:
        """Collect every process that ended; report the shell's end."""
        status = None
        while True:
            try:
                pid, code = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self.alone = True
                break
            if pid == 0:
                break
            if pid == self.shell:
                status = os.waitstatus_to_exitcode(code)
        if self.alone and not SUBREAPER:
            self.alone = not self.tree()
        if status is not None:
            self.ended = True
            self.report(f"exit {status if status >= 0 else 128 - status} {int(self.alone)}")

    def serve(self, woken: bool) -> None:
        """Follow orders until nothing is left to supervise."""
        while True:
            # Orphans are collected once a second; the shell's end, when no descriptor tells of it, is looked for often.
            self.handle(self.poll.poll(1000 if woken or self.ended else 20))
            before = self.ended
            self.reap()
            if self.alone and self.ended:
                return
            if self.agent_gone:
                self.end_tree(AGENT_GONE_GRACE, daemons=not self.ended)
                return
            if self.ended and not before:
                # The shell's pidfd stays readable for ever; from here on, time is what wakes.
                self.poll = select.poll()
                self.poll.register(self.orders, select.POLLIN)

    def handle(self, events: list[tuple[int, int]]) -> None:
        """Read and follow the orders that came."""
        if not any(descriptor == self.orders for descriptor, _ in events):
            return
        for order in self.read_orders():
            if order == b"list":
                self.reap()
                for pid, _, name in self.tree():
                    self.report(f"left {pid} {name}")
                self.report("listed")
            else:
                self.end_tree(int(order.split()[1]) / 1000, daemons=True)

    def read_orders(self) -> list[bytes]:
        """Return the orders that came; notice the agent's end."""
        data = os.read(self.orders, 4096)
        if not data:
            self.agent_gone = True
            return []
        *orders, self.pending = (self.pending + data).split(b"\n")
        return orders

    def end_tree(self, grace: float, *, daemons: bool) -> None:
        """End everything that the command started; without `daemons` only what is in the shell's session."""
        self.signal_tree(SIGTERM, daemons)
        deadline = time.monotonic() + grace
        orders = select.poll()
        orders.register(self.orders, select.POLLIN)
        while not self.finished(daemons) and (left := deadline - time.monotonic()) > 0:
            if self.agent_gone:
                time.sleep(min(0.01, left))
            elif orders.poll(10) and any(order.startswith(b"stop") for order in self.read_orders()):
                deadline = 0.0
        deadline = time.monotonic() + KILL_LIMIT
        while not self.finished(daemons) and time.monotonic() < deadline:
            self.signal_tree(SIGKILL, daemons)
            self.reap()
            if not self.finished(daemons):
                time.sleep(0.005)
        if not self.finished(daemons):
            for pid, _, name in self.tree():
                self.report(f"stuck {pid} {name}")

    def finished(self, daemons: bool) -> bool:
        """Tell whether nothing is left to end."""
        self.reap()
        return self.alone or not any(daemons or session == self.shell for _, session, _ in self.tree())

    def signal_tree(self, number: int, daemons: bool) -> None:
        """Send a signal to every process, parents first, so that a shell cannot go on to its next command."""
        for pid, session, _ in self.tree():
            if daemons or session == self.shell:
                try:
                    os.kill(pid, number)
                except OSError:
                    continue

    def tree(self) -> list[tuple[int, int, str]]:
        """Return pid, session and name of every process that descends from here or is in the shell's group."""
        known = processes()
        found: list[tuple[int, int, str]] = []
        parents = [os.getpid()]
        while parents:
            parents = [pid for pid, (parent, *_) in known.items() if parent in parents]
            found += [(pid, known[pid][2], known[pid][3]) for pid in parents]
        listed = {pid for pid, _, _ in found}
        found += [(pid, row[2], row[3]) for pid, row in known.items() if row[1] == self.shell and pid not in listed]
        return [row for row in found if row[0] != self.shell or not self.ended]


def processes() -> dict[int, tuple[int, int, int, str]]:
    """Return parent, group, session and name of every living process of this machine."""
    if not LINUX:
        return listed_by_ps()
    found: dict[int, tuple[int, int, int, str]] = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:
                before, _, after = file.read().rpartition(b")")
        except OSError:
            continue
        state, parent, group, session = after.split()[:4]
        if state not in (b"Z", b"X"):
            name = before.partition(b"(")[2].decode("utf-8", "replace")
            found[int(entry)] = (int(parent), int(group), int(session), name)
    return found


def listed_by_ps() -> dict[int, tuple[int, int, int, str]]:
    """Return the same where there is no /proc; the group stands for the session, which ps does not tell."""
    reader, writer = os.pipe()
    argv = ["/bin/ps", "-A", "-o", "pid=,ppid=,pgid=,comm="]
    pid = os.posix_spawn(argv[0], argv, {}, file_actions=[(os.POSIX_SPAWN_DUP2, writer, 1)])
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        rows = [line.split(None, 3) for line in file.read().decode("utf-8", "replace").splitlines()]
    os.waitpid(pid, 0)
    return {
        int(row[0]): (int(row[1]), int(row[2]), int(row[2]), os.path.basename(row[3]))
        for row in rows
        if len(row) == 4 and int(row[0]) != pid
    }


def script_file(script: bytes) -> int:
    """Return an inheritable descriptor of a nameless file with `script` in it, for what is too long for an argument."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("command", 0)
    else:
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"pi-command-{os.getpid()}")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        os.unlink(path)
    os.set_inheritable(descriptor, True)
    while script:
        script = script[os.write(descriptor, script) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def read_request(descriptor: int) -> Request | None:
    """Return the request; None when the agent went before it was complete."""
    data = b""
    size = 8
    while len(data) < size:
        part = os.read(descriptor, size - len(data))
        if not part:
            return None
        data += part
        if size == 8 and len(data) == 8:
            size += int.from_bytes(data, "big")
    return marshal.loads(data[8:])


def main() -> None:
    """Run the command that the request on standard input describes."""
    output = int(sys.argv[1])
    os.set_inheritable(output, False)
    orders, reports = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    dispose((SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU), IGNORE)
    control(PR_SET_CHILD_SUBREAPER, 1)
    request = read_request(orders)
    if request is None:
        return
    supervisor = Supervisor(orders, reports)
    try:
        woken = supervisor.start(request, output)
    except OSError as error:
        supervisor.report(f"fail {error.errno or errno.EAGAIN} ")
        return
    supervisor.serve(woken)


if __name__ == "__main__":
    main()
