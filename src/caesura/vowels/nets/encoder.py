"""The letter encoder as a PyTorch module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .training_plan import Plan


def build_network(plan: Plan, symbols: int, slots: list[int], words: int = 0) -> Any:
    """Make the encoder: embeddings, blocks of convolution, rotary attention and feed-forward, one head over all slots."""
    import torch
    from torch import nn
    from torch.nn import functional as F

    width, heads = plan.width, plan.heads

    def rotate(x: Any, cosine: Any, sine: Any) -> Any:
        half = x.shape[-1] // 2
        first, second = x[..., :half], x[..., half:]
        return torch.cat((first * cosine - second * sine, first * sine + second * cosine), -1)

    class Block(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.before_convolution, self.before_attention, self.before_forward = (
                nn.LayerNorm(width) for _ in range(3)
            )
            self.convolution = nn.Conv1d(width, width, plan.convolution, padding=plan.convolution // 2, groups=width)
            self.query_key_value, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.drop = nn.Dropout(plan.dropout)

        def forward(self, state: Any, cosine: Any, sine: Any, same_line: Any, inside: Any) -> Any:
            rows, length, _ = state.shape
            local = self.before_convolution(state) * inside
            convolve = convolve_by_shifts if state.is_cuda else convolve_depthwise
            state = state + self.drop(convolve(local, self.convolution))
            parts = self.query_key_value(self.before_attention(state)).view(rows, length, 3, heads, width // heads)
            query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
            query, key = rotate(query, cosine, sine), rotate(key, cosine, sine)
            seen = F.scaled_dot_product_attention(query, key, value, attn_mask=same_line)
            state = state + self.drop(self.out(seen.transpose(1, 2).reshape(rows, length, width)))
            return state + self.drop(self.down(F.gelu(self.up(self.before_forward(state)))))

    class Encoder(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(symbols, width)
            nn.init.normal_(self.embedding.weight, std=0.5)
            if plan.words:
                self.word_embedding, self.word_in = (
                    nn.Embedding(words, plan.words),
                    nn.Linear(plan.words, width, bias=False),
                )
                nn.init.normal_(self.word_embedding.weight, std=0.3)
            self.blocks = nn.ModuleList(Block() for _ in range(plan.layers))
            self.norm, self.head, self.drop = (
                nn.LayerNorm(width),
                nn.Linear(width, sum(slots)),
                nn.Dropout(plan.dropout),
            )
            turns = 1.0 / (10000 ** (torch.arange(0, width // heads, 2).float() / (width // heads)))
            self.register_buffer("turns", turns, persistent=False)

        def forward(self, letters: Any, lines: Any, word: Any = None) -> Any:
            """Logits of all slots, of every letter; ``lines`` numbers the lines of a row from 1, 0 is padding."""
            angles = torch.arange(letters.shape[1], device=letters.device).float()[:, None] * self.turns
            cosine, sine = angles.cos(), angles.sin()
            same_line = torch.where(lines[:, None, :, None] == lines[:, None, None, :], 0.0, -30000.0).to(
                torch.bfloat16 if letters.is_cuda else torch.float32
            )
            inside = (lines > 0)[:, :, None]
            state = self.embedding(letters)
            if plan.words:
                state = state + self.word_in(self.word_embedding(word))
            state = self.drop(state)
            if letters.is_cuda and torch.is_autocast_enabled("cuda"):
                state = state.to(
                    torch.bfloat16
                )  # what blocks add up in 16 bits too: training is a tenth faster or more
            for block in self.blocks:
                state = block(state, cosine.to(state.dtype), sine.to(state.dtype), same_line, inside)
            return self.head(self.norm(state))

    return Encoder()


def convolve_depthwise(state: Any, convolution: Any) -> Any:
    """Every column with its own few weights, along the letters."""
    return convolution(state.transpose(1, 2)).transpose(1, 2)


def convolve_by_shifts(state: Any, convolution: Any) -> Any:
    """The same as a sum of shifted copies: on a GPU a step of training takes a sixth less time so."""
    from torch.nn import functional as F

    reach, length = convolution.padding[0], state.shape[1]
    weights, padded = convolution.weight[:, 0].to(state.dtype), F.pad(state, (0, 0, reach, reach))
    moved = (padded[:, i : i + length] * weights[:, i] for i in range(2 * reach + 1))
    return sum(moved, convolution.bias.to(state.dtype))


def load_network(path: Path) -> tuple[Any, Plan, dict[str, Any]]:
    """Load a trained network, ready to be asked, with its plan and the tables of its symbols, slots and words."""
    import torch

    stored = torch.load(path, map_location="cpu", weights_only=True)
    plan, meta = Plan(**stored["plan"]), stored["meta"]
    network = build_network(plan, len(meta["symbols"]), [len(s) for s in meta["slots"]], len(meta["words"]) + 1)
    network.load_state_dict({k: v.float() for k, v in stored["state"].items()})
    return network.eval(), plan, meta
