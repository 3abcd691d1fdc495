"""The computation of all-MiniLM-L6-v2 as a small ONNX graph, written without the onnx package.

The weights are not copied: each initialiser names its place inside the
``model.safetensors`` file (ONNX "external data": file, offset, length), so the graph
is some 30 KB and ONNX Runtime maps the 90 MB file itself.

The graph takes ``input_ids`` of shape (B, S), int64, and gives ``embedding`` of shape
(B, H), float32, rows of length 1: the mean of the last layer's S states, normalised.
It has **no attention mask**: texts of one batch have equal token counts, so nothing is
padded and no text can feel its neighbours.

Only the few protobuf messages that are needed are written here (field numbers from
the public ``onnx.proto``); ``tests/models/test_minilm_encoder.py`` compares the result
with a forward pass in numpy.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from eyeprint.errors import DataError

IR_VERSION, OPSET = 9, 20
_VARINT, _LENGTH_DELIMITED, _FIXED32 = 0, 2, 5
_FLOAT, _INT64 = 1, 7
_EXTERNAL = 1
_ELEMENT_TYPES: Mapping[str, int] = {"f": _FLOAT, "i": _INT64}
_MAX_HEADER_BYTES = 100_000_000


class Place(NamedTuple):
    """Where one tensor's bytes lie in a safetensors file."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    """From the start of the file, in bytes."""
    length: int


class BertShape(NamedTuple):
    """The sizes that a safetensors file does not tell: as in the model's ``config.json``."""

    layers: int = 6
    heads: int = 12
    epsilon: float = 1e-12


MINILM_SHAPE = BertShape()
"""Six layers of twelve heads."""


def places(weights: Path) -> dict[str, Place]:
    """Return the place of every tensor of a safetensors file, reading its header only.

    Raises:
        DataError: the file cannot be read or is not a whole safetensors file.
    """
    try:
        size = weights.stat().st_size
        with weights.open("rb") as file:
            header_bytes = int.from_bytes(file.read(8), "little")
            if not 0 < header_bytes <= min(size, _MAX_HEADER_BYTES):
                raise DataError(f"{weights}: not a safetensors file (header of {header_bytes} B).")
            header = json.loads(file.read(header_bytes))
        start = 8 + header_bytes
        found = {
            name: Place(
                dtype=entry["dtype"],
                shape=tuple(entry["shape"]),
                offset=start + entry["data_offsets"][0],
                length=entry["data_offsets"][1] - entry["data_offsets"][0],
            )
            for name, entry in header.items()
            if name != "__metadata__"
        }
    except OSError as error:
        raise DataError(f"{weights}: cannot be read ({error.strerror}).") from error
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{weights}: not a safetensors file ({error}).") from error
    end = max((place.offset + place.length for place in found.values()), default=0)
    if end > size:
        raise DataError(
            f"{weights}: {size} bytes long, but its header speaks of {end}; the file was cut "
            "short, fetch it again."
        )
    return found


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(value)


def _blob(field: int, value: bytes | str) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | _LENGTH_DELIMITED) + _varint(len(raw)) + raw


Attribute = int | float | Sequence[int]


def _attribute(name: str, value: Attribute) -> bytes:
    # AttributeProto: name 1, f 2, i 3, ints 8, type 20 (FLOAT 1, INT 2, INTS 7).
    if isinstance(value, float):
        body = _varint(2 << 3 | _FIXED32) + struct.pack("<f", value) + _number(20, 1)
    elif isinstance(value, int):
        body = _number(3, value) + _number(20, 2)
    else:
        body = b"".join(_number(8, item) for item in value) + _number(20, 7)
    return _blob(5, _blob(1, name) + body)


