"""Pictures of the screen, made from scenes: `python -m tests.screenshots` draws them anew into `screenshots/`."""
