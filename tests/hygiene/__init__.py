"""What must hold for the repository as a whole. `make check` runs this folder too."""
