"""The agent without a face: model providers, the loop, sessions, configuration and resources.

Nothing in this package imports `tools` or `pi_tui`. This file imports nothing, so that the version is there at no cost.

`__version__` is X.Y.Z: X.Y names the pi release whose files and protocols are spoken here, Z counts our own releases.
"""

__all__ = ["__version__"]

__version__ = "1.6.0"
