#!/usr/bin/env bash
# Sets up what is missing, builds, and runs all tests. Safe to run again; needs no network the second time. Ends with what the
# tests lacked that were skipped, and how it is got.
#
# Usage: [GLYCINE_PRESET=release] scripts/test.sh [CTest options, e.g. -R bounds]
source "$(dirname "$0")/lib.sh"

install_packages "${BUILD_PACKAGES[@]}"
# Real data for the tests that read some; they skip themselves where it cannot be fetched.
for package in "${DATA_PACKAGES[@]}"; do unpack_package "$package" >/dev/null || true; done
preset=${GLYCINE_PRESET:-release}
build "$preset"
status=0
ctest --preset "$preset" -j "$(nproc)" --output-junit skipped.xml --test-output-size-passed 1000000 "$@" || status=$?
tell_lacks "build/$preset/skipped.xml"
exit "$status"
