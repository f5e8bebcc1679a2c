#!/usr/bin/env bash
# Installs the Debian packages in a bare root of their release and uses them as a user would: first without any GL library, then
# with Mesa's, then to build examples/linked. Needs root, debootstrap and the network; releases require this check.
#
# Usage: packaging/check_debian.sh FOLDER [SUITE [ROOT]]
#        FOLDER: output of build_packages.sh. SUITE: bookworm by default. ROOT: folder to keep the bare system in; created if
#        missing.
set -euo pipefail

packages=$(realpath "$1")
suite=${2:-bookworm}
keep=${3:-}
source_folder=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
root=$work/root
trap 'rm -rf --one-file-system "$work"' EXIT

if [ -z "$keep" ]; then
    debootstrap --variant=minbase "$suite" "$root" >/dev/null
else
    [ -d "$keep/usr" ] || debootstrap --variant=minbase "$suite" "$keep" >/dev/null
    cp -a "$keep" "$root"
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
echo 'Dpkg::Use-Pty "0";' >"$root/etc/apt/apt.conf.d/99no-terminal"
cp "$packages"/*.deb "$root/root/"
cp -r "$source_folder/examples/linked" "$root/root/linked"

# The mounts end with the command, however it ends.
inside() {
    unshare --mount --pid --fork --mount-proc="$root/proc" \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        chroot "$root" bash -euo pipefail -c "cd /root; $1"
}
say() { printf '\n=== %s\n' "$1"; }

say "Without recommended packages: no GL library at all"
inside "apt-get update -qq; apt-get install -y -qq --no-install-recommends ./glycine_*.deb >/dev/null"
inside "if ldconfig -p | grep -E 'libEGL|libGL\.|libGLEW|libOpenGL|libglfw'; then exit 1; fi"
inside "glycine --version; glycine list | tail -n 6"
inside "glycine info | grep -A 3 '^gl: '"
inside "glycine list | grep 'the package glycine-gl has it' >/dev/null; glycine info | grep 'the package glycine-gl has it' >/dev/null"

say "Every algorithm on the processor"
inside "glycine generate bounds --atoms 128 --known 0.1 -o bounds.npz
    glycine bounds bounds.npz -o smoothed.npz -o bounds.png | grep Backend
    glycine generate genotypes --instances 100 --attributes 1000 -o cohort.bed
    glycine distance cohort.bed -o cohort.dist --measure plink | grep Backend
    glycine generate signals --channels 4 --epochs 2 -o noise.edf
    glycine crossapen noise.edf -o entropies.npz | grep Backend
    glycine generate expression --genes 60 --samples 100 -o arrays.tsv
    glycine mutualinfo arrays.tsv -o mi.npy | grep Backend
    glycine network mi.npy --matrix --top 50 -o net.tsv -o net.png >/dev/null
    glycine generate sequences --sequences 12 --length 80 -o family.fa
    glycine align family.fa -o family.aln | grep Backend
    glycine pairwise family.fa -o distances.phy | grep Backend
    glycine tree family.aln -o family.nwk >/dev/null
    glycine validate bounds --sizes 17,64 --backend cpu | tail -n 1
    if glycine bounds bounds.npz -o refused.npz --backend gl; then exit 1; fi
    [ ! -e refused.npz ]"

say "With glycine-gl and Mesa, as the message says"
inside "apt-get install -y -qq --no-install-recommends ./glycine-gl_*.deb libgl1-mesa-dri >/dev/null"
if compgen -G "$root/root/glycine-cuda_*.deb" >/dev/null; then
    say "With glycine-cuda, without a driver"
    inside "apt-get install -y -qq --no-install-recommends ./glycine-cuda_*.deb >/dev/null; glycine info | grep 'no NVIDIA driver' >/dev/null"
fi
inside "glycine info | grep -A 2 '^gl: '
    glycine bounds bounds.npz -o gl.npz --backend gl | grep -A 1 Backend
    glycine validate bounds --sizes 17,64 --backend cpu,gl | tail -n 1"

say "The manual, the completion, and a program that links the library"
inside "[ -s /usr/share/man/man1/glycine.1 ]
    [ -s /usr/share/bash-completion/completions/glycine ]
    apt-get install -y -qq --no-install-recommends ./libglycine-dev_*.deb cmake make g++ >/dev/null
    cmake -S linked -B build >/dev/null; cmake --build build >/dev/null; build/linked; build/linked gl"

say "From Python"
inside "apt-get install -y -qq --no-install-recommends ./python3-glycine_*.deb >/dev/null
    python3 -c \"
import glycine, numpy
for backend in ('reference', 'cpu', 'gl'):
    assert glycine.distances(numpy.eye(9), backend=backend).backend == backend
print(glycine.__version__, [one['name'] for one in glycine.backends() if one['available']])\""

say "Removed without a rest"
inside "apt-get purge -y -qq 'glycine*' python3-glycine libglycine-dev >/dev/null
    if find / -xdev -path /root -prune -o -name '*glycine*' -print | grep .; then exit 1; fi"
echo "Debian packages: they install, run and link on a bare $suite"
