# Shared by the scripts; source it. Works on Debian 12, Ubuntu 24.04 and their relatives, as root or with sudo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Packages for building, testing and the demo. Mesa's packages provide OpenGL without a GPU.
BUILD_PACKAGES=(g++ cmake ninja-build ccache git ca-certificates
    libfmt-dev libcli11-dev nlohmann-json3-dev zlib1g-dev libdeflate-dev libcairo2-dev libgraphviz-dev pkg-config fonts-dejavu-core libzip-dev gemmi-dev tao-pegtl-dev
    libhts-dev libcsv-dev libhdf5-dev libxxhash-dev libboost-dev libeigen3-dev libkissfft-dev
    libopenmpi-dev openmpi-bin
    libglew-dev libglfw3-dev libimgui-dev libglm-dev libegl-dev libgl-dev libopengl-dev
    libegl1 libegl-mesa0 libgl1-mesa-dri
    libgtest-dev libgmock-dev libbenchmark-dev)
# Additional packages for the checks of .ci/run; tests compare with plink1.9, plink2, libedf-dev, clustalw and parasail.
CHECK_PACKAGES=(clang-format python3 python3-yaml python3-jsonschema man-db zsh glslang-tools xvfb xauth libxtst6 plink1.9 plink2 libedf-dev clustalw
    parasail)
# Additional packages for the Python package, which is built with Debian's Python, and for its tests.
PYTHON_PACKAGES=(python3-dev pybind11-dev python3-numpy)
PYTHON_TEST_PACKAGES=(python3-pytest python3-hypothesis python3-scipy python3-sklearn python3-pandas python3-tqdm python3-gemmi
    python3-biopython mypy)
PYTHON_OPTIONS=(-DGLYCINE_PYTHON=ON -DPython_EXECUTABLE=/usr/bin/python3)
# Additional packages for making Debian packages.
PACKAGE_PACKAGES=(dpkg-dev file)
# Packages for the sanitizers and the fuzz targets: Clang with its libraries.
FUZZ_PACKAGES=(clang libclang-rt-dev libomp-dev lld python3)

# require_value OPTION [VALUE…]: checks that an option is followed by a value; otherwise ends the script.
require_value() {
    [ $# -ge 2 ] && return
    echo "$(basename "$0"): $1 takes a value, which is missing" >&2
    exit 2
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

apt_updated=no
apt_update_once() {
    [ "$apt_updated" = yes ] && return
    as_root apt-get update -qq
    apt_updated=yes
}

# Installs those of the named packages that are missing; uses no network if none is.
install_packages() {
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep 'install ok installed' >/dev/null || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    echo "Installing ${missing[*]}"
    apt_update_once
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# build_progress LOG: copies a build's output to LOG and shows the progress: in one line on a terminal, otherwise at every
# fifth.
build_progress() {
    local line steps all percent shown=0 end=''
    [ -t 1 ] && end=$'\r'
    while IFS= read -r line; do
        printf '%s\n' "$line"
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
        steps=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]} percent=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))
        # One or two steps need no progress.
        if [ "$all" -lt 5 ]; then continue; fi
        if [ -n "$end" ]; then
            printf '  %d of %d files, %d s%s' "$steps" "$all" "$SECONDS" "$end" >&3
        elif [ $((percent / 20)) -gt $((shown / 20)) ]; then
            shown=$percent
            printf '  %d %%\n' "$percent" >&3
        fi
    done 3>&1 >"$1"
    [ -z "$end" ] || printf '%60s%s' '' "$end"
}

# build PRESET [TARGET…]: configures if necessary, with BUILD_OPTIONS, and builds. Output goes to a file, which is shown if the
# build fails.
BUILD_OPTIONS=()
build() {
    local preset=$1
    shift
    # Finds nvcc of a standard installation even if it is not in the PATH.
    [ -x /usr/local/cuda/bin/nvcc ] && export PATH="$PATH:/usr/local/cuda/bin"
    local log="build/$preset.log"
    mkdir -p build
    echo "Building ($preset)"
    if ! { cmake --preset "$preset" "${BUILD_OPTIONS[@]}" && cmake --build --preset "$preset" ${1:+--target "$@"}; } 2>&1 | build_progress "$log"; then
        tail -n 40 "$log"
        echo "The build failed; the whole log is in $log" >&2
        return 1
    fi
}