def _value_info(field: int, name: str, element_type: int, axes: Sequence[str | int]) -> bytes:
    # ValueInfoProto: name 1, type 2 -> tensor_type 1 -> (elem_type 1, shape 2 -> dim 1).
    dims = b"".join(_blob(1, _blob(2, a) if isinstance(a, str) else _number(1, a)) for a in axes)
    tensor = _blob(1, _number(1, element_type) + _blob(2, dims))
    return _blob(field, _blob(1, name) + _blob(2, tensor))


class GraphWriter:
    """Collects nodes and initialisers, and writes them as the bytes of an ONNX model."""

    def __init__(self, weights: Path) -> None:
        self._file = weights.name
        self._places = places(weights)
        self._weights = weights
        self._nodes: list[bytes] = []
        self._initialisers: dict[str, bytes] = {}

    def weight(self, name: str) -> str:
        """Refer to a tensor of the safetensors file; returns its name."""
        if name not in self._initialisers:
            place = self._place(name)
            entries = {
                "location": self._file,
                "offset": str(place.offset),
                "length": str(place.length),
            }
            # TensorProto: dims 1, data_type 2, name 8, external_data 13, data_location 14.
            self._initialisers[name] = (
                b"".join(_number(1, size) for size in place.shape)
                + _number(2, _FLOAT)
                + _blob(8, name)
                + b"".join(_blob(13, _blob(1, k) + _blob(2, v)) for k, v in entries.items())
                + _number(14, _EXTERNAL)
            )
        return name

    def width(self, name: str) -> int:
        """Return the last axis' length of a tensor of the safetensors file."""
        return self._place(name).shape[-1]

    def _place(self, name: str) -> Place:
        place = self._places.get(name)
        if place is None or place.dtype != "F32":
            kind = "is missing" if place is None else f"has type {place.dtype}, not F32"
            raise DataError(
                f"{self._weights}: tensor '{name}' {kind}; this is not the float32 "
                "model.safetensors of all-MiniLM-L6-v2."
            )
        return place

    def constant(self, name: str, value: ArrayLike, dtype: DTypeLike = np.int64) -> str:
        """Add a small constant; returns its name."""
        array = np.asarray(value, dtype=dtype)
        self._initialisers[name] = (
            b"".join(_number(1, size) for size in array.shape)
            + _number(2, _ELEMENT_TYPES[array.dtype.kind])
            + _blob(8, name)
            + _blob(9, array.tobytes())
        )
        return name

    def node(self, operator: str, *inputs: str, out: str = "", **attributes: Attribute) -> str:
        """Add a node with one output; returns the output's name."""
        name = f"{operator}_{len(self._nodes)}"
        out = out or name
        # NodeProto: input 1, output 2, name 3, op_type 4, attribute 5.
        self._nodes.append(
            b"".join(_blob(1, item) for item in inputs)
            + _blob(2, out)
            + _blob(3, name)
            + _blob(4, operator)
            + b"".join(_attribute(key, value) for key, value in attributes.items())
        )
        return out

    def model(self, inputs: Sequence[bytes], outputs: Sequence[bytes]) -> bytes:
        """Return the ModelProto; inputs and outputs are fields made by ``_value_info``."""
        # GraphProto: node 1, name 2, initializer 5, input 11, output 12.
        graph = (
            b"".join(_blob(1, node) for node in self._nodes)
            + _blob(2, "minilm")
            + b"".join(_blob(5, tensor) for tensor in self._initialisers.values())
            + b"".join(inputs)
            + b"".join(outputs)
        )
        # ModelProto: ir_version 1, producer_name 2, graph 7, opset_import 8 (version 2).
        return (
            _number(1, IR_VERSION)
            + _blob(2, "eyeprint")
            + _blob(7, graph)
            + _blob(8, _number(2, OPSET))
        )


def _linear(g: GraphWriter, x: str, name: str) -> str:
    # PyTorch keeps (out, in); the transposition is folded when the session starts.
    turned = g.node("Transpose", g.weight(f"{name}.weight"), perm=(1, 0))
    return g.node("Add", g.node("MatMul", x, turned), g.weight(f"{name}.bias"))


