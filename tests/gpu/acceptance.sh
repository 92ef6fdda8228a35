#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
#
# What a machine with an NVIDIA GPU has to show: tests, op conformance, verification of each workload,
# its trials, a memory check, PyTorch beside it. No MPI and no internet. Prints a table last.
#
# Usage: tests/gpu/acceptance.sh [OPTION...] [TREE [OUTPUT_FOLDER]]
#   TREE              with bin/dlbench: a build folder or an installed tree; default build/cuda, which is
#                     built if it is not there
#   OUTPUT_FOLDER     gets at most eight small files; default gpu-acceptance
#   --part NAME       tests, speed or pytorch; default all. A part that is run by itself adds to the table
#                     and the details of a folder that has some already.
#   --deadline S      of everything but building; default 570. What it leaves no time for is no success.
# Exit code: 0 all passed, 1 something failed or was not run for want of time, 77 no GPU can be used
# (nothing is built then).
#
# A machine without compilers or packages for building gets an installed tree, which needs no more than the
# GPU libraries, a driver and GCC's runtime. It is made elsewhere, and small enough to be carried:
#   cmake --preset cuda-release -B build/gpu -DDLBENCH_ENABLE_ONEDNN=OFF -DCMAKE_CUDA_ARCHITECTURES=90
#   cmake --build build/gpu --target dlbench_main gpu_test
#   cmake --install build/gpu --strip --prefix build/carried
#   cmake --install build/gpu --strip --prefix build/carried --component gpu-tests
#   tests/gpu/acceptance.sh build/carried
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

