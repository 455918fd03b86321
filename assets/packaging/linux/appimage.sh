#!/usr/bin/env bash
# Makes an AppImage of a program that is built already:
#   assets/packaging/linux/appimage.sh PROGRAM OUT.AppImage [RUNTIME]
# With the licences of all parts, if cargo about wrote them to target/THIRD-PARTY.html.
# The program opens the libraries of desktop and driver at run time and brings everything else, so
# the image holds one program, its icons and its notices. RUNTIME is the small program at the head of
# every AppImage that mounts the rest; without it the one named below is fetched and its sum compared.
# Needs mksquashfs (squashfs-tools); nothing is kept but OUT.
set -euo pipefail
cd "$(dirname "$0")/../../.."

# https://github.com/AppImage/type2-runtime: MIT; static, so no libfuse has to be installed.
RELEASE=20251108
# What every runtime can read; zstd is a tenth smaller, the oldest runtimes cannot.
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
        *) echo "no runtime is known for $machine: name one" >&2; exit 1 ;;
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
# What the format looks for at the top: what to start, the entry, its icon.
ln -s usr/bin/lae-studio "$folder/AppRun"
ln -s "usr/share/applications/$NAME.desktop" "$folder/$NAME.desktop"
ln -s "usr/share/icons/hicolor/256x256/apps/$NAME.png" "$folder/$NAME.png"
ln -s "$NAME.png" "$folder/.DirIcon"

# The same program gives the same image, to the byte.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
find "$folder" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
mksquashfs "$folder" "$work/image" -root-owned -noappend -no-progress -quiet -comp "$PACKING"
cat "$runtime" "$work/image" >"$out"
chmod 755 "$out"