# Real data for tests and demos: proteins, genotypes of the 1000 Genomes project, EEG, microarrays, globins.
DATA_PACKAGES=(theseus-examples bio-eagle-examples python-matplotlib-data r-bioc-biobase hmmer2-doc)

# unpack_package PACKAGE: prints the folder with the package's files, unpacked below .cache/ without installing it; downloads it
# only once.
unpack_package() {
    local package=$1 folder=".cache/packages/$1"
    if [ ! -d "$folder" ]; then
        local scratch
        scratch=$(mktemp -d)
        apt_update_once >&2
        echo "Fetching $package" >&2
        (cd "$scratch" && apt-get download -qq "$package" >/dev/null 2>&1) || {
            echo "cannot download the Debian package $package" >&2
            return 1
        }
        mkdir -p "$(dirname "$folder")"
        dpkg-deb -x "$scratch"/*.deb "$scratch/unpacked"
        mv "$scratch/unpacked" "$folder"
        rm -rf "$scratch"
    fi
    echo "$folder"
}

# find_glycine: sets `glycine` to the program for examples: $GLYCINE, or the build of scripts/demo.sh.
find_glycine() {
    glycine=${GLYCINE:-build/release/glycine}
    [ -x "$glycine" ] && return
    echo "$glycine is missing: run scripts/demo.sh first, or set GLYCINE" >&2
    exit 1
}

# label_europeans FAM: prints name and population of the 379 people of bio-eagle-examples. The project numbered its samples by
# population.
label_europeans() {
    awk '
        function population(name,   number) {
            if (name ~ /^NA/) return name ~ /^NA20/ ? "Tuscan" : "Utah (CEU)"
            number = substr(name, 3) + 0
            if (number >= 171 && number <= 190 || number >= 266 && number <= 384) return "Finnish"
            return number <= 265 || number == 1334 || number >= 1789 && number <= 1791 ? "British" : "Spanish"
        }
        { print $2 "\t" population($2) }' "$1"
}

# summarise_tests JUNIT_FILE: counts passed, failed and skipped tests from the output of GoogleTest's programs. Lists failed
# tests by name, and skipped ones by what they lack (tests/needs.hpp) and how to get it. A test that started but did not end, as
# in a crash, counts as failed, as do the remaining tests of its program. Returns 1 if any test failed.
summarise_tests() {
    awk -v needs=tests/needs.tsv '
        BEGIN { FS = "\t"; while ((getline line < needs) > 0) { split(line, field, "\t"); how[field[1]] = field[2] } }
        function end_program() { failed += planned - done; if (planned > done && name != "") broken[name " (did not end)"]; planned = done = 0; name = "" }
        /\[==========\] Running [0-9]+ test/ { end_program(); match($0, /Running [0-9]+/); planned = substr($0, RSTART + 8, RLENGTH - 8) }
        /\[ RUN      \] / { name = $0; sub(/.*\[ RUN      \] /, "", name); reason = "no reason given" }
        /^needs: / { reason = $0; sub(/^needs: /, "", reason); lacks = 1 }
        reason == "" { reason = $0; gsub(/&apos;/, "\047", reason); gsub(/&quot;/, "\"", reason); gsub(/&lt;/, "<", reason); gsub(/&amp;/, "\\&", reason) }
        /: Skipped$/ { reason = "" }
        /\[       OK \] / { passed++; done++; name = "" }
        /\[  SKIPPED \] .*\([0-9]+ ms\)/ { skipped++; done++; sub(/^needs: /, "", reason); why[reason]++; name = "" }
        /\[  FAILED  \] .*\([0-9]+ ms\)/ { failed++; done++; broken[name]; name = "" }
        END {
            end_program()
            if (skipped) printf "\nSkipped, and how to get what they need:\n"
            for (reason in why) {
                printf "%6d  %s\n", why[reason], reason
                if (reason in how) printf "        %s\n", how[reason]
            }
            if (failed) printf "\nFailed:\n"
            for (test in broken) printf "        %s\n", test
            printf "\n%d passed, %d failed, %d skipped\n", passed, failed, skipped
            exit failed > 0
        }' "$1"
}
