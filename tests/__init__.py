"""Tests mirror the source tree: `tests/core/ai/test_x.py` tests `core/ai/x.py`."""
