#!/usr/bin/env bash
# Formats all sources; with --check only lists files that would change, and fails if there are any.
source "$(dirname "$0")/lib.sh"

# Includes new files that are not in git yet.
mapfile -t files < <(git ls-files --cached --others --exclude-standard --deduplicate '*.cpp' '*.hpp' '*.cu' '*.cuh')
if [ "${1:-}" = --check ]; then
    printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 100 clang-format --dry-run --Werror
    echo "Format: ${#files[@]} files are clean"
else
    printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 100 clang-format -i
fi
