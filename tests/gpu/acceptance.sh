#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
#
# What a machine with an NVIDIA GPU has to show: tests, op conformance, verification of each workload,
# its trials, a memory check, PyTorch beside it. No MPI and no internet. Prints a table last.
#
# Usage: tests/gpu/acceptance.sh [BUILD_FOLDER [OUTPUT_FOLDER]]
#   BUILD_FOLDER   with bin/dlbench; default build/cuda, which is built if it is not there
#   OUTPUT_FOLDER  gets at most eight small files; default gpu-acceptance
# Exit code: 0 all passed, 1 something failed, 77 no GPU can be used (nothing is built then).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

build=${1:-build/cuda}
output=${2:-gpu-acceptance}
table=()
failed=0

# check NAME SECONDS COMMAND...: runs one step, at most so long; its output goes to details.txt.
check() {
  local name=$1 limit=$2 started=$SECONDS code=0
  shift 2
  printf '\n== %s: %s\n' "$name" "$*" >>"$output/details.txt"
  timeout "$limit" "$@" >>"$output/details.txt" 2>&1 || code=$?
  case $code in
    0) table+=("passed  $((SECONDS - started)) s  $name") ;;
    77) table+=("skipped $((SECONDS - started)) s  $name") ;;
    *)
      table+=("FAILED  $((SECONDS - started)) s  $name (code $code, see details.txt)")
      failed=1
      ;;
  esac
  printf '%s\n' "${table[-1]}"
}

if [[ $(ldconfig -p 2>/dev/null) != *libcuda.so.1* && ! -e /proc/driver/nvidia/version ]]; then
  echo "skipped: no NVIDIA driver on this machine"
  exit 77
fi
if [ ! -x "$build/bin/dlbench" ]; then
  arch=$(nvidia-smi --id=0 --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d .)
  cmake --preset cuda-release -B "$build" -DCMAKE_CUDA_ARCHITECTURES="${arch:-90}"
  cmake --build "$build" --parallel
fi
dlbench=$build/bin/dlbench
mkdir -p "$output"
: >"$output/details.txt"
"$dlbench" info >"$output/info.txt"
if grep -q '^ *cuda  *not here' "$output/info.txt"; then
  grep '^ *cuda  *not here' "$output/info.txt"
  exit 77
fi

check "tests with the label gpu" 240 ctest --test-dir "$build" -L gpu --output-on-failure
check "every op against the reference" 120 "$dlbench" verify --op all --backend cuda
check "measured peaks" 60 "$dlbench" info --measure-peaks --device cuda
for workload in mnist_cnn resunetpp; do
  check "verify $workload" 60 "$dlbench" verify --workload "$workload" --backend cuda
  for precision in bf16 fp16; do
    check "verify $workload $precision" 60 "$dlbench" verify --workload "$workload" \
      --backend cuda --precision "$precision"
  done
  check "trials of $workload" 60 "$dlbench" run --workload "$workload" --device cuda \
    --precision bf16 --time-budget 45s --output "$output/$workload.json"
  check "$workload node by node" 40 "$dlbench" run --workload "$workload" --device cuda \
    --precision bf16 --trials synthetic --cuda-graph off --time-budget 20s
done
if command -v compute-sanitizer >/dev/null; then
  check "compute-sanitizer memcheck, one step" 120 compute-sanitizer --tool memcheck \
    --error-exitcode 1 "$dlbench" verify --workload mnist_cnn --backend cuda
else
  table+=("skipped 0 s  compute-sanitizer is not installed")
fi
check "PyTorch beside it" 300 python3 tests/gpu/compare_pytorch.py --dlbench "$dlbench" --rounds 1 \
  --output "$output/pytorch.json"

printf '%s\n' "${table[@]}" | tee "$output/table.txt"
exit $failed
