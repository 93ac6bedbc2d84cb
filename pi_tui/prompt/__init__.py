"""The prompt box and what it stands on."""
