#!/usr/bin/env python3
"""Lists every crate of Cargo.lock for flatpak-builder, which downloads them before it builds without network access.

    assets/packaging/linux/cargo_sources.py > assets/packaging/linux/cargo-sources.json

The list has the format of flatpak-cargo-generator. All crates come from crates.io, so the script needs only Python
and no downloads.
"""
import json
import sys
import tomllib
from pathlib import Path

LOCK = Path(__file__).resolve().parents[3] / "Cargo.lock"
CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"
# Below the module's folder, where the manifest has CARGO_HOME.
HOME = "cargo"
CONFIG = f"""[source.crates-io]
replace-with = "vendored"

[source.vendored]
directory = "{HOME}/vendor"
"""


def sources():
    for package in tomllib.loads(LOCK.read_text(encoding="utf-8"))["package"]:
        if "source" not in package:
            continue  # one of this repository
        crate = f"{package['name']}-{package['version']}"
        if package["source"] != CRATES_IO:
            sys.exit(f"{crate} does not come from crates.io: {package['source']}")
        folder = f"{HOME}/vendor/{crate}"
        checksum = package["checksum"]
        url = f"https://static.crates.io/crates/{package['name']}/{crate}.crate"
        yield {"type": "archive", "archive-type": "tar-gzip", "url": url, "sha256": checksum, "dest": folder}
        # The archive as a whole was compared; cargo need not compare its files again.
        compared = json.dumps({"package": checksum, "files": {}})
        yield {"type": "inline", "contents": compared, "dest": folder, "dest-filename": ".cargo-checksum.json"}
    yield {"type": "inline", "contents": CONFIG, "dest": HOME, "dest-filename": "config.toml"}


json.dump(list(sources()), sys.stdout, indent=1)
print()
