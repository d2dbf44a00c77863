#!/bin/sh
# uninstall.sh MANIFEST [DESTDIR] - remove what the last installation wrote, then the folders of ours that are empty now.
set -eu
[ -f "$1" ] || { echo "nothing was installed from here: $1 is absent" >&2; exit 1; }
while read -r file || [ -n "$file" ]; do
    rm -f "${2:-}$file"
    rmdir "${2:-}${file%/*}" 2>/dev/null || true
done <"$1"
