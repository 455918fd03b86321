#!/usr/bin/env bash
# Creates an AppImage from a built program:
#   assets/packaging/linux/appimage.sh PROGRAM OUT.AppImage [RUNTIME]
# Includes the list of licences if cargo about wrote it to target/THIRD-PARTY.html.
# The program loads the libraries of the desktop and of the driver at run time and contains everything else,
# so the image has only the program, its icons and its licences. RUNTIME is the small executable at the start
# of an AppImage that mounts the image; by default, the one below is downloaded and its SHA-256 verified.
# Needs mksquashfs (squashfs-tools). Keeps no file except OUT.
set -euo pipefail
cd "$(dirname "$0")/../../.."

# https://github.com/AppImage/type2-runtime: MIT; static, does not need libfuse.
RELEASE=20251108
# Compression: gzip works with every runtime. zstd is a tenth smaller, but the oldest runtimes do not support it.
PACKING=${PACKING:-zstd}

NAME=io.github.lae_studio.LaeStudio
PACKAGING=assets/packaging
[ $# -ge 2 ] || { sed -n '2,4p' "$0" >&2; exit 2; }
program=$1 out=$2 runtime=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "$runtime" ]; then
    machine=$(uname -m)
    case $machine in
        x86_64) sum=2fca8b443c92510f1483a883f60061ad09b46b978b2631c807cd873a47ec260d ;;
        aarch64) sum=00cbdfcf917cc6c0ff6d3347d59e0ca1f7f45a6df1a428a0d6d8a78664d87444 ;;
        *) echo "no runtime is known for $machine: give RUNTIME" >&2; exit 1 ;;
    esac
    runtime=$work/runtime
    curl --fail --silent --show-error --location --retry 3 --output "$runtime" \
        "https://github.com/AppImage/type2-runtime/releases/download/$RELEASE/runtime-$machine"
    echo "$sum  $runtime" | sha256sum --check --quiet
fi

folder=$work/AppDir
icons=$folder/usr/share/icons/hicolor
notices=$folder/usr/share/doc/lae-studio
install -Dm755 "$program" "$folder/usr/bin/lae-studio"
install -Dm644 -t "$folder/usr/share/applications" "$PACKAGING/linux/$NAME.desktop"
install -Dm644 -t "$folder/usr/share/metainfo" "$PACKAGING/linux/$NAME.metainfo.xml"
install -Dm644 -t "$notices" LICENSE-APACHE LICENSE-MIT README.md
install -Dm644 assets/README.md "$notices/assets.md"
parts=target/THIRD-PARTY.html
[ ! -e "$parts" ] || install -Dm644 -t "$notices" "$parts"
install -Dm644 "$PACKAGING/icons/icon.svg" "$icons/scalable/apps/$NAME.svg"
for side in 16 32 48 64 128 256 512; do
    install -Dm644 "$PACKAGING/icons/${side}x$side.png" "$icons/${side}x$side/apps/$NAME.png"
done
# The format needs these at the top level: the executable, the desktop entry and its icon.
ln -s usr/bin/lae-studio "$folder/AppRun"
ln -s "usr/share/applications/$NAME.desktop" "$folder/$NAME.desktop"
ln -s "usr/share/icons/hicolor/256x256/apps/$NAME.png" "$folder/$NAME.png"
ln -s "$NAME.png" "$folder/.DirIcon"

# The same program gives the same image, byte for byte.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
find "$folder" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
mksquashfs "$folder" "$work/image" -root-owned -noappend -no-progress -quiet -comp "$PACKING"
cat "$runtime" "$work/image" >"$out"
chmod 755 "$out"
