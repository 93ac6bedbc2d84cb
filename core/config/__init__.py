"""Paths, settings, trust, credentials and custom models."""
