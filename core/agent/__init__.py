"""The agent loop: events, tool protocol, queues, and `Agent`."""
