"""What a model is told besides the conversation: the system prompt and the project's instructions."""