part=all
deadline=570
folders=()
while (($# > 0)); do
  case $1 in
    --part | --deadline)
      if (($# < 2)); then
        echo "acceptance.sh: $1 needs a value" >&2
        exit 1
      fi
      if [ "$1" = --part ]; then part=$2; else deadline=$2; fi
      shift
      ;;
    -h | --help)
      sed -n '5,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    -*)
      echo "acceptance.sh: unknown option $1 (see --help)" >&2
      exit 1
      ;;
    *) folders+=("$1") ;;
  esac
  shift
done
if [[ ! " all tests speed pytorch " == *" $part "* ]]; then
  echo "acceptance.sh: --part $part: tests, speed, pytorch or all" >&2
  exit 1
fi
if [[ ! $deadline =~ ^[1-9][0-9]*$ ]]; then
  echo "acceptance.sh: --deadline $deadline: whole seconds" >&2
  exit 1
fi
tree=${folders[0]:-$root/build/cuda}
output=${folders[1]:-$root/gpu-acceptance}
workloads=(mnist_cnn resunetpp)
precisions=(fp32 bf16 fp16 tf32)
# With code 2: what this device has not, as dlbench words it.
unsupported='needs compute capability|does not support|unsupported'
table=()
failed=0

# row STATE SECONDS TEXT: one line of the table, on disk at once.
row() {
  table+=("$(printf '%-8s %4s s  %s' "$1" "$2" "$3")")
  printf '%s\n' "${table[-1]}" | tee -a "$output/table.txt"
}

# last_line FILE: of what a step said, cut to a line of the table.
last_line() { grep -v '^[[:space:]]*$' "$1" | tail -n 1 | cut -c 1-200; }

# check NAME SECONDS COMMAND...: runs one step, at most so long and not past the deadline. What it says
# goes to details.txt and stays in $step; of a step that fails, its end goes to stdout too.
check() {
  local name=$1 limit=$2 started=$SECONDS code=0 left=$((deadline - SECONDS))
  shift 2
  if ((left < 10)); then
    : >"$step"
    row "not run" 0 "$name (the time is up)"
    failed=1
    return 0
  fi
  ((limit < left)) || limit=$left
  timeout -k 10 "$limit" "$@" >"$step" 2>&1 || code=$?
  {
    printf '\n== %s: %s\n' "$name" "$*"
    tail -c 300000 "$step"
  } >>"$output/details.txt"
  if ((code == 0)); then
    row passed $((SECONDS - started)) "$name"
  elif ((code == 77)) || { ((code == 2)) && grep -qE "$unsupported" "$step"; }; then
    row skipped $((SECONDS - started)) "$name ($(last_line "$step"))"
  else
    failed=1
    if ((code == 124 || code == 137)); then
      row FAILED $((SECONDS - started)) "$name (did not end within $limit s)"
    else
      row FAILED $((SECONDS - started)) "$name (code $code, see details.txt)"
    fi
    tail -n 25 "$step" | cut -c 1-240 | sed 's/^/    | /'
  fi
}

# The kernel's side of a driver: with it, libraries that do not load are a fault, not a missing GPU.
has_driver() {
  [ -e /proc/driver/nvidia/version ] || [ -e /dev/nvidiactl ] || nvidia-smi -L >/dev/null 2>&1
}

build_tree() {
  local arch
  arch=$(nvidia-smi --id=0 --query-gpu=compute_cap --format=csv,noheader 2>/dev/null || true)
  arch=${arch//[^0-9]/}
  echo "building $tree"
  if ! { cmake -S "$root" --preset cuda-release -B "$tree" -DDLBENCH_BUILD_TESTS=ON \
    -DCMAKE_CUDA_ARCHITECTURES="${arch:-90}" &&
    cmake --build "$tree" --parallel --target dlbench_main gpu_test; } >"$scratch/build.txt" 2>&1; then
    local why
    why=$(grep -m 1 -A 4 -E 'CMake Error|error:|not found' "$scratch/build.txt" | tr -s ' \n' ' ' || true)
    echo "FAILED: no dlbench in $tree/bin, and none can be built here: ${why:-$(last_line "$scratch/build.txt")}" |
      cut -c 1-400
    exit 1
  fi
}

# The tests of gpu_test in one process. Where all are skipped, that is what the table has to say.
# shellcheck disable=SC2317  # called through check
run_gpu_test() {
  local code=0
  "$tree/bin/gpu_test" || code=$?
  if ((code == 0)) && grep -q '^\[  PASSED  \] 0 tests' "$step"; then
    echo "every test of gpu_test was skipped"
    return 77
  fi
  return "$code"
}

# An error that stays with the process (an illegal address) fails all tests after it: those that did not
# pass run once more, each in a process of its own, so that the table names the culprits.
# shellcheck disable=SC2317  # called through check
run_again() {
  local name code=0
  while read -r name; do
    if timeout -k 5 60 "$tree/bin/gpu_test" --gtest_brief=1 --gtest_filter="$name"; then
      echo "passes by itself: $name"
    else
      echo "fails by itself (code $?): $name"
      code=1
    fi
  done <"$scratch/again.txt"
  grep -c . "$scratch/again.txt" | sed 's/$/ tests were run again/'
  return "$code"
}

# shellcheck disable=SC2317  # named by the trap
tidy_up() { rm -rf "$scratch"; }
scratch=$(mktemp -d -t dlbench-acceptance-XXXXXX)
trap tidy_up EXIT
step=$scratch/step.txt

if [ ! -x "$tree/bin/dlbench" ]; then
  if ! has_driver; then
    echo "skipped: no NVIDIA driver on this machine"
    exit 77
  fi
  build_tree
fi
tree=$(cd "$tree" && pwd)
dlbench=$tree/bin/dlbench
SECONDS=0
# The wheels of the python3 that is called here are found as those of an environment that is active.
if [ -z "${VIRTUAL_ENV:-}" ] && command -v python3 >/dev/null; then
  VIRTUAL_ENV=$(python3 -c 'import sys; print(sys.prefix)' || true)
  export VIRTUAL_ENV
fi
# Tuning, peaks and generated data: kept for all steps, for nobody after them.
export DLBENCH_CACHE_DIR=$scratch/cache
mkdir -p "$output" "$DLBENCH_CACHE_DIR"
output=$(cd "$output" && pwd)

if ! timeout -k 10 60 "$dlbench" info >"$output/info.txt" 2>&1; then
  echo "FAILED: $dlbench info: $(last_line "$output/info.txt")"
  exit 1
fi
if reason=$(grep -m 1 -oE '^ *cuda +not here: .*' "$output/info.txt"); then
  reason=${reason#*not here: }
  if [[ $reason == *CUDA_VISIBLE_DEVICES* ]] || ! has_driver; then
    echo "skipped: $reason"
    exit 77
  fi
  echo "FAILED: a driver is here, but: $reason"
  exit 1
fi
if [ "$part" = all ]; then
  : >"$output/table.txt"
  : >"$output/details.txt"
fi
{
  printf '# part %s, %s\n' "$part" "$(date -u +%FT%TZ)"
  "$dlbench" --version
  nvidia-smi --query-gpu=name,driver_version,memory.total,power.limit --format=csv,noheader 2>&1 || true
} | tee -a "$output/details.txt" "$output/table.txt"

tests_part() {
  local limit=400
  if [ "$part" = all ]; then
    limit=280
  fi
  if [ -x "$tree/bin/gpu_test" ]; then
    export DLBENCH_DEVICE_PROPERTIES=$output/device_properties.json
    export -f run_gpu_test run_again
    export tree step scratch
    check "tests that need a GPU, every op in every precision among them" "$limit" bash -c run_gpu_test
    if ((failed)); then
      grep -oE '^\[(       OK|  SKIPPED) \] [^ ]+' "$step" | cut -c 14- | sort -u >"$scratch/done.txt" || true
      # A suite's name ends with a point, its tests are indented; behind # follow parameters.
      "$tree/bin/gpu_test" --gtest_list_tests |
        awk '/^[^ ].*\.( |$)/ {suite = $1} /^  / {print suite $1}' | sort >"$scratch/all.txt"
      comm -13 "$scratch/done.txt" "$scratch/all.txt" >"$scratch/again.txt"
      check "those that did not pass, each by itself" 120 bash -c run_again
    fi
  else
    row skipped 0 "tests that need a GPU (no $tree/bin/gpu_test; see --help)"
    check "every op against the reference" 200 "$dlbench" verify --op all --backend cuda
  fi
  for precision in "${precisions[@]}"; do
    for workload in "${workloads[@]}"; do
      check "verify $workload $precision" 60 "$dlbench" verify --workload "$workload" \
        --backend cuda --precision "$precision"
    done
  done
  local sanitizer=
  for place in "$(command -v compute-sanitizer || true)" "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer" \
    /usr/local/cuda/bin/compute-sanitizer; do
    if [ -z "$sanitizer" ] && [ -x "$place" ]; then
      sanitizer=$place
    fi
  done
  if [ -n "$sanitizer" ]; then
    check "compute-sanitizer memcheck, one step" 150 "$sanitizer" --tool memcheck \
      --error-exitcode 1 "$dlbench" verify --workload mnist_cnn --backend cuda
  else
    row skipped 0 "compute-sanitizer is not installed"
  fi
}

# rate REPORT: samples per second of its only trial; a question mark without it.
rate() {
  python3 - "$1" 2>/dev/null <<'PYTHON' || echo "?"
import json, sys
trial = json.load(open(sys.argv[1]))["trials"][0]
print(f'{trial["throughput"]["samples_per_second"]["mean"]:.1f}')
PYTHON
}

speed_part() {
  local budget=45
  if [ "$part" = all ]; then
    budget=25
  fi
  check "measured peaks" 60 "$dlbench" info --measure-peaks --device cuda
  cat "$step" >>"$output/info.txt"
  for workload in resunetpp mnist_cnn; do
    mkdir -p "$scratch/probes/$workload"
    # Operators and probes have repetitions of their own, behind what the budget is for.
    check "trials of $workload, bf16, with all probes" $((budget + 90)) "$dlbench" run \
      --workload "$workload" --device cuda --precision bf16 --trials io,synthetic/device,synthetic/host,full \
      --time-budget "${budget}s" --trace "$scratch/probes/$workload/trace.json" \
      --record-probes "$scratch/probes/$workload" --output "$output/$workload.json"
    for graph in on off; do
      check "$workload, --cuda-graph $graph" 45 "$dlbench" run --workload "$workload" --device cuda \
        --precision bf16 --trials synthetic/device --cuda-graph "$graph" --time-budget 10s \
        --output "$scratch/$workload-$graph.json"
    done
    row info 0 "$workload, samples/s: $(rate "$scratch/$workload-on.json") replayed, \
$(rate "$scratch/$workload-off.json") node by node"
  done
  # Raw records and traces, unless they are too large to be taken along.
  if tar -C "$scratch" -czf "$scratch/probes.tar.gz" probes &&
    (($(stat -c %s "$scratch/probes.tar.gz") < 8000000)); then
    cp "$scratch/probes.tar.gz" "$output/probes.tar.gz"
  fi
}

pytorch_part() {
  local left=$((deadline - SECONDS))
  check "PyTorch beside it" "$deadline" python3 "$here/compare_pytorch.py" --dlbench "$dlbench" --rounds 1 \
    --batch 32 8 --precisions bf16 fp32 tf32 fp16 --max-time $((left > 40 ? left - 20 : 20)) \
    --output "$output/pytorch.json"
  cat "$step"
}

case $part in
  tests) tests_part ;;
  speed) speed_part ;;
  pytorch) pytorch_part ;;
  all)
    tests_part
    speed_part
    pytorch_part
    ;;
esac
printf '\n'
printf '%s\n' "${table[@]}"
exit $failed
