#!/usr/bin/env bash
# Runs Khronos' validator on every shader, in every dialect and set of defines that the shader supports.
#
# Usage: scripts/validate_shaders.sh BUILD_FOLDER
source "$(dirname "$0")/lib.sh"

folder=$1/shaders-for-validation
rm -rf "$folder"
"$1/tests/dump_shaders" "$folder"
# One process for all shaders, which are compiled separately and not linked. It also prints the names of valid ones.
if ! message=$(cd "$folder" && glslangValidator ./*); then
    grep -B 1 -E '^(ERROR|WARNING|INTERNAL)' <<<"$message" || tail -n 20 <<<"$message"
    echo "Not all shaders are valid" >&2
    exit 1
fi
echo "Shaders: all $(find "$folder" -type f | wc -l) are valid"
