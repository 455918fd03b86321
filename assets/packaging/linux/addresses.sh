#!/usr/bin/env bash
# Adds the URL of the repository to the AppStream metadata of this working tree:
#   assets/packaging/linux/addresses.sh https://github.com/SOMEBODY/SOMETHING VERSION
# Until then, the homepage and the screenshots are in a comment, because a dead link is an error.
set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,3p' "$0" >&2; exit 2; }
metainfo=$(dirname "$0")/io.github.lae_studio.LaeStudio.metainfo.xml
sed -e '/<!-- Opened by addresses.sh:/d' -e '/until here -->/d' -e "s|@REPOSITORY@|$1|g; s|@VERSION@|$2|g" \
    "$metainfo" >"$metainfo.new"
mv "$metainfo.new" "$metainfo"
grep --quiet "<url type=\"homepage\">$1</url>" "$metainfo"
