"""The transcript widget and what it stands on."""

from pi_tui.transcript.view import TranscriptView

__all__ = ["TranscriptView"]
