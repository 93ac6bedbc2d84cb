"""The terminal: input parser, driver, output queue, clean-up, and text made safe to show.

Importing this package, `pi_tui.term.safe` or `pi_tui.term.modes` loads no Textual.
"""
