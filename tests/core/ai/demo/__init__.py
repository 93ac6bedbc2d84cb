"""The demo model at work: on real folders, through the real agent and the real tools."""
