#!/usr/bin/env bash
# Installs what build_packages.sh has made, with OpenGL for machines with a GPU and without: what the Dockerfile and the Apptainer
# definition do in their last stage. Needs root.
#
# Usage: packaging/install_packages.sh FOLDER
set -euo pipefail

program=$(realpath "$1"/glycine_*.deb)
# The backends; glycine-cuda where it was built.
mapfile -t backends < <(realpath "$1"/glycine-*.deb)
# Mesa's OpenGL and a font; but not what these recommend in turn, which is much.
recommended=(libgl1-mesa-dri fonts-dejavu-core)
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "$program" "${backends[@]}" "${recommended[@]}" >/dev/null
rm -rf /var/lib/apt/lists/*
glycine --version
glycine list >/dev/null
