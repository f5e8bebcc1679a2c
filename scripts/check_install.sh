#!/usr/bin/env bash
# Installs a build into a scratch folder and checks the result: examples/linked builds and runs against it without any of our
# flags, the manual and the completions work, and only the modules link OpenGL and CUDA. pip installs the package from a build that
# has it, and it works away from that build.
#
# Usage: scripts/check_install.sh BUILD_FOLDER
source "$(dirname "$0")/lib.sh"

build_folder=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
fail() {
    echo "check_install: $*" >&2
    exit 1
}

cmake --install "$build_folder" --prefix "$prefix" >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    fail "the installation failed"
}
for file in bin/glycine include/glycine/glycine.hpp share/man/man1/glycine.1 share/bash-completion/completions/glycine \
    share/zsh/site-functions/_glycine share/doc/glycine/copyright share/doc/glycine/CITATION.cff; do
    [ -s "$prefix/$file" ] || fail "$file is missing"
done

# With all compiler warnings for our headers, and with the user's flags only.
cmake -S examples/linked -B "$scratch/linked" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror" >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    fail "examples/linked does not find the installed library"
}
cmake --build "$scratch/linked" >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    fail "examples/linked does not build against the installed library"
}
command=$(grep '"command"' "$scratch/linked/compile_commands.json")
for flag in -ffp-contract -fopenmp -Wno- -mavx -D; do
    case $command in *" $flag"*) fail "the flag $flag reaches programs that link Glycine: $command" ;; esac
done
"$scratch/linked/linked" || fail "examples/linked gives another result"

program=$prefix/bin/glycine
"$program" --version
modules=$prefix/lib/glycine
if [ -d "$modules" ]; then
    # Each library links only what it needs.
    for file in "$program" "$prefix"/lib/libglycine.so; do
        if readelf --dynamic "$file" | grep -E 'NEEDED.*lib(EGL|GL|GLEW|OpenGL|glfw|X11|cuda|cairo|gvc|hdf5|zip|hts)'; then fail "$file links what modules are for"; fi
    done
    for library in GLEW glfw EGL OpenGL glycine; do
        readelf --dynamic "$modules/libglycine-gl.so" | grep "NEEDED.*lib$library\.so" >/dev/null || fail "libglycine-gl.so does not link $library"
    done
    "$program" list >"$scratch/log"
    grep -q "gl .*blocked" "$scratch/log" || fail "the installed program does not find its module gl"
    # A module of another build, or a folder without modules, is refused in one line.
    mkdir "$scratch/modules"
    GLYCINE_MODULES=$scratch/modules "$program" info >"$scratch/log"
    grep -q "the package glycine-gl has it" "$scratch/log" || fail "the error does not name the missing module"
    sed 's/glycine \([0-9.]*\) (commit/glycine \1 (COMMIT/' "$modules/libglycine-gl.so" >"$scratch/modules/libglycine-gl.so"
    GLYCINE_MODULES=$scratch/modules "$program" info >"$scratch/log"
    grep -q "is of another build" "$scratch/log" || fail "a module of another build is not refused"
    # Pictures, with and without their module.
    printf '>a\nACGT\n>b\nACGA\n' >"$scratch/two.fa"
    "$program" distance "$scratch/two.fa" -o "$scratch/two.csv" -o "$scratch/two.png" >"$scratch/log" || fail "the installed program does not draw"
    mv "$modules/libglycine-pictures.so" "$scratch"
    if "$program" distance "$scratch/two.fa" -o "$scratch/three.csv" -o "$scratch/three.png" >"$scratch/log" 2>&1; then fail "it draws without its module"; fi
    grep -q "libglycine-pictures.so is not in .*; the package glycine has it" "$scratch/log" || fail "the error does not name the missing module of pictures"
    mv "$scratch/libglycine-pictures.so" "$modules"
fi

if command -v man >/dev/null; then
    warnings=$(man --warnings --local-file "$prefix/share/man/man1/glycine.1" 2>&1 >/dev/null) || true
    [ -z "$warnings" ] || fail "the manual page: $warnings"
fi
# check_completed COMPLETED WORD…: compares bash's completion of the last word of a command line.
check_completed() {
    local expected=$1 completed
    shift
    completed=$(bash -c 'source "$1"
        shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _glycine
        echo "${COMPREPLY[*]}"' - "$prefix/share/bash-completion/completions/glycine" "$@")
    [ "$completed" = "$expected" ] || fail "bash completes '$*' to '$completed', not '$expected'"
}
check_completed --repeats glycine bench bounds --rep
check_completed cpu glycine bounds in.npz --backend cp
check_completed gl,reference glycine bench distance --backend gl,r
check_completed "packed" glycine crossapen --variant pack
check_completed clustalw glycine bench pairwise --method clu
if command -v zsh >/dev/null; then zsh -n "$prefix/share/zsh/site-functions/_glycine"; fi

if grep -q "^GLYCINE_PYTHON:BOOL=ON" "$build_folder/CMakeCache.txt"; then
    install_packages python3-setuptools python3-wheel python3-pip
    GLYCINE_BUILD=$(realpath "$build_folder") /usr/bin/python3 -m pip install --quiet --no-build-isolation --no-deps --no-index \
        --root-user-action=ignore --target "$scratch/site" . >"$scratch/log" 2>&1 || {
        cat "$scratch/log"
        fail "pip does not install the package"
    }
    (cd "$scratch" && PYTHONPATH=$scratch/site /usr/bin/python3 - "$scratch/site") <<'PYTHON' || fail "the installed package does not work"
import sys
import numpy as np
import glycine

assert glycine.__file__.startswith(sys.argv[1]), glycine.__file__
points = np.random.default_rng(1).normal(size=(20, 5))
expected = np.linalg.norm(points[:, None] - points[None], axis=2)
assert np.allclose(glycine.distances(points), expected, atol=1e-5)
gl = next(one for one in glycine.backends() if one["name"] == "gl")
assert "package" not in (gl["reason"] or ""), gl
PYTHON
fi
echo "Installation: complete, and examples/linked runs against it"
