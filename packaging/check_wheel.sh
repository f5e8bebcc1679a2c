#!/usr/bin/env bash
# Builds a wheel that includes its libraries, installs it in a bare root of Debian with only Python and NumPy, and computes,
# reads and draws there. Repeats this with Mesa in that root, which the wheel's own backend gl finds.
#
# Usage: packaging/check_wheel.sh BUILD_FOLDER [ROOT [PREFIX]]
#        As root. ROOT: folder to keep the bare system in; created or reused. PREFIX: another Python of Debian's minor version,
#        PREFIX/bin/python3, which then uses the wheel in that root, too.
source "$(dirname "$0")/../scripts/lib.sh"

build_folder=$(realpath "$1")
install_packages "${PYTHON_PACKAGES[@]}" python3-setuptools python3-wheel python3-pip debootstrap patchelf
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=${2:-$scratch/root}
[ -x "$root/usr/bin/python3" ] || debootstrap --variant=minbase --include=python3,python3-numpy,python3-pip bookworm "$root" >"$scratch/log" || {
    tail "$scratch/log"
    exit 1
}
GLYCINE_BUILD=$build_folder GLYCINE_BUNDLE=1 /usr/bin/python3 -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir "$scratch" .
ls -l "$scratch"/*.whl
rm -rf "$root/wheel"
mkdir "$root/wheel"
cp "$scratch"/*.whl "$root/wheel"

# With /proc, by which Graphviz finds its layouts.
in_root() {
    unshare --mount --pid --fork --mount-proc="$root/proc" \
        chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"
}
in_root sh -c 'python3 -m pip install --quiet --no-deps --no-index --break-system-packages --force-reinstall --root-user-action=ignore /wheel/*.whl'
cat >"$root/wheel/check.py" <<'PYTHON'
import gzip
import sys
import numpy as np
import glycine

rng = np.random.default_rng(1)
points = rng.normal(size=(60, 20))
expected = np.linalg.norm(points[:, None] - points[None], axis=2)
there = {one["name"]: one for one in glycine.backends()}
for name in ["reference", "cpu", *(["gl"] if there["gl"]["available"] else [])]:
    assert np.allclose(glycine.distances(points, backend=name), expected, atol=1e-5), name
    glycine.smooth_bounds(3 - 3 * np.eye(9), backend=name), glycine.mutual_information(points, backend=name)
    glycine.cross_apen(points[:3], backend=name), glycine.align(["ACDEFG", "ACDFG"], "clustalw", backend=name)
network = glycine.network(points, "clr", top=9)
for drawn in (glycine.distances(points), network, glycine.align(["ACDEFG", "ACDFG"])):
    assert drawn._repr_png_().startswith(b"\x89PNG"), drawn
with gzip.open("/tmp/a.fa.gz", "wt") as file:
    file.write(">a\nACDEFGHIKL\n>b\nACDFGHIKL\n")
np.savez("/tmp/b.npz", upper=3 - 3 * np.eye(9))
assert glycine.read_bounds("/tmp/b.npz").upper.shape == (9, 9)
assert glycine.read_fasta("/tmp/a.fa.gz").names == ["a", "b"] and glycine.validate("distance", sizes="32x32", backend="cpu")
for one in there.values():
    print(one["name"], "is there" if one["available"] else one["reason"])
assert there["gl"]["available"] or sys.argv[1] != "mesa", there["gl"]
PYTHON
# Every library is in the wheel or in the system; only the module gl needs OpenGL.
in_root sh -c 'cd /usr/local/lib/python3*/dist-packages/glycine && ldd ./*.so* | grep "not found"' | grep -vE "lib(EGL|OpenGL|GL|GLX)\.so" && exit 1
in_root python3 /wheel/check.py bare
if [ $# -ge 3 ]; then
    # At its own path, which its libraries may know.
    other=$(realpath "$3")
    rm -rf "${root:?}$other" "$root/site"
    mkdir -p "$root$other"
    cp -a "$other/." "$root$other"
    in_root sh -c "$other/bin/python3 -m pip install --quiet --no-deps --no-index --root-user-action=ignore --target /site /wheel/*.whl"
    in_root env PYTHONPATH=/site:/usr/lib/python3/dist-packages "$other/bin/python3" /wheel/check.py bare
fi
in_root sh -c 'apt-get -qq update && apt-get -qq install --no-install-recommends libgl1 libegl1 libopengl0 libegl-mesa0 libgl1-mesa-dri' >"$scratch/log" 2>&1 || {
    tail "$scratch/log"
    exit 1
}
in_root python3 /wheel/check.py mesa
echo "The wheel works in a bare root, without and with OpenGL."
