"""What the tests stand on: a scripted model server, a terminal with a screen model, measurements (see README.md)."""
