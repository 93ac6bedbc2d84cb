"""The tools a model may call, one module each, with the text the model reads about them in `tools/prompts/`."""
