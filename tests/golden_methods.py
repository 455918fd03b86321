"""Golden files of SimpleCIL, APER, RanPAC, EASE and ESN, computed in f64 with JAX from their definitions.

    python tests/golden_methods.py --write tests/golden      # the small files that every test run checks
    python tests/golden_methods.py [PROGRAM] [--seeds 5]     # fresh ones through `lae-studio golden`

Each file holds a small ViT with random weights, what the method starts from, the batches it learns from,
the images it measures, and what must come out after each task. Skipped where JAX is not installed. Exits
with 1 when a file misses its tolerance.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    import numpy as np
    from jax.scipy.special import erf, logsumexp
    from safetensors.numpy import save_file
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

CONFIG = {"img_size": 8, "patch_size": 4, "embed_dim": 12, "depth": 2, "num_heads": 2, "mlp_ratio": 3.0}
D, PATCH, HEADS = CONFIG["embed_dim"], CONFIG["patch_size"], CONFIG["num_heads"]
BATCH, EACH, EPOCHS = 5, 2, 3
TEMPERATURES = [0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]


def norm(x, weight, bias, eps):
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + eps) * weight + bias


def linear(p, name, x):
    return x @ p[name + ".weight"].T + p[name + ".bias"]


def gelu(x):
    return x * 0.5 * (1 + erf(x / jnp.sqrt(2.0)))


def softmax(x):
    e = jnp.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def unit(x):
    return x / jnp.maximum(jnp.sqrt((x**2).sum(-1, keepdims=True)), 1e-12)


def attention(q, k, v):
    """Token sequences of D channels; heads side by side."""
    split = lambda x: x.reshape(*x.shape[:-1], HEADS, D // HEADS).swapaxes(-2, -3)
    q, k, v = split(q), split(k), split(v)
    mixed = softmax(q @ k.swapaxes(-1, -2) * (D // HEADS) ** -0.5) @ v
    return mixed.swapaxes(-2, -3).reshape(*mixed.shape[:-3], -1, D)


def tokens(w, images, adapter=None, prompt=None):
    """Everything before the final norm."""
    n, _, side, _ = images.shape
    cells = side // PATCH
    patches = images.reshape(n, 3, cells, PATCH, cells, PATCH).transpose(0, 2, 4, 1, 3, 5).reshape(n, cells**2, -1)
    x = patches @ w["patch_embed.proj.weight"].reshape(D, -1).T + w["patch_embed.proj.bias"]
    x = jnp.concatenate([jnp.broadcast_to(w["cls_token"], (n, 1, D)), x], 1) + w["pos_embed"]
    if prompt is not None:
        entering = jnp.broadcast_to(prompt, (n, *prompt.shape))
        x = jnp.concatenate([x[:, :1], entering, x[:, 1:]], 1)
    for i in range(CONFIG["depth"]):
        b = lambda name: f"blocks.{i}.{name}"
        e = norm(x, w[b("norm1.weight")], w[b("norm1.bias")], 1e-6)
        q, k, v = jnp.split(linear(w, b("attn.qkv"), e), 3, -1)
        x = x + linear(w, b("attn.proj"), attention(q, k, v))
        e = norm(x, w[b("norm2.weight")], w[b("norm2.bias")], 1e-6)
        h = linear(w, b("mlp.fc2"), gelu(linear(w, b("mlp.fc1"), e)))
        if adapter is not None:
            inner = jnp.maximum(linear(adapter, f"{i}.down_proj", x), 0)
            h = h + 0.1 * linear(adapter, f"{i}.up_proj", inner)
        x = x + h
    return x


def features(w, images, adapter=None):
    return norm(tokens(w, images, adapter)[:, 0], w["norm.weight"], w["norm.bias"], 1e-6)


def cross_entropy(logits, labels):
    return (logsumexp(logits, -1) - jnp.take_along_axis(logits, labels[:, None], 1)[:, 0]).mean()


class File:
    """Collects a file's tensors."""

    def __init__(self, method, classes, rng, **metadata):
        self.rng, self.classes = rng, classes
        self.tensors = {}
        self.metadata = {"kind": "method", "method": method, "backbone": "vit", "config": json.dumps(CONFIG)}
        self.metadata |= {"classes": json.dumps(classes)} | {k: str(v) for k, v in metadata.items()}
        self.edges = np.cumsum([0] + classes)
        self.w = {}
        hidden = int(D * CONFIG["mlp_ratio"])
        self.weight("patch_embed.proj.weight", (D, 3, PATCH, PATCH), 0.2)
        self.weight("patch_embed.proj.bias", (D,), 0.2)
        self.weight("cls_token", (1, 1, D), 0.5)
        self.weight("pos_embed", (1, (CONFIG["img_size"] // PATCH) ** 2 + 1, D), 0.5)
        for i in range(CONFIG["depth"]):
            self.weight(f"blocks.{i}.norm1.weight", (D,), 0.2, 1)
            self.weight(f"blocks.{i}.norm1.bias", (D,), 0.2)
            self.weight(f"blocks.{i}.attn.qkv.weight", (3 * D, D), 0.4)
            self.weight(f"blocks.{i}.attn.qkv.bias", (3 * D,), 0.2)
            self.weight(f"blocks.{i}.attn.proj.weight", (D, D), 0.4)
            self.weight(f"blocks.{i}.attn.proj.bias", (D,), 0.2)
            self.weight(f"blocks.{i}.norm2.weight", (D,), 0.2, 1)
            self.weight(f"blocks.{i}.norm2.bias", (D,), 0.2)
            self.weight(f"blocks.{i}.mlp.fc1.weight", (hidden, D), 0.4)
            self.weight(f"blocks.{i}.mlp.fc1.bias", (hidden,), 0.2)
            self.weight(f"blocks.{i}.mlp.fc2.weight", (D, hidden), 0.3)
            self.weight(f"blocks.{i}.mlp.fc2.bias", (D,), 0.2)
        self.weight("norm.weight", (D,), 0.2, 1)
        self.weight("norm.bias", (D,), 0.2)
        self.templates = rng.normal(size=(sum(classes), 3, CONFIG["img_size"], CONFIG["img_size"]))
        self.test = self.pictures(range(sum(classes)), 3)
        self.keep("test.input", self.test[0])
        self.keep("test.target", self.test[1])

    def weight(self, name, shape, std, mean=0):
        self.w[name] = self.draw("backbone." + name, shape, std, mean)

    def draw(self, name, shape, std, mean=0):
        """Random values that the file holds: exactly those, in f64."""
        return self.keep(name, (mean + std * self.rng.normal(size=shape)).astype(np.float32))

    def keep(self, name, value, dtype=None):
        value = np.asarray(value)
        if dtype is None:
            dtype = np.int64 if value.dtype.kind == "i" else np.float32
        self.tensors[name] = np.ascontiguousarray(value.astype(dtype))
        return self.tensors[name].astype(np.float64) if dtype == np.float32 else value

    def pictures(self, classes, each):
        labels = self.rng.permutation(np.repeat(np.array(list(classes)), each))
        noise = self.rng.normal(size=(len(labels), *self.templates.shape[1:]))
        return (self.templates[labels] + 0.8 * noise).astype(np.float32).astype(np.float64), labels

    def own(self, task):
        return range(self.edges[task], self.edges[task + 1])

    def train_images(self, task, each):
        images, labels = self.pictures(self.own(task), each)
        self.keep(f"task.{task}.train.input", images)
        self.keep(f"task.{task}.train.target", labels)
        return images, labels

    def train(self, task, params, loss, lr, decay):
        """SGD with momentum under a cosine by epochs; `params` by the file's names."""
        steps = EACH * EPOCHS
        batches = [self.pictures(self.own(task), BATCH) for _ in range(steps)]
        batches = [(images[:BATCH], labels[:BATCH]) for images, labels in batches]
        self.keep(f"task.{task}.input", np.stack([images for images, _ in batches]))
        self.keep(f"task.{task}.target", np.stack([labels for _, labels in batches]))
        of = jax.jit(jax.value_and_grad(loss))
        losses, rates, buffers = [], [], {}
        for step, (images, labels) in enumerate(batches):
            value, grads = of(params, images, labels - self.edges[task])
            rate = lr / 2 * (1 + np.cos(np.pi * (step // EACH) / EPOCHS))
            losses.append(value)
            rates.append(rate)
            for name, g in grads.items():
                if step == 0:
                    self.keep(f"task.{task}.grad.{name}", g)
                g = g + decay * params[name]
                buffers[name] = 0.9 * buffers[name] + g if step else g
            params = {name: p - rate * buffers[name] for name, p in params.items()}
        self.keep(f"task.{task}.loss", losses)
        self.keep(f"task.{task}.lr", rates, np.float64)
        for name, value in params.items():
            self.keep(f"task.{task}.after.{name}", value)
        return params

    def session(self, task, lr, decay, size):
        """New adapters and a new cosine head, trained; gives the adapters."""
        params = {}
        for i in range(CONFIG["depth"]):
            for name, shape in [("down_proj", (size, D)), ("up_proj", (D, size))]:
                full = f"adapter.{task}.{i}.{name}"
                params[full + ".weight"] = self.draw(full + ".weight", shape, 0.5)
                params[full + ".bias"] = self.draw(full + ".bias", shape[:1], 0.2)
        head = f"head.{task}"
        params[head + ".weight"] = self.draw(head + ".weight", (self.classes[task], D), 0.3)
        params[head + ".sigma"] = self.keep(head + ".sigma", np.ones(1, np.float32))
        adapter = lambda p: {k.removeprefix(f"adapter.{task}."): v for k, v in p.items() if k.startswith("adapter.")}

        def loss(p, images, labels):
            cosines = unit(features(self.w, images, adapter(p))) @ unit(p[head + ".weight"]).T
            return cross_entropy(p[head + ".sigma"] * cosines, labels)

        return adapter(self.train(task, params, loss, lr, decay))

    def means(self, f, labels, task):
        return np.stack([np.asarray(f)[labels == c].mean(0) for c in self.own(task)])

    def answers(self, task, scores):
        scores = np.asarray(scores)
        self.keep(f"task.{task}.logits", scores)
        self.keep(f"task.{task}.pred", scores.argmax(1))

    def trained_by_sgd(self, lr, decay):
        self.metadata |= {"lr": str(lr), "weight_decay": str(decay), "momentum": "0.9", "schedule": "cosine_epoch"}
        self.metadata |= {"steps": str(EACH * EPOCHS), "steps_per_epoch": str(EACH)}

    def with_adapters(self, lr, decay, size):
        self.trained_by_sgd(lr, decay)
        self.metadata |= {"adapter_size": str(size), "adapter_scale": "0.1", "dropout": "0.0"}
        return lr, decay, size


def simplecil(rng):
    file, rows = File("simplecil", [2, 3, 1], rng), []
    f = features(file.w, file.test[0])
    file.keep("test.feature", f)
    for task in range(3):
        images, labels = file.train_images(task, 4)
        rows.append(file.means(features(file.w, images), labels, task))
        w = np.concatenate(rows)
        file.keep(f"task.{task}.prototypes", w)
        file.answers(task, unit(f) @ unit(w).T)
    return file


def aper(rng):
    file, rows = File("aper", [3, 2], rng), []
    numbers = file.with_adapters(0.2, 1e-2, 3)
    for task in range(2):
        if task == 0:
            adapter = file.session(0, *numbers)
            both = lambda x: jnp.concatenate([features(file.w, x), features(file.w, x, adapter)], 1)
            f = both(file.test[0])
            file.keep("test.feature", f)
        images, labels = file.train_images(task, 4)
        rows.append(file.means(both(images), labels, task))
        w = np.concatenate(rows)
        file.keep(f"task.{task}.prototypes", w)
        file.answers(task, unit(f) @ unit(w).T)
    return file


def ranpac(rng, first_session):
    m = 18
    file = File("ranpac", [2, 2, 3], rng, projection=m, first_session=first_session)
    r = file.draw("projection", (D, m), 1.0)
    numbers = file.with_adapters(0.2, 1e-2, 3) if first_session == "adapter" else None
    total = file.edges[-1]
    g, q = np.zeros((m, m)), np.zeros((m, total))
    for task in range(3):
        if task == 0:
            adapter = file.session(0, *numbers) if numbers else None
            file.keep("test.feature", features(file.w, file.test[0], adapter))
        # More and fewer images than projections: 0.8·n is rounded down in all three.
        images, labels = file.train_images(task, [17, 7, 12][task])
        hidden = lambda x: np.maximum(np.asarray(features(file.w, x, adapter)) @ r, 0)
        h, y = hidden(images), np.eye(total)[labels]
        fit = int(0.8 * len(h))
        losses = []
        for exponent in range(-8, 9):
            small = h[:fit].T @ h[:fit] + 10.0**exponent * np.eye(m)
            if fit < m:  # the same by the smaller square, which is not singular
                k = h[:fit] @ h[:fit].T + 10.0**exponent * np.eye(fit)
                w = h[:fit].T @ np.linalg.solve(k, y[:fit])
            else:
                w = np.linalg.solve(small, h[:fit].T @ y[:fit])
            losses.append(((h[fit:] @ w - y[fit:]) ** 2).mean())
        order = np.argsort(losses)
        if losses[order[1]] < 1.01 * losses[order[0]]:
            return None
        ridge = 10.0 ** (int(order[0]) - 8)
        g, q = g + h.T @ h, q + h.T @ y
        w = np.linalg.solve(g + ridge * np.eye(m), q)[:, : file.edges[task + 1]]
        for name, value in [("G", g), ("Q", q), ("weight", w.T)]:
            file.keep(f"task.{task}.{name}", value)
        file.keep(f"task.{task}.ridge", [ridge], np.float64)
        file.keep(f"task.{task}.ridge_losses", losses, np.float64)
        file.answers(task, hidden(file.test[0]) @ w)
    return file


def ease(rng):
    alpha = 0.3
    file, sets, real = File("ease", [2, 1, 3, 2], rng, alpha=alpha), [], []
    numbers = file.with_adapters(0.2, 1e-2, 3)
    for task in range(4):
        sets.append(file.session(task, *numbers))
        images, labels = file.train_images(task, 4)
        real.append([file.means(features(file.w, images, s), labels, task) for s in sets])
        blocks = []
        for b in range(task + 1):
            own = np.concatenate([real[t][b] for t in range(b, task + 1)])
            rows = []
            for a in range(b):
                there = np.concatenate([real[t][a] for t in range(b, task + 1)])
                rows.append(softmax(unit(real[a][a]) @ unit(there).T) @ own)
            blocks.append(np.concatenate(rows + [own]))
        file.keep(f"task.{task}.prototypes", np.concatenate(blocks, 1))
        f = [features(file.w, file.test[0], s) for s in sets]
        file.keep(f"task.{task}.feature", jnp.concatenate(f, 1))
        of_task = np.repeat(np.arange(task + 1), file.classes[: task + 1])
        scores = 0
        for j in range(task + 1):
            weight = np.where(of_task == j, 1.0, alpha / max(task, 1))
            scores = scores + weight * (unit(f[j]) @ unit(blocks[j]).T)
        file.answers(task, scores)
    return file


def stage_logits(p, prefix, f):
    token = jnp.broadcast_to(p[prefix + "task_tokens"].reshape(1, D), (len(f), D))
    x = jnp.concatenate([token[:, None], f], 1)
    n = norm(x, p[prefix + "tabs.norm1.weight"], p[prefix + "tabs.norm1.bias"], 1e-5)
    part = lambda name, x: linear(p, f"{prefix}tabs.{name}", x)
    mixed = attention(part("attn.q", n[:, :1]), part("attn.k", n), part("attn.v", n))
    y = token + part("attn.proj", mixed)[:, 0]
    e = norm(y, p[prefix + "tabs.norm2.weight"], p[prefix + "tabs.norm2.bias"], 1e-5)
    y = y + part("mlp.fc2", gelu(part("mlp.fc1", e)))
    return linear(p, prefix + "classifiers", y)


def esn(rng):
    lam, anchor, length = 0.2, -4.0, 3
    numbers = {"prompt_length": length, "stage_heads": HEADS, "lambda": lam, "anchor": anchor}
    file = File("esn", [2, 3, 2], rng, **numbers, temperatures=json.dumps(TEMPERATURES))
    file.trained_by_sgd(0.05, 1e-2)
    prompt, stages, chosen = file.draw("prompt", (length, D), 0.3), [], [0.001]
    for task in range(3):
        p, prefix = {"prompt": prompt}, f"stage.{task}."
        draw = lambda name, shape, std, mean=0: p.update({prefix + name: file.draw(prefix + name, shape, std, mean)})
        draw("task_tokens", (1, 1, D), 0.5)
        for name in ["norm1", "norm2"]:
            draw(f"tabs.{name}.weight", (D,), 0.2, 1)
            draw(f"tabs.{name}.bias", (D,), 0.2)
        for name in ["attn.q", "attn.k", "attn.v", "attn.proj", "mlp.fc1", "mlp.fc2"]:
            rows, columns = {"mlp.fc1": (D // 2, D), "mlp.fc2": (D, D // 2)}.get(name, (D, D))
            draw(f"tabs.{name}.weight", (rows, columns), 0.3)
            draw(f"tabs.{name}.bias", (rows,), 0.2)
        draw("classifiers.weight", (file.classes[task], D), 0.3)
        draw("classifiers.bias", (file.classes[task],), 0.2)

        def loss(p, images, labels):
            z = stage_logits(p, prefix, tokens(file.w, images, prompt=p["prompt"]))
            return cross_entropy(z, labels) + lam * ((-logsumexp(-z, -1) - anchor) ** 2).mean()

        p = file.train(task, p, loss, 0.05, 1e-2)
        prompt = p["prompt"]
        stages.append(p)
        of = lambda images: [
            np.asarray(stage_logits(s, f"stage.{i}.", tokens(file.w, images, prompt=prompt)))
            for i, s in enumerate(stages)
        ]
        energies = lambda zs, t: np.stack([np.asarray(logsumexp(z / t, -1)) for z in zs], 1) * t
        clear = lambda e: e.shape[1] < 2 or (np.diff(np.sort(e, 1))[:, -1] > 1e-4).all()
        images, _ = file.train_images(task, 4)
        zs = of(images)
        if task > 0:
            won = [(energies(zs, t).argmax(1) == task).mean() for t in TEMPERATURES]
            file.keep(f"task.{task}.separation", won, np.float64)
            chosen.append(TEMPERATURES[int(np.argmax(won))])
            if not all(clear(energies(zs, t)) for t in TEMPERATURES):
                return None
        file.keep(f"task.{task}.temperatures", chosen, np.float64)
        zs = of(file.test[0])
        votes = np.zeros((len(zs[0]), task + 1), int)
        for t in sorted(set(chosen)):
            e = energies(zs, t)
            if not clear(e):
                return None
            votes[np.arange(len(e)), e.argmax(1)] += 1
        winner = votes.argmax(1)
        pred = [file.edges[u] + zs[u][i].argmax() for i, u in enumerate(winner)]
        file.keep(f"task.{task}.logits", np.concatenate(zs, 1))
        file.keep(f"task.{task}.pred", np.array(pred))
    return file


KINDS = {
    "simplecil": simplecil,
    "aper": aper,
    "ranpac": lambda rng: ranpac(rng, "none"),
    "ranpac_adapter": lambda rng: ranpac(rng, "adapter"),
    "ease": ease,
    "esn": esn,
}


def write(folder, name, seed):
    """The first seed from this one on whose choices are clear."""
    while True:
        file = KINDS[name](np.random.default_rng(seed))
        if file is not None:
            break
        seed += 1000
    path = Path(folder) / f"methods_{name}.safetensors"
    save_file(file.tensors, path, file.metadata)
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?", default="target/release/lae-studio")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--write", metavar="FOLDER")
    arguments = parser.parse_args()
    if arguments.write:
        for name in KINDS:
            print(write(arguments.write, name, 0))
        return 0
    failed = 0
    for seed in range(1, arguments.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            paths = [write(folder, name, seed) for name in KINDS]
            done = subprocess.run([arguments.program, "golden", *map(str, paths)], text=True, capture_output=True)
            print(f"seed {seed}\n{done.stdout}{done.stderr}", end="")
            failed += done.returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
