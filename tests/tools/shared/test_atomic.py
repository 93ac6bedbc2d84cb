import errno
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tools.shared.atomic import Disk, Snapshot, commit, snapshot
from tools.shared.errors import ToolError
from tools.shared.files import LocalFiles

FAULTS = [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO]


class FaultyDisk(Disk):
    """Fails with `number` at the `at`-th call of one of `calls`; a failing write leaves a part behind."""

    def __init__(self, number: int, at: int, *calls: str) -> None:
        self.number, self.at, self.calls = number, at, calls
        self.count = 0

    def _strike(self, call: str) -> None:
        if call in self.calls:
            self.count += 1
            if self.count == self.at:
                raise OSError(self.number, os.strerror(self.number))

    def create(self, path: str, mode: int) -> int:
        self._strike("create")
        return super().create(path, mode)

    def write(self, descriptor: int, data: memoryview) -> int:
        if "write" in self.calls:
            if self.count + 1 == self.at:
                super().write(descriptor, data[: len(data) // 2])
            self._strike("write")
        return super().write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        self._strike("sync")
        super().sync(descriptor)

    def own(self, descriptor: int, owner: int, group: int) -> None:
        self._strike("own")
        super().own(descriptor, owner, group)

    def replace(self, source: str, target: str) -> None:
        self._strike("replace")
        super().replace(source, target)

    def link(self, source: str, target: str) -> None:
        self._strike("link")
        super().link(source, target)

    def reserve(self, descriptor: int, start: int, count: int) -> None:
        self._strike("reserve")
        super().reserve(descriptor, start, count)


def load(path: Path) -> Snapshot:
    found = LocalFiles().load(str(path), "edit")
    assert found is not None
    return found


def names(folder: Path) -> set[str]:
    return set(os.listdir(folder))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"old content\n")
    return path


def test_a_new_file_has_the_mode_of_the_umask_and_nothing_is_left_over(tmp_path: Path):
    # E57: not the 0600 of a temporary file.
    before = os.umask(0o027)
    try:
        commit(str(tmp_path / "new"), b"x", None, Disk())
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    assert (tmp_path / "new").stat().st_nlink == 1
    assert names(tmp_path) == {"new"}


def test_mode_owner_and_attributes_stay(file: Path):
    # E57, E31
    os.chmod(file, 0o4755)
    if os.geteuid() == 0:
        os.chown(file, 1234, 4321)
        os.chmod(file, 0o4755)
    try:
        os.setxattr(file, "user.note", b"kept")
        attributes = True
    except OSError:
        attributes = False
    before = file.stat()
    commit(str(file), b"new", load(file), Disk())
    after = file.stat()
    assert file.read_bytes() == b"new"
    assert after.st_ino != before.st_ino
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    if attributes:
        assert os.getxattr(file, "user.note") == b"kept"
    assert names(file.parent) == {"file"}


def test_links_stay_links(file: Path):
    # E58, E31
    symbolic, hard = file.parent / "symbolic", file.parent / "hard"
    symbolic.symlink_to("file")
    commit(str(symbolic), b"one", load(symbolic), Disk())
    assert symbolic.is_symlink()
    assert file.read_bytes() == b"one"
    os.link(file, hard)
    os.chmod(file, 0o4755)
    commit(str(file), b"two, longer", load(file), Disk())
    assert hard.read_bytes() == b"two, longer"
    assert (file.stat().st_nlink, stat.S_IMODE(file.stat().st_mode)) == (2, 0o4755)
    commit(str(hard), b"3", load(hard), Disk())
    assert file.read_bytes() == b"3"
    assert names(file.parent) == {"file", "symbolic", "hard"}


def test_a_dangling_link_creates_its_target(tmp_path: Path):
    (tmp_path / "link").symlink_to("target")
    commit(str(tmp_path / "link"), b"x", None, Disk())
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"x"


def test_a_name_of_255_bytes(tmp_path: Path):
    # E59
    path = tmp_path / ("n" * 255)
    commit(str(path), b"a", None, Disk())
    commit(str(path), b"b", load(path), Disk())
    assert path.read_bytes() == b"b"


@pytest.mark.parametrize("number", [errno.EBUSY, errno.EPERM, errno.EACCES, errno.EXDEV])
@pytest.mark.parametrize("call", ["replace", "own", "create"])
def test_where_a_rename_is_not_possible_the_file_is_overwritten(
    file: Path, number: int, call: str, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
):
    # E59: a mount point, a directory that cannot be written, an owner that cannot be given.
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path_factory.mktemp("tmp")))
    inode = file.stat().st_ino
    commit(str(file), b"new content, longer", load(file), FaultyDisk(number, 1, call))
    assert file.read_bytes() == b"new content, longer"
    assert file.stat().st_ino == inode
    assert names(file.parent) == {"file"}


