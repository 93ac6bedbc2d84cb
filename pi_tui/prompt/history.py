"""What was sent before, to be called back with Up and Down."""

from collections.abc import Iterable
from typing import Final, Protocol

LIMIT: Final = 100


class HistoryStore(Protocol):
    """Where the history outlives the process. Neither method may take long: they run between two keys."""

    def load(self) -> Iterable[str]:
        """The stored texts, oldest first."""
        ...

    def append(self, text: str) -> None:
        """Store one more text, the newest."""
        ...


class History:
    """The last `LIMIT` texts without consecutive duplicates. `store` is read when the history is first looked at.

    While one browses, the text that stood in the prompt is entry 0, behind the newest: going down leads back to it.
    """

    def __init__(self, store: HistoryStore | None = None) -> None:
        self._store = store
        self._texts: list[str] | None = None
        self._at: int | None = None
        """Which text is shown, counted from the newest as 1; 0 is the draft; None when not browsing."""
        self._draft = ""

    @property
    def browsing(self) -> bool:
        return self._at is not None

    def add(self, text: str) -> None:
        """Remember a text. Blank ones and repetitions of the newest are not added. Ends browsing."""
        self.stop()
        if self._remember(text) and self._store is not None:
            self._store.append(text)

    def seed(self, texts: Iterable[str]) -> None:
        """Add texts of a resumed session, oldest first, as newer than all there is; they are not stored again."""
        for text in texts:
            self._remember(text)

    def previous(self, shown: str) -> str | None:
        """The next older text, None at the oldest. `shown` is what the prompt holds now."""
        at = self._at or 0
        if at == len(self._loaded()):
            return None
        if at == 0:
            self._draft = shown
        self._at = at + 1
        return self._loaded()[-self._at]

    def next(self) -> str | None:
        """The next newer text, last the draft; None when not browsing."""
        if not self._at:
            return None
        self._at -= 1
        if self._at:
            return self._loaded()[-self._at]
        self.stop()
        return self._draft

    def stop(self) -> None:
        """What is shown is now the user's own text: Up begins at the newest again."""
        self._at = None

    def _loaded(self) -> list[str]:
        if self._texts is None:
            self._texts = []
            for text in self._store.load() if self._store is not None else ():
                self._remember(text)
        return self._texts

    def _remember(self, text: str) -> bool:
        texts = self._loaded()
        if not text.strip() or (texts and texts[-1] == text):
            return False
        texts.append(text)
        del texts[:-LIMIT]
        return True
