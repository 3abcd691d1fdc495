"""Self-attention that also looks at reference pictures: FABRIC's mechanism, our own code (P63).

A U-Net is run on the noised references first, and the inputs of its self-attention layers
are remembered. When the picture is denoised, the same layers attend to their own input and
to the remembered ones. With queries q, own keys K, remembered keys R and a weight w ≥ 0,

    softmax over (q·K, q·R) with the share of each remembered place multiplied by w

and divided by the new sum, which is the softmax of (q·K, q·R + ln w). For w = 0 it is
ordinary self-attention.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

Mode = Literal["plain", "remember", "attend"]


class FeedbackProcessor:
    """One self-attention layer's processor.

    It stands in for the layer's own processor, which still does the plain and remembering
    passes. In the attending pass the batch is (unconditional, conditional), and only the
    conditional half sees the references, which are likes.
    """

    def __init__(self, plain: Any, share: float) -> None:
        self.plain = plain
        self.share = share
        """Weight of this layer's block, as a factor of the step's weight."""
        self.mode: Mode = "plain"
        self.weight = 0.0
        self.memory: Any = None

    def __call__(
        self,
        attn: Any,
        hidden_states: Any,
        encoder_hidden_states: Any = None,
        attention_mask: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Return the layer's output, as the library's processors do."""

        def plain(states: Any) -> Any:
            return self.plain(attn, states, encoder_hidden_states, attention_mask, *args, **kwargs)

        if self.mode == "remember":
            self.memory = hidden_states.detach()
            return plain(hidden_states)
        weight = self.weight * self.share
        if self.mode == "plain" or self.memory is None or weight <= 0:
            return plain(hidden_states)
        half = hidden_states.shape[0] // 2
        import torch

        liked = attend(attn, hidden_states[half:], self.memory, weight)
        return torch.cat([plain(hidden_states[:half]), liked])


def attend(attn: Any, states: Any, memory: Any, weight: float) -> Any:
    """Return attention over own and remembered states, shape of ``states`` (n, places, c).

    Args:
        attn: the layer: its projections and number of heads.
        states: inputs of the layer, (n, places, c).
        memory: remembered inputs of m references, (m, places, c); all are seen at once.
        weight: of every remembered place, > 0.
    """
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    count, places, width = states.shape
    seen = memory.reshape(1, -1, width).expand(count, -1, -1)
    context = torch.cat([states, seen], dim=1)
    bias = states.new_zeros(1, 1, 1, context.shape[1])
    bias[..., places:] = math.log(weight)

    def heads(values: Any) -> Any:
        return values.unflatten(2, (attn.heads, -1)).transpose(1, 2)

    mixed = scaled_dot_product_attention(
        heads(attn.to_q(states)),
        heads(attn.to_k(context)),
        heads(attn.to_v(context)),
        attn_mask=bias,
        scale=attn.scale,
    )
    out = attn.to_out[1](attn.to_out[0](mixed.transpose(1, 2).flatten(2)))
    return out / attn.rescale_output_factor


def block_shares(blocks: int, bottleneck: float) -> list[float]:
    """Return the factor of each down block, then of the middle: a line from 1 to ``bottleneck``.

    Up blocks have those of the down blocks in reverse order.

    >>> block_shares(2, 0.5)
    [1.0, 0.75, 0.5]
    """
    return [1.0 + (bottleneck - 1.0) * place / blocks for place in range(blocks + 1)]


def share_of(layer: str, blocks: int, bottleneck: float) -> float:
    """Return the factor of a layer by its name, such as ``up_blocks.1.attentions.0...``.

    >>> share_of("up_blocks.1.attentions.0", 2, 0.5), share_of("mid_block.attentions.0", 2, 0.5)
    (1.0, 0.5)
    """
    shares = block_shares(blocks, bottleneck)
    kind, _, rest = layer.partition(".")
    if kind == "mid_block":
        return shares[-1]
    place = int(rest.partition(".")[0])
    return shares[place] if kind == "down_blocks" else shares[blocks - 1 - place]


class Feedback:
    """The feedback layers of a U-Net, switched together."""

    def __init__(self, layers: list[FeedbackProcessor]) -> None:
        self.layers = layers

    @contextmanager
    def switched(self, mode: Mode, weight: float = 0.0) -> Iterator[None]:
        """Run the block's passes in a mode, with the step's weight."""
        for layer in self.layers:
            layer.mode, layer.weight = mode, weight
        try:
            yield
        finally:
            for layer in self.layers:
                layer.mode = "plain"


@contextmanager
def feedback_layers(unet: Any, bottleneck: float = 1.0) -> Iterator[Feedback]:
    """Put feedback into a U-Net's self-attention, and its own processors back at the end."""
    before = dict(unet.attn_processors)
    blocks = len(unet.down_blocks)
    ours: dict[str, FeedbackProcessor] = {
        name: FeedbackProcessor(plain, share_of(name, blocks, bottleneck))
        for name, plain in before.items()
        if name.endswith("attn1.processor")
    }
    unet.set_attn_processor({**before, **ours})
    try:
        yield Feedback(list(ours.values()))
    finally:
        unet.set_attn_processor(before)
