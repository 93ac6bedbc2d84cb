"""Tests of what the tools share."""