@pytest.mark.parametrize("number", FAULTS)
@pytest.mark.parametrize("call", ["create", "write", "sync", "replace", "own"])
def test_a_failure_leaves_the_old_content_and_no_temporary_file(file: Path, number: int, call: str):
    # E60
    before = file.stat()
    with pytest.raises(OSError, match=os.strerror(number)):
        commit(str(file), b"new" * 100_000, load(file), FaultyDisk(number, 1, call))
    assert file.read_bytes() == b"old content\n"
    assert (file.stat().st_ino, file.stat().st_mode) == (before.st_ino, before.st_mode)
    assert names(file.parent) == {"file"}


@pytest.mark.parametrize("number", FAULTS)
@pytest.mark.parametrize(
    ("call", "at"), [("create", 1), ("write", 1), ("write", 2), ("sync", 1), ("sync", 2), ("reserve", 1)]
)
def test_a_failure_while_overwriting_in_place_puts_the_old_content_back(file: Path, number: int, call: str, at: int):
    # E60: with a second name, the file is overwritten in place.
    os.link(file, file.parent / "hard")
    with pytest.raises(OSError, match=os.strerror(number)):
        commit(str(file), b"new" * 100_000, load(file), FaultyDisk(number, at, call))
    assert file.read_bytes() == b"old content\n"
    assert names(file.parent) == {"file", "hard"}


def test_when_the_old_content_cannot_be_put_back_the_backup_is_named(file: Path):
    class Broken(Disk):
        writes = 0

        def write(self, descriptor: int, data: memoryview) -> int:
            self.writes += 1
            if self.writes > 1:
                raise OSError(errno.EIO, "broken")
            return super().write(descriptor, data)

    os.link(file, file.parent / "hard")
    with pytest.raises(ToolError, match="That content is in") as caught:
        commit(str(file), b"new" * 1000, load(file), Broken())
    backup = Path(str(caught.value).rsplit(" ", 1)[-1].rstrip("."))
    assert backup.read_bytes() == b"old content\n"


@pytest.mark.parametrize("number", FAULTS)
@pytest.mark.parametrize("call", ["create", "write", "sync", "link"])
def test_a_failure_while_creating_leaves_nothing(tmp_path: Path, number: int, call: str):
    with pytest.raises(OSError, match=os.strerror(number)):
        commit(str(tmp_path / "new"), b"x" * 1000, None, FaultyDisk(number, 1, call))
    assert names(tmp_path) == set()


def test_a_file_system_without_hard_links_can_create_too(tmp_path: Path):
    commit(str(tmp_path / "new"), b"x", None, FaultyDisk(errno.EPERM, 1, "link"))
    assert names(tmp_path) == {"new"}


def test_the_local_files_name_the_reason(file: Path):
    files = LocalFiles(FaultyDisk(errno.ENOSPC, 1, "write"))
    with pytest.raises(ToolError, match=r"Cannot write .*file: no space is left on the device \(ENOSPC\)"):
        files.commit(str(file), b"new", load(file))


