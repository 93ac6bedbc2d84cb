"""Small projects of different kinds, as people lay them out."""

from __future__ import annotations

PYTHON = {
    "pyproject.toml": """[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "tide-table"
version = "0.4.1"
description = "Prints the tides of a harbour"
requires-python = ">=3.11"
license = "MIT"
dependencies = ["httpx>=0.27", "rich>=13,<16", 'tomli; python_version < "3.11"']

[project.scripts]
tides = "tide_table.cli:main"

[dependency-groups]
dev = ["pytest>=8", "ruff"]

[tool.pytest.ini_options]
testpaths = ["tests"]
""",
    "README.md": """# Tide table

[![CI](https://example.org/ci.svg)](https://example.org/ci)

Tide table fetches the harmonic constituents of a harbour and prints
high and low water for a week.

## Use

    tides hamburg
""",
    "src/tide_table/__init__.py": '__version__ = "0.4.1"\n',
    "src/tide_table/cli.py": '''"""The command line: parses the harbour's name and prints its tides."""

import argparse

from tide_table.harmonics import predict


def main() -> None:
    """Entry point of the `tides` command."""
    arguments = parse_arguments()
    for tide in predict(arguments.harbour):
        print(tide)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("harbour")
    return parser.parse_args()
''',
    "src/tide_table/harmonics.py": "def predict(harbour):\n    return []\n",
    "tests/test_harmonics.py": "def test_predict():\n    assert True\n",
}

RUST = {
    "Cargo.toml": """[package]
name = "lantern"
version = "0.2.0"
edition = "2021"
description = "Serves a folder over HTTP"
license = "MIT OR Apache-2.0"
rust-version = "1.74"

[[bin]]
name = "lantern"
path = "src/bin/serve.rs"

[dependencies]
hyper = { version = "1", features = ["server"] }
tokio = "1"

[dev-dependencies]
tempfile = "3"
""",
    "src/bin/serve.rs": """// Copyright 2024 The Lantern authors
// SPDX-License-Identifier: MIT

//! Starts the server on the port that the command line names.

use lantern::Server;

pub struct Options {
    port: u16,
}

fn main() {
    println!("listening");
}
""",
    "src/lib.rs": "//! The server itself.\npub struct Server;\n",
    "Cargo.lock": "version = 3\n",
    "target/debug/junk": "",
}

GO = {
    "go.mod": """module example.org/ferry/v2

go 1.22

require (
\tgithub.com/spf13/cobra v1.8.0
\tgolang.org/x/sync v0.7.0
\tgithub.com/inconshreveable/mousetrap v1.1.0 // indirect
)
""",
    "cmd/ferry/main.go": """// Command ferry copies directories between machines.
package main

import "fmt"

type options struct{ target string }

func main() {
\tfmt.Println("ready to sail")
}
""",
    "cmd/ferry-admin/main.go": "package main\n\nfunc main() {}\n",
    "internal/copy/copy.go": "package copy\n",
    "README.md": "Ferry\n=====\n\nCopies directory trees over SSH, resuming where it stopped.\n",
}

CARGO_WORKSPACE = {
    "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n\n[workspace.package]\nversion = "1.2.3"\n',
    "crates/core/Cargo.toml": '[package]\nname = "orchard-core"\nversion.workspace = true\ndescription = "Trees"\n',
    "crates/core/src/lib.rs": "",
    "crates/cli/Cargo.toml": '[package]\nname = "orchard"\ndescription = "The command line"\n',
    "crates/cli/src/main.rs": "fn main() {}\n",
}
