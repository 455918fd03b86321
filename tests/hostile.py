#!/usr/bin/env python3
"""Runs the program on a folder of hostile inputs, each with a limit of address space, and reports how it ended.

    python3 tests/hostile.py PROGRAM FOLDER [--gigabytes 9] [--seconds 120] [--megabytes N] [--table FILE.md]
    python3 tests/hostile.py PROGRAM --plugins --seconds 5 --megabytes 500

--plugins generates plugin files: names, numbers, nesting, lists and steps of extreme sizes, each alone, and a folder
of five hundred that each take the maximum time.

The command depends on the kind of input: weight files are opened for a measurement, archives and folders as datasets,
plugins are listed, class orders and settings start a run, folders of runs are listed and each of their runs is
resumed. Needs Linux and Python's standard library. The exit code is 1 if an input caused a crash, took too long or
more memory than --megabytes, or produced no message.
"""
import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WEIGHTS = {".pth", ".pt", ".bin", ".safetensors", ".npz"}
ARCHIVES = {".zip", ".tar", ".gz", ".tgz", ".xz", ".txz"}
PICTURES = {".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp"}
QUICK = "--data digits --train-limit 2 --test-limit 1 --epochs 1 --freeze-epochs 0 --device cpu --quiet".split()


def asked(path):
    """Yields the commands for an input: arguments, and a plugin file or folder for the program."""
    ending = path.suffix.lower()
    if path.is_dir():
        runs = [child for child in path.iterdir() if child.is_dir() and os.path.lexists(child / "run.toml")]
        if runs:
            yield ["runs", "--out", str(path), "--json", "-"], None
            for run in sorted(runs):
                yield ["resume", str(run), "--device", "cpu", "--quiet"], None
        elif len(found := sorted(path.glob("plugins/*.toml"))) > 1 and path.name.startswith("five"):
            yield ["plugins", "--json", "-"], found[0].parent
        elif found:
            for plugin in found:
                yield ["plugins", "--json", "-"], plugin
        else:
            yield ["data", str(path), "--json", "-"], None
    elif ending in WEIGHTS:
        yield ["bench", "--backbone", str(path), "--mode", "predict", "--batch", "1", "--device", "cpu"], None
    elif ending in ARCHIVES:
        yield ["data", str(path), "--json", "-"], None
    elif ending in PICTURES:
        yield ["features", "lae-nano", "--image", str(path)], None
    elif ending == ".json":
        yield ["train", *QUICK, "--order", str(path)], None
    elif ending == ".toml" and path.name == "backbones.toml":
        yield ["bench", "--backbone", "lae-nano", "--mode", "predict", "--batch", "1", "--device", "cpu"], path
    elif ending == ".toml" and path.parent.name == "plugins":
        yield ["plugins", "--json", "-"], path
    elif ending == ".toml":
        yield ["train", "--config", str(path), "--device", "cpu", "--quiet"], None


