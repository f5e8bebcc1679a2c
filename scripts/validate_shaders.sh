#!/usr/bin/env bash
# Runs Khronos' validator on every shader in every dialect and set of defines that it claims to work with.
#
# Usage: scripts/validate_shaders.sh BUILD_FOLDER
source "$(dirname "$0")/lib.sh"

folder=$1/shaders-for-validation
rm -rf "$folder"
"$1/tests/dump_shaders" "$folder"
# One process for all: each is compiled by itself, none is linked. Names of valid ones are printed, too.
if ! message=$(cd "$folder" && glslangValidator ./*); then
    grep -B 1 -E '^(ERROR|WARNING|INTERNAL)' <<<"$message" || tail -n 20 <<<"$message"
    echo "Not all shaders are valid" >&2
    exit 1
fi
echo "Shaders: all $(find "$folder" -type f | wc -l) are valid"
