"""The composition root: settings, models, tools, prompt and session put together for one start of `pi`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from core.agent.tools import AgentTool
from core.ai.abort import AbortSignal
from core.ai.errors import ErrorInfo
from core.ai.messages import THINKING_LEVELS, ThinkingLevel
from core.ai.model import Model, ModelRequest
from core.ai.provider import stream_response
from core.ai.registry import provider_for
from core.ai.stream import StreamEvent
from core.session.agent_session import AgentSession, SessionConfig
from core.session.locate import SessionNotFound, SessionPlace, open_session
from core.session.store import SessionFileError, SessionStore
from core.session.tree import branch_state, path_to
from pi_tui.conductor import Conductor
from pi_tui.options import Options
