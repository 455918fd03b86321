"""Golden files of EWC and iCaRL, computed in f64 with PyTorch and timm from the equations of their papers.

    python tests/golden_ewc_icarl.py --write tests/golden    # the small files that every test run checks
    python tests/golden_ewc_icarl.py [PROGRAM] [--seeds 5]   # new ones, checked with `lae-studio golden`

EWC: Kirkpatrick et al., PNAS 2017, Eq. 3, with one penalty per parameter (Schwarz et al., ICML 2018, Eq. 9). iCaRL:
Rebuffi et al., CVPR 2017, Algorithms 1 to 5. Both train an Adapter and linear heads with Adam over two tasks. Each
file contains a small ViT with random weights, the initial state of the tasks, their batches, the images that they
measure, and the expected tensors after each task, with the names of the program's checkpoints. Skipped without torch
or timm. The exit code is 1 if a file exceeds its tolerance.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import golden_sizes

torch, F = golden_sizes.torch, golden_sizes.F

CONFIG = {"img_size": 8, "patch_size": 4, "embed_dim": 12, "depth": 2, "num_heads": 2, "mlp_ratio": 3.0}
D, SIDE, SIZE = CONFIG["embed_dim"], CONFIG["img_size"], 3
BATCH, EACH, EPOCHS, RATE = 5, 2, 3, 0.01
# Names of the Adapter's parameters in the program's checkpoints.
OURS = {
    "layer.0.weight": "down",
    "layer.0.bias": "b_down",
    "layer.2.weight": "up",
    "layer.2.bias": "b_up",
    "layer.3.scale": "s",
}


def ours(value):
    """Returns a value as the program's checkpoints store it: a matrix is in × out, anything else is one row."""
    return value.detach().T if value.dim() == 2 else value.detach().reshape(1, -1)


def unit(seed):
    """Returns the first f32 in [0, 1) of the program's generator: ChaCha8 with Rust's `seed_from_u64` (PCG32)."""
    key = []
    for _ in range(8):
        seed = (seed * 0x5851F42D4C957F2D + 0xA17654E46FBE17F3) % 2**64
        mixed, turn = (((seed >> 18) ^ seed) >> 27) % 2**32, seed >> 59
        key.append(((mixed >> turn) | (mixed << (32 - turn))) % 2**32)
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key, 0, 0, 0, 0]
    x = start.copy()
    for step in range(32):
        # Columns in even rounds, diagonals in odd rounds.
        i, shift = step % 4, step // 4 % 2
        a, b, c, d = (4 * row + (i + shift * row) % 4 for row in range(4))
        for to, by, mix, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[to] = (x[to] + x[by]) % 2**32
            mixed = x[mix] ^ x[to]
            x[mix] = ((mixed << turn) | (mixed >> (32 - turn))) % 2**32
    return ((x[0] + start[0]) % 2**32 >> 8) / 2**24


