"""One module per way to run: interactive, print, JSON. Each has `run(options) -> exit code`."""
