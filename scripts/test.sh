#!/usr/bin/env bash
# Sets up what is missing, builds, and runs all tests. Safe to run again; needs no network the second time.
#
# Usage: scripts/test.sh [CTest options, e.g. -R bounds]
source "$(dirname "$0")/lib.sh"

install_packages "${BUILD_PACKAGES[@]}"
# Real data for the tests that read some; they skip themselves where it cannot be fetched.
for package in "${DATA_PACKAGES[@]}"; do unpack_package "$package" >/dev/null || true; done
build release
ctest --preset release -j "$(nproc)" "$@"
