#!/usr/bin/env bash
# Builds the Debian packages and the tarball of a release, for the Dockerfile, the Apptainer definition and the release
# workflow. Installs build dependencies with apt (as root, or through sudo).
#
# Usage: packaging/build_packages.sh OUTPUT_FOLDER [CMake options, e.g. -DGLYCINE_WITH_CUDA=OFF]
source "$(dirname "$0")/../scripts/lib.sh"

output=$1
shift
# dpkg-dev and file provide dpkg-shlibdeps, with which cpack determines the dependencies.
install_packages "${BUILD_PACKAGES[@]}" "${PYTHON_PACKAGES[@]}" "${PACKAGE_PACKAGES[@]}"
folder=build/package
# Machine code from Turing to Hopper, and PTX for later devices.
cmake --preset release -B "$folder" -DGLYCINE_WITH_TESTS=OFF "${PYTHON_OPTIONS[@]}" '-DCMAKE_CUDA_ARCHITECTURES=75-real;80-real;86-real;90' "$@"
cmake --build "$folder"
scripts/check_install.sh "$folder"
mkdir -p "$output"
for generator in DEB TGZ; do
    (cd "$folder" && cpack -G "$generator" -B packages)
done
cp "$folder"/packages/*.deb "$folder"/packages/*.tar.gz "$output"
