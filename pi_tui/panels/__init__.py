"""The lines around the prompt: what is queued, what goes on, where we are."""
