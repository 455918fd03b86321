#!/usr/bin/env bash
# Signs an application and makes a disk image of it, on macOS:
#   assets/packaging/macos/dmg.sh APPLICATION.app OUT.dmg
# cargo packager applies the entitlements only when it signs, and it signs the application before the
# image is made; so both are done here, and nothing is fetched. IDENTITY names a developer's
# certificate; without it the application is sealed but says nothing about who made it.
set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,3p' "$0" >&2; exit 2; }
app=$1 out=$2 identity=${IDENTITY:--}
entitlements=$(dirname "$0")/entitlements.plist
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Marks that Finder or a download left on files cannot be signed.
xattr -cr "$app"
# What notarising asks for; a time can only be confirmed for a certificate.
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
# The system looks at new programs, and while it does the image cannot be closed.
for try in 1 2 3 4 5 6 7 8; do
    if hdiutil create -volname "$(basename "$app" .app)" -srcfolder "$work/image" -format UDZO -ov "$out"; then
        break
    fi
    [ "$try" -lt 8 ] || exit 1
    sleep 15
done
hdiutil verify "$out"
