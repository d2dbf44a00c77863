#!/bin/sh
# uninstall.sh MANIFEST [DESTDIR] - remove what the last installation wrote, then the folders that are empty now: those that held
# its files, and those above them that are ours (slipstick, and what is inside).
set -eu
[ -f "$1" ] || { echo "nothing was installed from here: $1 is absent" >&2; exit 1; }
while read -r file || [ -n "$file" ]; do
    rm -f "${2:-}$file"
    folder=${file%/*}
    while rmdir "${2:-}$folder" 2>/dev/null; do
        folder=${folder%/*}
        case $folder in
        */slipstick | */slipstick/*) ;;
        *) break ;;
        esac
    done
done <"$1"
