#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
#
# What steps of acceptance.sh do around a program; each is a process of its own, which timeout can end.
#   acceptance_steps.sh gpu_test SAID PROGRAM UNSUPPORTED  all its tests; 77 if each of them was skipped, 1 if one
#                                                    was whose reason does not say UNSUPPORTED
#   acceptance_steps.sh rest SAID NAMES              of the tests that gpu_test lists in NAMES those that did not
#                                                    pass by SAID
#   acceptance_steps.sh alone FAILING LIST PROGRAM   the tests of LIST, each by itself; FAILING gets the names
#                                                    of those that fail
#   acceptance_steps.sh sanitizer SAID COMMAND...    compute-sanitizer; 77 if it does not know the device
#   acceptance_steps.sh find_sanitizer               the path of compute-sanitizer, or nothing
#   acceptance_steps.sh passed TABLE VERSION GPU     names of the steps that passed in the last part of tests,
#                                                    if it was of this version of dlbench and on this GPU, the
#                                                    line behind the version
#   acceptance_steps.sh pack SCRATCH ARCHIVE         its folder archive, a few megabytes of it; prints what is
#                                                    left out
# SAID is the file that gets what the step prints.
set -euo pipefail

all_tests() {
  local said=$1 code=0
  "$2" || code=$?
  if ((code == 0)) && grep -q '^\[  PASSED  \] 0 tests' "$said"; then
    echo "every test of gpu_test was skipped"
    return 77
  fi
  # The reason is the line before a test's end. A test that needed only another GPU than this was not run; one
  # skipped for anything else hides what it should have found.
  awk -v unsupported="$3" '
    /^\[  SKIPPED \] .* ms\)$/ {
      skipped++
      if (!index(reason, unsupported)) {print "skipped without need: " $4 ": " reason; other = 1}
    }
    NF {reason = $0}
    END {if (skipped) print skipped " skipped"; exit other}' "$said" || code=1
  return "$code"
}

# Those that failed first. One that was skipped may have been so for an error that an earlier test left in the
# process.
rest() {
  local said=$1 names=$2 passed failed tests
  passed=$(grep -oE '^\[       OK \] [^ ]+' "$said" | cut -c 14- | sort -u || true)
  failed=$(grep -oE '^\[  FAILED  \] [^ ,]+' "$said" | cut -c 14- | sort -u || true)
  # A suite's name ends with a point, its tests are indented; behind # follow parameters.
  tests=$(awk '/^[^ ].*\.( |$)/ {suite = $1} /^  / {print suite $1}' "$names" | sort)
  tests=$(comm -13 <(echo "$passed") <(echo "$tests"))
  comm -12 <(echo "$failed") <(echo "$tests") | sed '/^$/d'
  comm -13 <(echo "$failed") <(echo "$tests") | sed '/^$/d'
}

# An error that stays with the process (an illegal address) fails all tests after it, or has them skipped.
# By itself, and with each launch waited for, a test that fails is a culprit, at the call that says so.
each_alone() {
  local failing=$1 list=$2 program=$3 name code result=0 count=0
  export CUDA_LAUNCH_BLOCKING=1
  : >"$failing"
  while read -r name; do
    code=0
    # In the foreground it stays in the group that acceptance.sh ends.
    timeout --foreground -k 5 60 "$program" --gtest_brief=1 --gtest_filter="$name" </dev/null 2>&1 |
      tee "$failing.said" || code=${PIPESTATUS[0]}
    if ((code)); then
      echo "fails by itself (code $code): $name"
      echo "$name" >>"$failing"
      result=1
    elif grep -q '^\[  SKIPPED \]' "$failing.said"; then
      echo "skipped by itself: $name"
    else
      echo "passes by itself: $name"
    fi
    count=$((count + 1))
  done <"$list"
  echo "$count tests were run again"
  return "$result"
}

sanitizer() {
  local said=$1 code=0
  shift
  "$@" || code=$?
  if ((code)) && grep -qi 'device not supported' "$said"; then
    echo "compute-sanitizer: device not supported"
    return 77
  fi
  return "$code"
}

find_sanitizer() {
  local place
  for place in "$(command -v compute-sanitizer || true)" "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer" \
    /usr/local/cuda/bin/compute-sanitizer \
    "${VIRTUAL_ENV:-}"/lib/python3*/site-packages/nvidia/*/bin/compute-sanitizer; do
    if [ -x "$place" ]; then
      echo "$place"
      return
    fi
  done
}

passed() {
  awk -v version="$2" -v gpu="$3" '
    /^# part [a-z]+,/ {tests = $3 == "tests," || $3 == "all,"; if (tests) {split("", rows); n = 0; same = 0}}
    tests && before == version && $0 == gpu {same = 1}
    {before = $0}
    tests && same && sub(/^passed +[0-9]+ s  /, "") {sub(/ \(before\)$/, ""); rows[n++] = $0}
    END {for (i = 0; i < n; i++) print rows[i]}' "$1"
}

# The largest is left out where the file would be too large to be taken along.
pack() {
  local scratch=$1 archive=$2 left_out
  for left_out in '' probes/mnist_cnn probes; do
    if [ -n "$left_out" ]; then
      echo "without $left_out, for its size"
      rm -rf "${scratch:?}/archive/$left_out"
    fi
    tar -C "$scratch" -czf "$scratch/archive.tar.gz" archive || return
    if (($(stat -c %s "$scratch/archive.tar.gz") < 8000000)); then
      cp "$scratch/archive.tar.gz" "$archive"
      return
    fi
  done
  echo "nothing of it, for its size"
}

what=$1
shift
case $what in
  gpu_test) all_tests "$@" ;;
  rest) rest "$@" ;;
  alone) each_alone "$@" ;;
  sanitizer) sanitizer "$@" ;;
  find_sanitizer) find_sanitizer ;;
  passed) passed "$@" ;;
  pack) pack "$@" ;;
  *)
    echo "acceptance_steps.sh: unknown step $what" >&2
    exit 1
    ;;
esac
