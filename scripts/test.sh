#!/usr/bin/env bash
# Sets up what is missing, builds, and runs all tests. Safe to run again; needs no network the second time.
#
# Usage: scripts/test.sh [CTest options, e.g. -R bounds]
source "$(dirname "$0")/lib.sh"

install_packages "${BUILD_PACKAGES[@]}"
# A real protein for the tests that read one; they skip themselves where it cannot be fetched.
unpack_package theseus-examples >/dev/null || true
build release
ctest --preset release -j "$(nproc)" "$@"
