#!/usr/bin/env bash
# Runs tests of the pipeline for all pairs, and of what reads large inputs, under the thread sanitizer.
#
# Usage: scripts/thread_sanitizer.sh BUILD [FOLDER]
#
# BUILD: a release build with modules (build/release). FOLDER: for objects, which later calls use again (BUILD/thread_sanitizer).
# Only the sources named below are instrumented; everything else comes from BUILD. Needs Clang with libomp, whose tool Archer
# reports the order of OpenMP's regions to the sanitizer; libraries that were built for GNU's OpenMP use libomp, too.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath "${1:?the folder of a release build}")
folder=${2:-$build/thread_sanitizer}
sources=(
    engine/core/{parallel,progress}.cpp
    engine/storage/{atomic_file,mapping_guard,tile_store,working_file}.cpp
    engine/pairs/{close_pairs,pair_store,pair_tile,row_visit,stored_value,tile_digest,value_summary}.cpp
    engine/pairs/files/{pair_files,pair_output,pair_rows}.cpp
    engine/io/sequences/fasta.cpp
    engine/distance/recount_distances.cpp
    engine/distance/input/{genotype_source,input_data,sequence_data}.cpp
)
tests=(
    tests/core/parallel_test.cpp
    tests/storage/stores_test.cpp
    tests/pairs/{device_crew,pair_output,pair_store,pair_tiles,tile_digest,value_summary}_test.cpp
    tests/io/sequences/fasta_test.cpp
    tests/distance/recount_distances_test.cpp
)
# The sanitizer follows no threads of a process that was forked from one with threads.
left_out='*Kill*:AvailableThreads*'

mkdir -p "$folder"
objects=()
for source in "${tests[@]}" "${sources[@]}"; do
    object=$folder/$(basename "$source" .cpp).o
    objects+=("$object")
    [ "$object" -nt "$source" ] && continue
    clang++ -std=c++20 -O1 -gline-tables-only -fsanitize=thread -fopenmp=libomp -DFMT_SHARED -ffp-contract=off \
        -I. -I"$build/generated" -DGLYCINE_SOURCE_DIR="\"$PWD\"" -DGLYCINE_COMMAND="\"$build/glycine\"" \
        -DGLYCINE_MPI_COMMAND='""' -DGLYCINE_MODULE_FOLDER="\"$build/lib\"" -c "$source" -o "$object"
done
llvm=$(realpath "$(dirname "$(realpath "$(command -v clang++)")")/../lib")
clang++ -fsanitize=thread -fopenmp=libomp -L"$llvm" -Wl,-rpath,"$llvm" "${objects[@]}" -o "$folder/tests" -Wl,-z,muldefs \
    -Wl,-rpath,"$build/lib" "$build/app/libglycine_app.a" "$build"/engine/libglycine_{study,command,io,picture}.a \
    -L"$build/lib" -lglycine -l:libglycine-gl.so -lfmt -lz -ldeflate -lcsv -lgtest_main -lgmock -lgtest

# All threads of libstdc++'s parallel sort write the same number of threads into one variable.
echo "race:multiway_mergesort.h" >"$folder/suppressions"
# Without random addresses, for which older sanitizers have no room.
OMP_NUM_THREADS=4 OMP_TOOL_LIBRARIES=$llvm/libarcher.so TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66 suppressions=$folder/suppressions" \
    setarch -R "$folder/tests" --gtest_filter="-$left_out"
