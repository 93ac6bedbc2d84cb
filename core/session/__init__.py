"""Session files and `AgentSession`."""
