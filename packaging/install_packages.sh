#!/usr/bin/env bash
# Installs the output of build_packages.sh, with OpenGL for machines with and without a GPU: the last stage of the Dockerfile
# and the Apptainer definition. Needs root.
#
# Usage: packaging/install_packages.sh FOLDER
set -euo pipefail

program=$(realpath "$1"/glycine_*.deb)
# The backends; glycine-cuda only if it was built.
mapfile -t backends < <(realpath "$1"/glycine-*.deb)
# Mesa's OpenGL and a font, without their many recommended packages.
recommended=(libgl1-mesa-dri fonts-dejavu-core)
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "$program" "${backends[@]}" "${recommended[@]}" >/dev/null
rm -rf /var/lib/apt/lists/*
glycine --version
glycine list >/dev/null
