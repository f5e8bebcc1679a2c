#!/usr/bin/env bash
# Sets up what is missing, builds, and runs all tests. Safe to run again; needs no network the second time. Shows each test program
# as it ends, and closes with how many tests passed, failed and were skipped, why, and how to get what the skipped ones lacked.
#
# Usage: [GLYCINE_PRESET=release] scripts/test.sh [CTest options, e.g. -R bounds]
source "$(dirname "$0")/lib.sh"

install_packages "${BUILD_PACKAGES[@]}" "${PYTHON_PACKAGES[@]}" "${PYTHON_TEST_PACKAGES[@]}"
BUILD_OPTIONS=("${PYTHON_OPTIONS[@]}")
# Real data for the tests that read some; they skip themselves where it cannot be fetched.
for package in "${DATA_PACKAGES[@]}"; do unpack_package "$package" >/dev/null || true; done
preset=${GLYCINE_PRESET:-release}
build "$preset"
status=0
ctest --preset "$preset" -j "$(nproc)" --output-junit tests.xml --test-output-size-passed 100000000 \
    --test-output-size-failed 100000000 "$@" || status=$?
# The counts come last; they fail by themselves when a program ended before its last test.
summarise_tests "build/$preset/tests.xml" || status=1
exit "$status"
