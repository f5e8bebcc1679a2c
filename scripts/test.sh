#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests. Can be repeated; needs no network the second time. Shows each test
# program as it ends, then how many tests passed, failed and were skipped, with the reason for skipped ones and how to get what
# they lack.
#
# Usage: [GLYCINE_PRESET=release] scripts/test.sh [CTest options, e.g. -R bounds]
source "$(dirname "$0")/lib.sh"

install_packages "${BUILD_PACKAGES[@]}" "${PYTHON_PACKAGES[@]}" "${PYTHON_TEST_PACKAGES[@]}"
BUILD_OPTIONS=("${PYTHON_OPTIONS[@]}")
# Real data for the tests that read it; they are skipped if it cannot be downloaded.
for package in "${DATA_PACKAGES[@]}"; do unpack_package "$package" >/dev/null || true; done
preset=${GLYCINE_PRESET:-release}
build "$preset"
status=0
ctest --preset "$preset" -j "$(nproc)" --output-junit tests.xml --test-output-size-passed 100000000 \
    --test-output-size-failed 100000000 "$@" || status=$?
# The counts come last; they fail on their own if a program ended before its last test.
summarise_tests "build/$preset/tests.xml" || status=1
exit "$status"
