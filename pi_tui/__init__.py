"""The `pi` command: command line, modes, and the terminal screen.

Only the interactive mode imports Textual; every other way to start stays free of it.
"""
