#!/usr/bin/env bash
# Formats all sources; with --check only tells which ones would change, and fails if any.
source "$(dirname "$0")/lib.sh"

# New files, too, before git knows them.
mapfile -t files < <(git ls-files --cached --others --exclude-standard --deduplicate '*.cpp' '*.hpp' '*.cu' '*.cuh')
if [ "${1:-}" = --check ]; then
    clang-format --dry-run --Werror "${files[@]}"
    echo "Format: ${#files[@]} files are clean"
else
    clang-format -i "${files[@]}"
fi
