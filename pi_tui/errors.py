"""Errors that a person can mend.

StartError      `pi` cannot do what was asked; the text says what to do
"""


class StartError(Exception):
    """`pi` cannot do what was asked; the text says what to do."""