def inputs(folder):
    """Yields each input with its commands, also those in subfolders."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name in ("plugins", "seeds", "weights", "pictures", "archives"):
            for inner in sorted(path.iterdir()):
                yield from ((inner, *ask) for ask in asked(inner))
        else:
            yield from ((path, *ask) for ask in asked(path))


def plugin(equation="h + w", shape='[1, "d"]', more="", steps=""):
    equations = f"[equations.mlp]\n{steps}" if steps else f"[equations]\nmlp = \"{equation}\"\n"
    return (
        f'name = "X"\nsites = ["mlp"]\n{more}\n[sizes]\nn = {{ default = 1024, max = 1048576 }}\n'
        f'[parameters]\nw = {{ shape = {shape}, init = "normal(1)" }}\n{equations}'
    )


def absurd_plugins(folder):
    """Writes plugin files of extreme sizes, each to its own folder, and two folders of five hundred files."""
    square = '["n", "n"]'
    texts = {
        "long_name": f'name = "{"x" * 60000}"\n',
        "long_names": plugin(more="".join(f"{chr(97 + n) * 5000} = 1\n" for n in range(12))),
        "many_names": "[parameters]\n" + "".join(f'p{n} = {{ shape = [1, 1], init = "zeros" }}\n' for n in range(1500)),
        "many_sizes": "[sizes]\n" + "".join(f"s{n} = {{ default = 1 }}\n" for n in range(3000)),
        "many_sites": "sites = [" + '"mlp", ' * 8000 + "]\n",
        "many_variants": plugin() + "".join(f'[variants.v{n}.equations]\nmlp = "h + w"\n' for n in range(1500)),
        "large_count": plugin(shape="[99999999999999999999, 1]"),
        "large_counts": plugin(shape="[4294967296, 4294967296]"),
        "large_size": plugin(shape='["n", "n"]').replace("1024", "1048576"),
        "large_formula": plugin(shape='["' + " * ".join(["n"] * 100) + '", "d"]'),
        "large_numbers": plugin("h * 1e308 * 1e308 + w / 0"),
        "long_number": plugin("h + " + "9" * 60000),
        "deep_parentheses": plugin("(" * 30000 + "h" + ")" * 30000),
        "deep_minus": plugin("-" * 60000 + "h"),
        "deep_calls": plugin("gelu(" * 10000 + "h" + ")" * 10000),
        "deep_tables": "a = " + "{a=" * 20000,
        "deep_arrays": "a = " + "[" * 60000,
        "deep_keys": "a." * 30000 + "a = 1\n",
        "long_equation": plugin(" + ".join(["h"] * 15000)),
        "products": plugin("h + 0 * sum(" + " @ ".join(["w"] * 120) + ")", square),
        "kronecker": plugin("h + 0 * sum(kron(kron(w, w), kron(w, w)))", square),
        "steps": plugin(shape=square, steps="".join(f's{n} = "w @ w + {n}"\n' for n in range(31)) + 'result = "h"\n'),
        "tokens": plugin("h + first_rows(join_tokens(" * 60 + "h" + ", w), 1)" * 60, square),
        "quotes": '"' * 64000,
        "no_text": "\0\u202e\r\n=\U0001f600" * 5000,
        "too_long": "#" + "x" * 3_000_000,
    }
    # As slow to test as a plugin may be: many variants with large products.
    product = "h + 0 * sum(" + " @ ".join(["w"] * 40) + ")"
    slow = plugin(product, square, 'variant = "a"') + "".join(
        f'[variants.v{n}.equations]\nmlp = "{product} + {n}"\n' for n in range(30)
    )
    texts["slow"] = slow
    for name, text in texts.items():
        place = folder / name / "plugins"
        place.mkdir(parents=True)
        (place / "a.toml").write_text(text, encoding="utf-8", newline="")
    for name, some in (("five_hundred", [slow]), ("five_hundred_others", list(texts.values())[:-3])):
        place = folder / name / "plugins"
        place.mkdir(parents=True)
        for at in range(500):
            text = some[at % len(some)].replace('"X"', f'"X{at}"')
            (place / f"{at:03}.toml").write_text(text, encoding="utf-8", newline="")


def size_of(path):
    if path.is_file():
        return path.stat().st_size
    files = (inner for inner in path.rglob("*") if inner.is_file() and not inner.is_symlink())
    return sum(inner.stat().st_size for inner in files)


def run(args, words, plugin, work):
    """Returns the exit code (None after the time limit), the seconds, the peak in MB and the output."""
    home = Path(tempfile.mkdtemp(dir=work))
    if plugin and plugin.is_dir():
        shutil.copytree(plugin, home / "plugins")
    elif plugin:
        (home / "plugins").mkdir()
        shutil.copy(plugin, home / "plugins")
    env = os.environ | {"HOME": str(home), "LAE_RUNS": str(home / "runs"), "LAE_STUDIO_CACHE": str(home / "cache"),
                        "XDG_DATA_HOME": str(home / "data"), "XDG_CONFIG_HOME": str(home / "config"),
                        "XDG_CACHE_HOME": str(home / "caches")}
    limit = args.gigabytes << 30

    def confine():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with open(home / "said", "w+") as said:
        began = time.monotonic()
        child = subprocess.Popen([args.program, *words], cwd=home, env=env, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=said, preexec_fn=confine)
        status = None
        while time.monotonic() - began < args.seconds:
            done, status, usage = os.wait4(child.pid, os.WNOHANG)
            if done:
                break
            time.sleep(0.02)
        else:
            child.kill()
            _, _, usage = os.wait4(child.pid, 0)
            status = None
        seconds = time.monotonic() - began
        said.seek(0)
        text = said.read()
    shutil.rmtree(home, ignore_errors=True)
    code = None if status is None else os.waitstatus_to_exitcode(status)
    return code, seconds, usage.ru_maxrss >> 10, text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("folder", nargs="?", type=lambda text: Path(text).resolve())
    parser.add_argument("--plugins", action="store_true", help="hostile plugin files of its own in place of a folder")
    parser.add_argument("--gigabytes", type=int, default=9, help="limit of address space")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--megabytes", type=int, default=1 << 20, help="most memory")
    parser.add_argument("--table", type=Path, help="write the table into this file, too")
    args = parser.parse_args()
    work = tempfile.mkdtemp(prefix="lae-hostile-")
    if args.plugins:
        args.folder = Path(work) / "made"
        absurd_plugins(args.folder)
    elif not args.folder:
        parser.error("name a folder, or --plugins")
    rows = ["| input | kB | asked | exit | seconds | peak MB | ended with |", "|---|---:|---|---:|---:|---:|---|"]
    print("\n".join(rows))
    bad = 0
    for path, words, plugin in inputs(args.folder):
        code, seconds, peak, text = run(args, words, plugin, work)
        fine = code in (0, 1, 2) and "panicked" not in text and "internal error" not in text
        fine &= peak <= args.megabytes
        bad += not fine
        lines = [line for line in text.splitlines() if line.startswith("problem: ")]
        first = lines[0].removeprefix("problem: ") if lines else "a result" if code == 0 else text.strip()[:80]
        name = path.relative_to(args.folder)
        if words[0] == "resume":
            name = Path(words[1]).relative_to(args.folder)
        first = first.replace(str(args.folder), "").replace("|", "\\|").encode("ascii", "backslashreplace").decode()
        shown = "too long" if code is None else code
        rows.append(f"| {name} | {size_of(args.folder / name) >> 10:,} | {words[0]} | {shown} | {seconds:.1f} | {peak} | "
                    f"{'' if fine else '**BAD** '}{first[:110]} |")
        print(rows[-1], flush=True)
    shutil.rmtree(work, ignore_errors=True)
    if args.table:
        args.table.write_text("\n".join(rows) + "\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
