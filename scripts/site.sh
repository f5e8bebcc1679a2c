#!/usr/bin/env bash
# Checks the spelling of pages, checks and runs their commands, and builds the documentation site in build/site, which can be
# opened from a folder or a server.
#
# Usage: scripts/site.sh [PROGRAM] (default: build/release/glycine)
source "$(dirname "$0")/lib.sh"

program=${1:-build/release/glycine}
install_packages codespell doxygen git mkdocs mkdocs-material python3
codespell
scripts/run_pages.py --program "$program"
scripts/site.py --program "$program"
