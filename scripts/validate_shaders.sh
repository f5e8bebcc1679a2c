#!/usr/bin/env bash
# Runs Khronos' validator on every shader in every dialect and set of defines that it claims to work with.
#
# Usage: scripts/validate_shaders.sh BUILD_FOLDER
source "$(dirname "$0")/lib.sh"

folder=$1/shaders-for-validation
rm -rf "$folder"
"$1/tests/dump_shaders" "$folder"
failed=0
for shader in "$folder"/*; do
    if ! message=$(glslangValidator "$shader"); then
        echo "$message"
        failed=$((failed + 1))
    fi
done
[ "$failed" -eq 0 ] || {
    echo "$failed shaders are not valid" >&2
    exit 1
}
echo "Shaders: all are valid"