class Run:
    """A network in training, and the content of its golden file."""

    def __init__(self, method, pet, classes, seed, **settings):
        self.generator = torch.Generator().manual_seed(seed)
        torch.manual_seed(seed)
        self.net, self.classes, self.tensors, self.prefix = golden_sizes.network("vit", CONFIG), classes, {}, pet
        for p in self.net.parameters():
            p.requires_grad_(False).add_(0.2 * torch.randn(p.shape, generator=self.generator))
        for name, value in self.net.state_dict().items():
            self.keep(f"backbone.{name}", value)
        self.net.double()
        pets = golden_sizes.attach("vit", self.net, "Adapter", SIZE, CONFIG["depth"], self.generator, {})
        self.pets = {}
        for block, pet in enumerate(pets):
            for name in pet:
                pet[name] = pet[name].detach().double().requires_grad_()
                self.pets[f"{block}.{OURS[name]}"] = pet[name]
        for name, value in self.pets.items():
            self.keep(f"task.0.start.{self.prefix}.{name}", ours(value))
        self.heads, self.edges = [], [sum(classes[:i]) for i in range(len(classes) + 1)]
        self.templates = torch.randn(sum(classes), 3, SIDE, SIDE, generator=self.generator)
        self.test, _ = self.pictures(range(sum(classes)), 3)
        self.keep("test.input", self.test)
        self.metadata = {"kind": "method", "method": method, "backbone": "vit", "config": json.dumps(CONFIG)}
        self.metadata |= {"classes": json.dumps(classes), "pet": "adapter", "adapter_size": str(SIZE), "lr": str(RATE)}
        self.metadata |= {"steps": str(EACH * EPOCHS), "steps_per_epoch": str(EACH)}
        self.metadata |= {key: str(value) for key, value in settings.items()}

    def keep(self, name, value):
        kind = torch.float32 if value.is_floating_point() else torch.int64
        self.tensors[name] = value.detach().to(kind).clone().contiguous()

    def pictures(self, classes, each):
        labels = torch.tensor([c for c in classes for _ in range(each)])
        labels = labels[torch.randperm(len(labels), generator=self.generator)]
        noise = torch.randn(len(labels), 3, SIDE, SIDE, generator=self.generator)
        return (self.templates[labels] + 0.8 * noise).double(), labels

    def own(self, task):
        return range(self.edges[task], self.edges[task + 1])

    def begin(self, task):
        """Adds a head for the classes of a task."""
        n = self.classes[task]
        head = [golden_sizes.draw(self.generator, *shape).double() for shape in [(n, D), (n,)]]
        self.heads.append([value.requires_grad_() for value in head])
        for name, value in zip(("weight", "bias"), head):
            self.keep(f"task.{task}.start.head.{task}.{name}", ours(value))

    def logits(self, images, heads=None):
        features = self.net(images)
        return torch.cat([features @ w.T + b for w, b in heads or self.heads], 1)

    def learn(self, task, heads, loss, batch):
        """Trains the PET and these heads, given by name, with a new Adam."""
        trained = {f"pet.{name}": value for name, value in self.pets.items()}
        for name, (w, b) in heads.items():
            trained |= {f"{name}.weight": w, f"{name}.bias": b}
        adam = torch.optim.Adam(trained.values(), lr=RATE)
        batches, losses = [batch() for _ in range(EACH * EPOCHS)], []
        for images, labels in batches:
            adam.zero_grad()
            value = loss(images, labels)
            value.backward()
            adam.step()
            losses.append(value.detach())
        for name, what in (("input", 0), ("target", 1)):
            self.keep(f"task.{task}.{name}", torch.stack([pair[what] for pair in batches]))
        self.keep(f"task.{task}.loss", torch.stack(losses))
        for name, value in trained.items():
            state = adam.state[value]
            self.keep(f"task.{task}.adam.first.{name}", ours(state["exp_avg"]))
            self.keep(f"task.{task}.adam.second.{name}", ours(state["exp_avg_sq"]))
        for name, value in self.pets.items():
            self.keep(f"task.{task}.after.{self.prefix}.{name}", ours(value))
        for at, head in enumerate(self.heads):
            for name, value in zip(("weight", "bias"), head):
                self.keep(f"task.{task}.after.head.{at}.{name}", ours(value))

    def measured(self, task, images, labels):
        self.keep(f"task.{task}.train.input", images)
        self.keep(f"task.{task}.train.target", labels)

    def answers(self, task, scores):
        self.keep(f"task.{task}.logits", scores)
        self.keep(f"task.{task}.pred", scores.argmax(1))


def ewc(seed):
    strength, gamma = 40.0, 0.5
    run = Run("ewc", "online", [3, 2], seed, ewc_lambda=strength, ewc_gamma=gamma)
    fisher, anchor = None, None
    for task in range(2):
        run.begin(task)
        first, head = run.edges[task], run.heads[task]

        def loss(images, labels):
            value = F.cross_entropy(run.logits(images, [head]), labels - first)
            if fisher is None:
                return value
            return value + strength / 2 * sum((fisher[n] * (p - anchor[n]) ** 2).sum() for n, p in run.pets.items())

        def batch():
            images, labels = run.pictures(run.own(task), BATCH)
            return images[:BATCH], labels[:BATCH]

        run.learn(task, {"head": head}, loss, batch)
        images, labels = run.pictures(run.own(task), 4)
        run.measured(task, images, labels)
        sums = {name: torch.zeros_like(p) for name, p in run.pets.items()}
        for sample, image in enumerate(images):
            log = run.logits(image[None], [head]).log_softmax(1)[0]
            # The program's seed is 0, so the seeds of the tasks start at 1 and 2.
            below = log.exp().cumsum(0) - unit(task + 1 + sample)
            if below[:-1].abs().min() < 1e-4:
                return None
            y = int((below[:-1] < 0).sum())
            for (name, _), g in zip(run.pets.items(), torch.autograd.grad(log[y], list(run.pets.values()))):
                sums[name] += g**2 / len(images)
        fisher = {name: s + (gamma * fisher[name] if fisher else 0) for name, s in sums.items()}
        anchor = {name: p.detach().clone() for name, p in run.pets.items()}
        for name in run.pets:
            run.keep(f"task.{task}.kept.importance.{name}", ours(fisher[name]))
            run.keep(f"task.{task}.kept.anchor.{name}", ours(anchor[name]))
        run.answers(task, run.logits(run.test))
    return run


