#!/usr/bin/env bash
# Installs what build_packages.sh has made, with OpenGL for machines with a GPU and without: what the Dockerfile and the Apptainer
# definition do in their last stage. Needs root.
#
# Usage: packaging/install_packages.sh FOLDER
set -euo pipefail

program=$(realpath "$1"/glycine_*.deb)
# What the program recommends, Mesa's OpenGL and a font; but not what these recommend in turn, which is much.
IFS=', ' read -r -a recommended <<<"$(dpkg-deb --field "$program" Recommends)"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "$program" "${recommended[@]}" >/dev/null
rm -rf /var/lib/apt/lists/*
glycine --version
glycine list >/dev/null
