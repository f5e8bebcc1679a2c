#!/usr/bin/env bash
# Builds and uses the image of packaging/Dockerfile as on a user's machine, but without a daemon or a registry: the base image
# is a bare root of its Debian release. Needs root, debootstrap, buildah and the network.
#
# Usage: packaging/check_image.sh [ROOT]
#        ROOT: folder to keep the bare system in; created if missing.
set -euo pipefail

source_folder=$(realpath "$(dirname "$0")/..")
keep=${1:-}
base=$(awk '$1 == "FROM" { print $2; exit }' "$source_folder/packaging/Dockerfile")
suite=${base#debian:}
suite=${suite%-slim}
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
root=${keep:-$work/root}
[ -d "$root/usr" ] || debootstrap --variant=minbase "$suite" "$root" >/dev/null

# Uses folders of its own and no user namespaces, because this may itself be a container.
in_store() { buildah --root "$work/images" --runroot "$work/state" --storage-driver vfs "$@"; }
say() { printf '\n=== %s\n' "$1"; }

say "A bare $suite as $base"
container=$(in_store from scratch)
in_store add --quiet "$container" "$root" / >/dev/null
in_store commit --quiet --rm "$container" "docker.io/library/$base" >/dev/null

say "The image of packaging/Dockerfile"
# The committed tree with its history, from which the version is read.
git clone -q "$source_folder" "$work/source"
in_store build --isolation chroot --network host --pull=never -f "$work/source/packaging/Dockerfile" -t glycine "$work/source" \
    >"$work/log" 2>&1 || {
    tail -n 40 "$work/log"
    exit 1
}

say "Used as its first lines say, on a folder of the user's"
mkdir "$work/data"
container=$(in_store from --pull=never glycine)
[ "$(in_store inspect --format '{{.OCIv1.Config.Entrypoint}}' "$container")" = '[glycine]' ]
inside() { in_store run --isolation chroot -v "$work/data:/data" "$container" -- glycine "$@"; }
inside --version
inside generate bounds --atoms 64 --known 0.1 -o bounds.npz
inside bounds bounds.npz -o smoothed.npz -o bounds.png
inside validate bounds --sizes 17 --backend cpu,gl | tail -n 1
[ -s "$work/data/smoothed.npz" ] && [ -s "$work/data/bounds.png" ]
if inside list | grep 'has no OpenGL'; then exit 1; fi
echo "Image: it builds from a bare $suite, and computes"
