"""Messages, streams, models, providers."""