def _norm(g: GraphWriter, x: str, name: str, epsilon: float) -> str:
    scale, shift = g.weight(f"{name}.weight"), g.weight(f"{name}.bias")
    return g.node("LayerNormalization", x, scale, shift, axis=-1, epsilon=epsilon)


def minilm_graph(weights: Path, shape: BertShape = MINILM_SHAPE) -> bytes:
    """Return the ONNX model that embeds token ids with a BERT encoder's weights.

    Per layer, with x of shape (B, S, H), h heads and d = H / h (post-norm BERT)::

        a = softmax(q kᵀ / √d) v        x = LN(x + a W_o + b_o)
        f = gelu(x W_i + b_i) W_f + b_f x = LN(x + f)

    and at the end ``mean_S(x) / ‖mean_S(x)‖``.

    Raises:
        DataError: the file is damaged, or lacks a tensor of this architecture.
    """
    g = GraphWriter(weights)
    words = g.weight("embeddings.word_embeddings.weight")
    hidden = g.width(words)
    head_size = hidden // shape.heads
    zero, one = g.constant("zero", 0), g.constant("one", 1)
    length = g.node("Gather", g.node("Shape", "input_ids"), one)
    positions = g.node("Range", zero, length, one)
    x = g.node(
        "Add",
        g.node("Gather", words, "input_ids"),
        g.node("Gather", g.weight("embeddings.position_embeddings.weight"), positions),
    )
    x = g.node(
        "Add", x, g.node("Gather", g.weight("embeddings.token_type_embeddings.weight"), zero)
    )
    x = _norm(g, x, "embeddings.LayerNorm", shape.epsilon)

    split = g.constant("split", [0, 0, shape.heads, head_size])
    join = g.constant("join", [0, 0, hidden])
    scale = g.constant("scale", head_size**-0.5, np.float32)
    for layer in range(shape.layers):
        at = f"encoder.layer.{layer}."

        def heads_of(name: str, perm: tuple[int, ...], x: str = x, at: str = at) -> str:
            rows = _linear(g, x, f"{at}attention.self.{name}")
            return g.node("Transpose", g.node("Reshape", rows, split), perm=perm)

        query, key = heads_of("query", (0, 2, 1, 3)), heads_of("key", (0, 2, 3, 1))
        closeness = g.node("Mul", g.node("MatMul", query, key), scale)
        mixed = g.node(
            "MatMul", g.node("Softmax", closeness, axis=-1), heads_of("value", (0, 2, 1, 3))
        )
        rows = g.node("Reshape", g.node("Transpose", mixed, perm=(0, 2, 1, 3)), join)
        rows = _linear(g, rows, f"{at}attention.output.dense")
        x = _norm(g, g.node("Add", rows, x), f"{at}attention.output.LayerNorm", shape.epsilon)
        wide = g.node("Gelu", _linear(g, x, f"{at}intermediate.dense"))
        rows = _linear(g, wide, f"{at}output.dense")
        x = _norm(g, g.node("Add", rows, x), f"{at}output.LayerNorm", shape.epsilon)

    # The mean as a product with a row of ones, and without the division that the
    # normalisation undoes: ONNX Runtime's own ReduceMean adds in another order when a
    # batch holds one text, and a vector must not depend on how many texts came along.
    axis_0, axis_1 = g.constant("axis_0", [0]), g.constant("axis_1", [1])
    ones = g.node(
        "Expand",
        g.constant("one_weight", [[1.0]], np.float32),
        g.node("Concat", axis_1, g.node("Unsqueeze", length, axis_0), axis=0),
    )
    total = g.node("Squeeze", g.node("MatMul", ones, x), axis_1)
    g.node("LpNormalization", total, out="embedding", axis=1, p=2)
    return g.model(
        [_value_info(11, "input_ids", _INT64, ("batch", "tokens"))],
        [_value_info(12, "embedding", _FLOAT, ("batch", hidden))],
    )
