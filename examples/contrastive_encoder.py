"""Train a small self-supervised encoder of speech on a folder of WAV files, and write it as an ONNX file for ``spectral:features=``.

The encoder learns to tell the next frame from other frames of the recording (noise-contrastive estimation, as in Kreuk, Keshet & Adi 2020); it
sees neither transcripts nor boundaries. It is far smaller than wav2vec 2.0 and is meant to show the way, not to be good.

Run: python examples/contrastive_encoder.py WAVS MODEL.onnx [STEPS]   (needs torch and onnx; 16 kHz, mono, 16 bits)
"""

from __future__ import annotations

import random
import sys
import wave
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

RATE, CHANNELS, DIMENSIONS = 16_000, 64, 64
LAYERS = ((10, 5), (8, 4), (4, 2), (4, 2), (4, 2))  # kernel and stride: a frame per 10 ms, which sees 29 ms
BATCH, NEGATIVES, TEMPERATURE = 8, 10, 0.1


class Encoder(nn.Module):
    """Frames of unit length from samples."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for number, (kernel, stride) in enumerate(LAYERS):
            convolution = nn.Conv1d(CHANNELS if number else 1, CHANNELS, kernel, stride, bias=False)
            layers += [convolution, nn.BatchNorm1d(CHANNELS), nn.LeakyReLU()]
        self.convolutions, self.out = nn.Sequential(*layers), nn.Linear(CHANNELS, DIMENSIONS)

    def forward(self, samples: Tensor) -> Tensor:
        """Return frames of shape (recordings, frames, dimensions)."""
        frames = self.out(self.convolutions(samples.unsqueeze(1)).transpose(1, 2))
        return frames / (frames.norm(dim=-1, keepdim=True) + 1e-6)


def read(path: Path) -> np.ndarray:
    """Return samples with mean 0 and variance 1, as Caesura gives them to the encoder."""
    with wave.open(str(path)) as file:
        if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (RATE, 1, 2):
            sys.exit(f"{path}: expected 16 kHz, mono, 16 bits")
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32)
    return (samples - samples.mean()) / np.sqrt(samples.var() + 1e-7)


def draw(recordings: list[np.ndarray]) -> Tensor:
    """Return one second of each of some recordings."""
    parts = []
    for samples in random.choices(recordings, k=BATCH):
        start = random.randrange(max(1, len(samples) - RATE + 1))
        part = samples[start : start + RATE]
        parts.append(np.pad(part, (0, RATE - len(part))))
    return torch.tensor(np.stack(parts))


def contrastive_loss(frames: Tensor) -> Tensor:
    """How badly the next frame is told from other frames of the recording."""
    now, after = frames[:, :-1], frames[:, 1:]
    others = [(now * after[:, torch.randperm(now.shape[1])]).sum(-1) for _ in range(NEGATIVES)]
    similar = torch.stack([(now * after).sum(-1), *others], dim=-1) / TEMPERATURE
    return -torch.log_softmax(similar, dim=-1)[..., 0].mean()


def main() -> None:
    """Train, and write the model."""
    folder, target = Path(sys.argv[1]), sys.argv[2]
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 1500
    random.seed(0)
    torch.manual_seed(0)
    recordings = [read(path) for path in sorted(folder.rglob("*.wav"))]
    print(f"{len(recordings)} recordings, {sum(map(len, recordings)) / RATE:.0f} s")
    encoder = Encoder()
    optimizer = torch.optim.Adam(encoder.parameters(), lr=2e-4)
    for step in range(steps):
        loss = contrastive_loss(encoder(draw(recordings)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(f"step {step}: loss {loss.item():.3f}")
    torch.onnx.export(
        encoder.eval(), (torch.zeros(1, RATE),), target, input_names=["samples"], output_names=["frames"],
        dynamic_axes={"samples": {1: "size"}, "frames": {1: "count"}}, dynamo=False,
    )  # fmt: skip


if __name__ == "__main__":
    main()
