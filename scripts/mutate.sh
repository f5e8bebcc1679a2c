#!/usr/bin/env bash
# Plants a fault in the code, runs the tests that should find it, and removes the fault again, even if it is interrupted.
#
# Usage: scripts/mutate.sh [OPTIONS] FILE PATTERN REPLACEMENT [TEST…]
#        scripts/mutate.sh [OPTIONS] [LIST]
#
#   FILE         file that gets the fault
#   PATTERN      plain text that occurs in FILE exactly once
#   REPLACEMENT  text that replaces it
#   TEST         a test program, or PROGRAM:FILTER with a GoogleTest filter; default: all tests of the folder that
#                corresponds to FILE's
#   LIST         faults to try in turn (default: scripts/mutations.txt): four lines each, FILE, PATTERN, REPLACEMENT
#                and the TESTs; separated by empty lines; lines with # before a fault describe it
#
#   --build FOLDER  build folder (default: build/develop)
#   --jobs N        parallel build processes (default: all processors)
#   --only TEXT     only faults of the list whose FILE or description contains it
#
# Exit code: 0 every fault was found (killed), 1 one was not (survived), 2 refused: the pattern does not occur exactly once,
# the tests fail without the fault, or the code does not compile with it; 130 stopped.
source "$(dirname "$0")/lib.sh"

usage() {
    sed -n '3,/^source/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
refuse() {
    echo "$*" >&2
    exit 2
}

folder=build/develop only="" jobs=$(nproc)
while [ $# -gt 0 ]; do
    case $1 in --build | --only | --jobs) require_value "$@" ;; esac
    case $1 in
        --build) folder=${2%/} && shift 2 ;;
        --only) only=$2 && shift 2 ;;
        --jobs) jobs=$2 && shift 2 ;;
        --*) usage ;;
        *) break ;;
    esac
done

# The file with the fault, and its copy. The restored file is newer than objects built with the fault, so that the next build
# recompiles it.
file="" copy=$(mktemp) log=$folder/mutate.log
[ -f "$folder/CMakeCache.txt" ] || build "${folder##*/}"
restore() {
    if [ -n "$file" ]; then
        cat "$copy" >"$file"
        file=""
    fi
}
# The running build or test, a process group of its own that ends with this script.
group=""
trap 'restore; rm -f "$copy"; [ -z "$group" ] || kill -- "-$group" 2>/dev/null' EXIT
trap 'exit 130' INT TERM HUP
# alone COMMAND…: runs it such that signals are handled at once.
alone() {
    local status=0
    setsid "$@" >>"$log" 2>&1 &
    group=$!
    wait "$group" || status=$?
    group=""
    return "$status"
}

# mirrored FILE: names of the test programs in the test folder that mirrors FILE's.
mirrored() {
    local place=tests/${1#engine/}
    place=$(dirname "$place")
    while [ ! -d "$place" ] && [ "$place" != tests ]; do place=$(dirname "$place"); done
    [ "$place" != tests ] || refuse "$1: no folder of tests mirrors its own; name the tests"
    find "$place" -name '*_test.cpp' -exec basename {} .cpp \;
}

# make_programs TEST…: builds the programs of the tests.
make_programs() {
    local test programs=()
    for test in "$@"; do programs+=("${test%%:*}"); done
    : >"$log"
    alone cmake --build "$folder" --parallel "$jobs" --target glycine_program "${programs[@]}"
}

# all_pass TEST…: whether all tests pass; a test that never ends counts as failed.
all_pass() {
    local test filter
    for test in "$@"; do
        filter='*'
        [[ $test == *:* ]] && filter=${test#*:}
        : >"$log"
        alone timeout 900 "$folder/tests/${test%%:*}" --gtest_brief=1 --gtest_filter="$filter" || return 1
        grep -q '\[  PASSED  \] [1-9]' "$log" || refuse "$test: no test of that name has run"
    done
}

declare -A sound=()
# try FILE PATTERN REPLACEMENT TEST…: prints a line; returns 0 if the fault is found, 1 if not.
try() {
    local target=$1 pattern=$2 replacement=$3
    shift 3
    [ -f "$target" ] || refuse "$target: there is no such file"
    local text
    # The extra last character keeps $( ) from removing newlines.
    text=$(cat "$target" && echo .)
    text=${text%.}
    local rest=${text#*"$pattern"}
    [ -n "$pattern" ] && [ "$rest" != "$text" ] || refuse "$target: nowhere holds: $pattern"
    [[ $rest != *"$pattern"* ]] || refuse "$target: holds more than once: $pattern"
    [ "$pattern" != "$replacement" ] || refuse "$target: the replacement is the pattern: $pattern"

    # Only once per set of tests: between two faults, the files are unchanged.
    if [ -z "${sound["$*"]:-}" ]; then
        make_programs "$@" || refuse "the code does not build without the fault; see $log"
        all_pass "$@" || refuse "the tests fail without the fault; see $log"
        sound["$*"]=yes
    fi
    cat "$target" >"$copy"
    file=$target
    printf '%s' "${text%%"$pattern"*}$replacement$rest" >"$target"
    local result=0
    if ! make_programs "$@"; then
        restore
        refuse "$target: does not compile with: $replacement; see $log"
    fi
    if all_pass "$@"; then result=1; fi
    restore
    printf '%-9s %s: %s -> %s\n' "$([ "$result" -eq 0 ] && echo killed || echo SURVIVED)" "$target" "$pattern" "$replacement"
    return "$result"
}

if [ $# -ge 3 ]; then
    target=$1 pattern=$2 replacement=$3
    shift 3
    if [ $# -eq 0 ]; then
        tests=$(mirrored "$target")
        mapfile -t tests <<<"$tests"
        set -- "${tests[@]}"
    fi
    try "$target" "$pattern" "$replacement" "$@"
    exit
fi
[ $# -le 1 ] || usage

list=${1:-scripts/mutations.txt}
tried=0 survived=0 comment="" entry=()
finish_entry() {
    [ ${#entry[@]} -eq 0 ] && return
    [ ${#entry[@]} -eq 4 ] || refuse "$list: '${entry[0]}' has ${#entry[@]} lines; expected file, pattern, replacement, tests"
    if [[ $comment${entry[0]} == *"$only"* ]]; then
        local tests
        read -ra tests <<<"${entry[3]}"
        tried=$((tried + 1))
        try "${entry[0]}" "${entry[1]}" "${entry[2]}" "${tests[@]}" || survived=$((survived + 1))
    fi
    entry=() comment=""
}
while IFS= read -r line <&3 || [ -n "$line" ]; do
    case $line in
        '#'*) comment+=$line ;;
        '') finish_entry ;;
        *) entry+=("$line") ;;
    esac
done 3<"$list"
finish_entry
echo "$((tried - survived)) of $tried faults were found"
[ "$tried" -gt 0 ] || refuse "$list: no fault has '$only'"
[ "$survived" -eq 0 ]
