#!/usr/bin/env bash
# Installs what build_packages.sh has made, with OpenGL for machines with a GPU and without: what the Dockerfile and the Apptainer
# definition do in their last stage. Needs root.
#
# Usage: packaging/install_packages.sh FOLDER
set -euo pipefail

folder=$(realpath "$1")
apt-get update -qq
# The program's recommended packages are Mesa's OpenGL and a font.
apt-get install -y -qq "$folder"/glycine_*.deb
rm -rf /var/lib/apt/lists/*
glycine --version
glycine list >/dev/null