def herded(rows, count):
    """Algorithm 4; `None` if two images are nearly equally good."""
    mean, chosen = rows.mean(0), []
    for k in range(1, count + 1):
        sum_ = rows[chosen].sum(0)
        apart = ((mean - (rows + sum_) / k) ** 2).sum(1)
        apart[chosen] = torch.inf
        order = apart.argsort()
        if apart[order[1]] - apart[order[0]] < 1e-5:
            return None
        chosen.append(int(order[0]))
    return chosen


def icarl(seed):
    budget, each = 7, 4
    run = Run("icarl", "pet", [2, 2], seed, exemplars=budget)
    kept = []  # the exemplars of each class as (task, image, pixels)
    features = lambda images: F.normalize(run.net(images), dim=1)
    for task in range(2):
        old = torch.tensor([c for c, rows in enumerate(kept) for _ in rows], dtype=torch.int64)
        images_of = [pixels for rows in kept for *_, pixels in rows]
        exemplars = torch.stack(images_of) if images_of else torch.zeros(0, 3, SIDE, SIDE).double()
        images, labels = run.pictures(run.own(task), each)

        def batch():
            new, targets = run.pictures(run.own(task), BATCH)
            again = torch.randperm(len(old), generator=run.generator)[:2]
            rest = BATCH - len(again)
            return torch.cat([exemplars[again], new[:rest]]), torch.cat([old[again], targets[:rest]])

        # The old parameters, for the outputs of the network before the task.
        before = {name: p.detach().clone() for name, p in run.pets.items()}
        former = [[w.detach().clone(), b.detach().clone()] for w, b in run.heads]

        def said(images):
            now = {name: p.detach().clone() for name, p in run.pets.items()}
            with torch.no_grad():
                for name, p in run.pets.items():
                    p.copy_(before[name])
                q = torch.sigmoid(run.logits(images, former))
                for name, p in run.pets.items():
                    p.copy_(now[name])
            return q

        run.begin(task)

        def loss(images, labels):
            wanted = F.one_hot(labels, run.edges[task + 1])[:, run.edges[task] :].double()
            if former:
                wanted = torch.cat([said(images), wanted], 1)
            g = torch.sigmoid(run.logits(images))
            return -(wanted * g.log() + (1 - wanted) * (1 - g).log()).sum(1).mean()

        run.learn(task, {f"head.{at}": head for at, head in enumerate(run.heads)}, loss, batch)
        run.measured(task, torch.cat([exemplars, images]), torch.cat([old, labels]))
        with torch.no_grad():
            seen = run.edges[task + 1]
            quota = [budget // seen + (c < budget % seen) for c in range(seen)]
            kept = [rows[:m] for rows, m in zip(kept, quota)]
            for c in run.own(task):
                places = (labels == c).nonzero()[:, 0].tolist()
                chosen = herded(features(images[places]), quota[c])
                if chosen is None:
                    return None
                kept.append([(task, places[at], images[places[at]]) for at in chosen])
            means = torch.stack([features(torch.stack([row[2] for row in rows])).mean(0) for rows in kept])
            table = [[c, *row[:2]] for c, rows in enumerate(kept) for row in rows]
            run.keep(f"task.{task}.kept.exemplars", torch.tensor(table).float())
            run.keep(f"task.{task}.kept.prototypes", means)
            run.answers(task, features(run.test) @ F.normalize(means, dim=1).T)
    return run


KINDS = {"ewc": ewc, "icarl": icarl}


def write(folder, name, seed):
    """Writes the file of the first seed, from this one on, without ambiguous choices."""
    while (run := KINDS[name](seed)) is None:
        seed += 1000
    path = Path(folder) / f"methods_{name}.safetensors"
    golden_sizes.save_file(run.tensors, path, run.metadata)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default="target/release/lae-studio")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--write", metavar="FOLDER")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
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
