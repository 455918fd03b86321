#!/usr/bin/env bash
# Signs an application and creates a disk image of it, on macOS:
#   assets/packaging/macos/dmg.sh APPLICATION.app OUT.dmg
# cargo packager applies the entitlements only if it signs the application, before it creates the image.
# This script therefore does both, without downloads. IDENTITY is the name of a developer certificate;
# without it, the signature is ad hoc.
set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,3p' "$0" >&2; exit 2; }
app=$1 out=$2 identity=${IDENTITY:--}
entitlements=$(dirname "$0")/entitlements.plist
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Files with extended attributes, from Finder or a download, cannot be signed.
xattr -cr "$app"
# Notarisation needs a timestamp, which is possible only with a certificate.
stamp=--timestamp
[ "$identity" != - ] || stamp=--timestamp=none
codesign --force --sign "$identity" --options runtime "$stamp" --entitlements "$entitlements" "$app"

codesign --verify --strict --verbose=2 "$app"
codesign --display --verbose=2 "$app" >"$work/signature" 2>&1
grep 'flags=.*runtime' "$work/signature"
codesign --display --entitlements - --xml "$app" >"$work/applied"
grep --quiet com.apple.security.cs.allow-jit "$work/applied"

mkdir "$work/image"
ditto "$app" "$work/image/$(basename "$app")"
ln -s /Applications "$work/image/Applications"
# The system scans new programs, and meanwhile the image cannot be unmounted.
for try in 1 2 3 4 5 6 7 8; do
    if hdiutil create -volname "$(basename "$app" .app)" -srcfolder "$work/image" -format UDZO -ov "$out"; then
        break
    fi
    [ "$try" -lt 8 ] || exit 1
    sleep 15
done
hdiutil verify "$out"
