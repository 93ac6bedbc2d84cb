"""`pi auth check`: is there a key for a provider? Says where to put one, never what it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from core.config.models import ModelRegistry
from core.config.paths import ConfigPaths
from core.config.settings import Settings

READY, NOT_READY, INVALID = 0, 1, 2

app = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.callback()
def auth() -> None:
    """Credentials of model providers."""


@app.command()
def check(
    provider: Annotated[str, typer.Option(help="Only this provider.")] = "",
    model: Annotated[str, typer.Option(help="The provider of this model (provider/id, id or a part of it).")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of lines.")] = False,
) -> None:
    """Tell which providers have a key. Exit code 0: ready, 1: no key, 2: no such provider or model."""
    paths = ConfigPaths.of(Path.cwd())
    registry = ModelRegistry.load(paths, Settings.load(paths))
    if model:
        found = registry.find(model, provider or None)
        if found is None:
            typer.echo(f"No model matches {model!r}", err=True)
            raise typer.Exit(INVALID)
        provider = found.model.provider
    if provider and provider not in registry.providers:
        typer.echo(f"There is no provider {provider!r}; known are: {', '.join(registry.providers)}", err=True)
        raise typer.Exit(INVALID)
    ready = {name: registry.has_key(name) for name in ([provider] if provider else registry.providers)}
    if as_json:
        typer.echo(json.dumps({"ready": any(ready.values()), "providers": ready}))
    else:
        for name, has_key in ready.items():
            typer.echo(f"{name}: ready" if has_key else f"{name}: no key. {registry.how_to_add_key(name)}")
    raise typer.Exit(READY if any(ready.values()) else NOT_READY)


def run(args: list[str]) -> int:
    """Run `pi auth` with `args`; returns the exit code."""
    try:
        app(args=args, prog_name="pi auth")
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else INVALID
    return READY
