"""Dialogs over the transcript."""