@pytest.mark.parametrize("links", [1, 2])
def test_a_change_by_something_else_is_not_overwritten(file: Path, links: int):
    # E66
    if links == 2:
        os.link(file, file.parent / "hard")
    base = load(file)
    file.write_bytes(b"OLD content\n")
    with pytest.raises(ToolError, match="Nothing was written"):
        commit(str(file), b"new", base, Disk())
    assert file.read_bytes() == b"OLD content\n"


def test_a_change_during_the_write_is_not_overwritten(file: Path):
    class Racing(Disk):
        def sync(self, descriptor: int) -> None:
            file.write_bytes(b"somebody else's\n")

    with pytest.raises(ToolError, match="Nothing was written"):
        commit(str(file), b"new", load(file), Racing())
    assert file.read_bytes() == b"somebody else's\n"
    assert names(file.parent) == {"file"}


def test_new_times_or_a_copy_of_the_same_content_are_no_change(file: Path):
    # E21
    base = load(file)
    os.utime(file, (1, 1))
    commit(str(file), b"one", base, Disk())
    base = load(file)
    copy = file.parent / "copy"
    copy.write_bytes(b"one")
    copy.replace(file)
    commit(str(file), b"two", base, Disk())
    assert file.read_bytes() == b"two"


def test_removed_or_created_meanwhile(file: Path):
    base = load(file)
    file.unlink()
    with pytest.raises(ToolError, match="removed"):
        commit(str(file), b"new", base, Disk())
    assert not file.exists()
    file.write_bytes(b"other")
    with pytest.raises(ToolError, match="created it meanwhile"):
        commit(str(file), b"new", None, Disk())
    assert file.read_bytes() == b"other"
    assert names(file.parent) == {"file"}


def test_a_limit_on_file_size_leaves_the_old_content(file: Path):
    # E60, with the kernel instead of an injected fault.
    script = (
        "import resource, signal, sys\n"
        "from tools.shared.files import LocalFiles\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "files = LocalFiles()\n"
        "files.commit(sys.argv[1], b'x' * 5000, files.load(sys.argv[1], 'edit'))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(file)], capture_output=True, text=True, check=False)
    assert "EFBIG" in done.stderr
    assert file.read_bytes() == b"old content\n"
    assert names(file.parent) == {"file"}


def test_only_regular_files_are_opened_and_nothing_hangs(tmp_path: Path):
    # E26, E27, E61
    files = LocalFiles()
    os.mkfifo(tmp_path / "fifo")
    for path, kind in ((tmp_path / "fifo", "FIFO"), (Path("/dev/zero"), "character device"), (tmp_path, "directory")):
        for attempt in (files.open, lambda path: files.load(path, "edit")):
            with pytest.raises(ToolError, match=kind):
                attempt(str(path))
    with files.open("/dev/null") as file:
        assert file.read(10) == b""


def test_a_directory_is_listed_up_to_a_limit(tmp_path: Path):
    for number in range(60):
        (tmp_path / f"f{number:02}").touch()
    (tmp_path / "a").mkdir()
    with pytest.raises(ToolError) as caught:
        LocalFiles().open(str(tmp_path))
    assert "contains:\na/\nf00\n" in str(caught.value)
    assert str(caught.value).endswith("... and 11 more")


def test_a_write_protected_file_is_not_replaced():
    # E61: although its directory could be written. Root becomes another user for this.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o777)
        path = Path(folder) / "file"
        path.write_text("old")
        path.chmod(0o444)
        script = (
            "import os, sys\nfrom tools.shared.files import LocalFiles\n"
            "if os.geteuid() == 0: os.setuid(65534)\nLocalFiles().load(sys.argv[1], 'edit')\n"
        )
        done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False)
        assert "EACCES" in done.stderr


def test_a_snapshot_is_the_whole_file(file: Path):
    with LocalFiles().open(str(file)) as opened:
        os.read(opened.descriptor, 3)
        opened.rewind()
        assert snapshot(opened.descriptor).data == b"old content\n"
