"""Images per second of the training transform: the program's loader beside a PyTorch DataLoader.

    python tests/data_speed.py target/release/lae-studio FOLDER [--workers 2] [--epochs 2]

FOLDER is a picture folder (`train/CLASS/…`); both decode, RandomResizedCrop(224) and flip the same training images in
batches of 24, without a device behind them. Needs torch, torchvision and pillow from PyPI.
"""

import argparse
import pathlib
import subprocess
import time

import torch
from torchvision import datasets, transforms


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("program")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--epochs", type=int, default=2)
    chosen = arguments.parse_args()
    torch.set_num_threads(1)
    steps = [transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor()]
    data = datasets.ImageFolder(str(chosen.folder / "train"), transforms.Compose(steps))
    loader = torch.utils.data.DataLoader(
        data, batch_size=24, shuffle=True, num_workers=chosen.workers, persistent_workers=True
    )
    for epoch in range(chosen.epochs):
        start, count = time.perf_counter(), 0
        for images, _ in loader:
            count += len(images)
        print(f"torchvision, epoch {epoch + 1}: {count} images, {count / (time.perf_counter() - start):.0f} images/s")
    command = [chosen.program, "data", str(chosen.folder), "--check", "never", "--measure", str(chosen.epochs)]
    command += ["--threads", str(chosen.workers)]
    for title, more in (("streamed", []), ("kept in memory", ["--cache", "8000"])):
        done = subprocess.run(command + more, check=True, capture_output=True, text=True)
        for line in done.stderr.splitlines():
            print(f"lae-studio, {title}, {line}")


if __name__ == "__main__":
    main()
