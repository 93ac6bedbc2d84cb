"""The tools a model may call, one module each, with the text the model reads about them in `tools/prompts/`."""

from tools.registry import CODING_TOOLS, coding_tools, guide_of

__all__ = ["CODING_TOOLS", "coding_tools", "guide_of"]
