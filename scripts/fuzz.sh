#!/usr/bin/env bash
# Feeds arbitrary bytes to the file parsers: runs the fuzz targets in parallel and prints one line for each. Fails if one
# crashes, hangs or uses too much memory; keeps the input that caused it next to its log.
#
# Usage: scripts/fuzz.sh [--seconds N | --executions N] [--jobs N] [--processes N] [--programs FOLDER] [--work FOLDER] [TARGET…]
#
#   --seconds N       time for each target (default: 60)
#   --executions N    runs of each target, without a time limit
#   --jobs N          parallel processes (default: all processors)
#   --processes N     processes per target, which share its corpus (default: 1)
#   --programs FOLDER folder of the targets; built by the preset `fuzz` if not given
#   --work FOLDER     corpora, logs and crashes; kept between runs (default: fuzz-work)
#   TARGET…           e.g. npz_fuzz; all if none is given
started=$PWD
source "$(dirname "$0")/lib.sh"

seconds=60 executions="" jobs=$(nproc) processes=1 programs="" work=fuzz-work targets=()
within() { case $1 in /*) echo "$1" ;; *) echo "$started/$1" ;; esac; }
while [ $# -gt 0 ]; do
    case $1 in --seconds | --executions | --jobs | --processes | --programs | --work) require_value "$@" ;; esac
    case $1 in
        --seconds) seconds=$2 executions="" ;;
        --executions) executions=$2 ;;
        --jobs) jobs=$2 ;;
        --processes) processes=$2 ;;
        --programs) programs=$(within "$2") ;;
        --work) work=$(within "$2") ;;
        -*)
            sed -n '/^# Usage/,/^[^#]/s/^# \{0,1\}//p' "$0" >&2
            exit 2
            ;;
        *)
            targets+=("$1")
            shift
            continue
            ;;
    esac
    shift 2
done

if [ -z "$programs" ]; then
    install_packages "${BUILD_PACKAGES[@]}" "${FUZZ_PACKAGES[@]}"
    build fuzz fuzz_targets
    programs=build/fuzz/tests/fuzz
fi
if [ ${#targets[@]} -eq 0 ]; then
    mapfile -t targets < <(cd "$programs" && ls | grep '_fuzz$')
fi
tests/fuzz/make_corpus.py "$work/seeds"

# fuzz_one PROGRAM WORK NUMBER LIMIT: runs one process; stores its exit status in a file, because xargs continues.
fuzz_one() {
    local target=${1##*/} status=0
    local folder=$2/$target
    mkdir -p "$folder/corpus" "$folder/found"
    # A process sees what others add to the corpus. The seeds are read, never written. Because the inputs are small, the fuzzer
    # would spend nine tenths of the time on its own statistics without -entropic=0.
    nice "$1" "$4" -max_len=16384 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 -entropic=0 \
        -artifact_prefix="$folder/found/" "$folder/corpus" "$2/seeds/$target" >"$folder/log.$3" 2>&1 || status=$?
    echo "$status" >"$folder/status.$3"
}
export -f fuzz_one
# A large quarantine of freed memory would cost more than the parsers. HTSlib passes a length from a BCF file, up to 4 GiB, to
# malloc() before reading the data; malloc() has to report that there is not enough memory. An oversized `new` of our own ends
# the target.
export ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=16:allocator_may_return_null=1:max_allocation_size_mb=512

limit=-max_total_time=$seconds
[ -n "$executions" ] && limit=-runs=$(((executions + processes - 1) / processes))
for ((number = 1; number <= processes; number++)); do
    for target in "${targets[@]}"; do
        rm -f "$work/$target/log.$number" "$work/$target/status.$number"
        printf '%s\0%s\0%s\0%s\0' "$programs/$target" "$work" "$number" "$limit"
    done
done | xargs -0 -P "$jobs" -n 4 bash -c 'fuzz_one "$@"' fuzz_one

# Parses libFuzzer's output: "#123 REDUCE cov: 45 ft: 67 corp: …" and "stat::number_of_executed_units: 890".
printf '%-18s %12s %10s %10s %8s  %s\n' target executions per-second coverage corpus result
failed=0
for target in "${targets[@]}"; do
    folder=$work/$target
    result=ok
    for ((number = 1; number <= processes; number++)); do
        if [ "$(cat "$folder/status.$number" 2>/dev/null)" != 0 ]; then
            result="FAILED, see $folder/log.$number and $folder/found"
            failed=1
        fi
    done
    for ((number = 1; number <= processes; number++)); do cat "$folder/log.$number"; done |
        awk -v target="$target" -v result="$result" -v corpus="$(ls "$folder/corpus" | wc -l)" '
            /^stat::number_of_executed_units:/ { executions += $2 }
            /^stat::average_exec_per_sec:/ { rate += $2 }
            /^#[0-9]+.* cov: / { for (i = 1; i < NF; i++) if ($i == "cov:" && $(i + 1) > coverage) coverage = $(i + 1) }
            END { printf "%-18s %12d %10d %10d %8d  %s\n", target, executions, rate, coverage, corpus, result }'
done
exit "$failed"
