"""What each tool does. Loaded at the first call of the tool, so that none of it is paid for at the start."""
