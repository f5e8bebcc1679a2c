#!/usr/bin/env bash
# conda-build runs this in the folder of the sources named in meta.yaml.
set -euo pipefail
# CFLAGS and CMAKE_ARGS are lists of words.
# shellcheck disable=SC2086

extra=$PWD/extra
mkdir -p "$extra/include/kissfft" "$extra/lib"
cp kissfft/*.hh kissfft/*.h "$extra/include/kissfft"
$CC $CFLAGS -fPIC -c libcsv/libcsv.c -o libcsv.o
$AR rcs "$extra/lib/libcsv.a" libcsv.o
cp libcsv/csv.h "$extra/include"

cmake -S glycine -B build -G Ninja $CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
    -DCMAKE_PREFIX_PATH="$extra;$PREFIX" -DGLYCINE_WITH_TESTS=OFF -DGLYCINE_WITH_CUDA=OFF
cmake --build build
cmake --install build
