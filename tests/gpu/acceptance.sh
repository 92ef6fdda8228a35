#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
#
# What a machine with an NVIDIA GPU has to show: tests, op conformance, verification of each workload,
# its trials and their probes, a memory check, the bandwidth of its kernels, PyTorch beside it, and whether
# the seven bars of docs/gpu-status.md are met. No MPI and no internet. Prints a table last.
#
# Usage: tests/gpu/acceptance.sh [OPTION...] [TREE [OUTPUT_FOLDER]]
#   TREE              with bin/dlbench: a build folder or an installed tree; default build/cuda, which is
#                     built if it is not there
#   OUTPUT_FOLDER     gets at most eight files: table.txt, details.txt, info.txt, device_properties.json,
#                     resunetpp.json, bandwidth.json, pytorch.json, archive.tar.gz; default gpu-acceptance.
#                     Of a call that is killed also running.txt: what the step said that was under way, the
#                     last one in details.txt
#   --part NAME       tests, speed or pytorch; default all. A part that is run by itself adds to the table
#                     and the details of a folder that has some already.
#   --resume          parts tests and pytorch, each by itself: not once more what passed in this folder, by the
#                     same dlbench; what failed, was skipped or was not run is run. PyTorch's contestants run
#                     again with those of their precision and batch size, of which one was not measured
#   --deadline S      of everything but building, which may take as long by itself; default 570. At most what
#                     the caller allows, less 30: it is overrun by a step that does not end at once. What it
#                     leaves no time for is no success. Of 570 s, all keeps 250 for PyTorch and 130 for
#                     speed, which is not enough for everything; each part is made to fit by itself.
# Exit code: 0 nothing failed and no bar was missed (they are of an H200: elsewhere none is judged), 1 something
# failed or was not run (no time, no gpu_test, a program that does not see the GPU that dlbench sees), 3 all
# passed but a bar was missed, 77 no GPU can be used (nothing is built then).
#
# On a machine that ends a command after ten minutes, three calls do it:
#   export DLBENCH_CACHE_DIR=$PWD/build/gpu-cache
#   tests/gpu/acceptance.sh --part tests build/carried gpu-acceptance/tests
#   tests/gpu/acceptance.sh --part speed build/carried gpu-acceptance/speed
#   tests/gpu/acceptance.sh --part pytorch build/carried gpu-acceptance/pytorch
#   tests/gpu/bars.py gpu-acceptance/tests gpu-acceptance/speed gpu-acceptance/pytorch
# The last joins them: one table, and each bar of the last folder that can judge it, so that a part that its
# time cut short may be called again, with --resume or into a folder of its own. DLBENCH_CACHE_DIR keeps tuning, peaks and
# generated data from one call to the next, and what torch.compile tuned too, unless TORCHINDUCTOR_CACHE_DIR
# names another folder for that; where it is not set, they end with the call. Where the machine is there for a
# quarter of an hour in all, tests (149 s on an H200) and speed (about 340 s) fit into one command, with
# --deadline 200 and 370 and the same OUTPUT_FOLDER for both; PyTorch's part wants a time of its own.
#
# NVIDIA's libraries are those of CUDA 13, from a toolkit or from Python wheels of the python3 that is called
# here: nvidia-cublas, nvidia-cuda-nvrtc, nvidia-cuda-cupti, nvidia-cudnn-cu13 and nvidia-nccl-cu13, as a
# PyTorch for CUDA 13 brings them. One for CUDA 12 does not do: its cuDNN has the same name, and is refused.
# compute-sanitizer is in the toolkit, and a wheel too: nvidia-cuda-sanitizer-api.
#
# A machine without compilers or packages for building gets an installed tree, which needs no more than the
# GPU libraries, a driver and GCC's runtime. It is made elsewhere, and small enough to be carried:
#   cmake --preset cuda-release -B build/gpu -DDLBENCH_ENABLE_ONEDNN=OFF -DCMAKE_CUDA_ARCHITECTURES=90
#   cmake --build build/gpu --target dlbench_main gpu_test gpu_bandwidth
#   cmake --install build/gpu --strip --prefix build/carried
#   cmake --install build/gpu --strip --prefix build/carried --component gpu-tests
#   tests/gpu/acceptance.sh build/carried
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
steps=$here/acceptance_steps.sh
root=$(cd "$here/../.." && pwd)

misused() {
  echo "acceptance.sh: $*" >&2
  exit 1
}

part=all
resume=0
deadline=570
folders=()
while (($# > 0)); do
  case $1 in
    --part | --deadline)
      (($# >= 2)) || misused "$1 needs a value"
      if [ "$1" = --part ]; then part=$2; else deadline=$2; fi
      shift
      ;;
    --resume) resume=1 ;;
    -h | --help)
      sed -n '5,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    -*) misused "unknown option $1 (see --help)" ;;
    *)
      ((${#folders[@]} < 2)) || misused "unexpected argument '$1', after TREE and OUTPUT_FOLDER (see --help)"
      folders+=("$1")
      ;;
  esac
  shift
done
[[ " all tests speed pytorch " == *" $part "* ]] || misused "--part $part: tests, speed, pytorch or all"
if ((resume)) && [ "$part" != tests ] && [ "$part" != pytorch ]; then
  misused "--resume is for --part tests and --part pytorch (see --help)"
fi
[[ $deadline =~ ^[1-9][0-9]*$ ]] || misused "--deadline $deadline: whole seconds"
tree=${folders[0]:-$root/build/cuda}
output=${folders[1]:-$root/gpu-acceptance}
# With code 2, in its last line: what this device has not, as dlbench words it. Other refusals are failures.
unsupported='needs compute capability'
table=()
failed=0
code=0
missed=3     # as bars.py ends
reserve=0    # seconds that are kept for later parts

# row STATE SECONDS TEXT: one line of the table, on disk at once.
row() {
  table+=("$(printf '%-8s %4s s  %s' "$1" "$2" "$3")")
  printf '%s\n' "${table[-1]}" | tee -a "$output/table.txt"
}

# last_line FILE: of what a step said, cut to a line of the table.
last_line() { grep -v '^[[:space:]]*$' "$1" | tail -n 1 | cut -c 1-200; }

# Seconds that this part has.
time_left() { echo $((deadline - reserve - SECONDS)); }

timed_out() { (($1 == 124 || $1 == 137)); }

# check NAME SECONDS COMMAND...: runs one step, at most so long and not past the deadline or into what is
# kept for later parts. What it says goes to details.txt and stays in $step; of a step that fails, its end
# goes to stdout too. Its exit code stays in $code.
check() {
  local name=$1 limit=$2 started=$SECONDS left
  left=$(time_left)
  code=0
  shift 2
  if ((resume)) && grep -qxF -- "$name" "$scratch/passed.txt"; then
    : >"$step"
    row passed 0 "$name (before)"
    return 0
  fi
  if ((left < 10)); then
    : >"$step"
    row "not run" 0 "$name (the time is up)"
    failed=1
    code=124
    return 0
  fi
  ((limit < left)) || limit=$left
  printf '\n== %s: %s\n' "$name" "$*" >>"$output/details.txt"
  timeout -k 10 "$limit" "$@" >"$step" 2>&1 || code=$?
  tail -c 300000 "$step" >>"$output/details.txt"
  if ((code == 0)); then
    row passed $((SECONDS - started)) "$name"
  elif ((code == 77)) || { ((code == 2)) && [[ $(last_line "$step") == *"$unsupported"* ]]; }; then
    row skipped $((SECONDS - started)) "$name ($(last_line "$step"))"
  else
    failed=1
    if timed_out "$code"; then
      row FAILED $((SECONDS - started)) "$name (did not end within $limit s)"
    else
      row FAILED $((SECONDS - started)) "$name (code $code, see details.txt)"
    fi
    tail -n 25 "$step" | cut -c 1-240 | sed 's/^/    | /'
  fi
}

# Behind check, of a step that finds no GPU by itself: dlbench has found one.
skipped_is_failed() {
  if ((code == 77)); then
    failed=1
    row FAILED 0 "the step above: skipped, but dlbench sees a GPU"
  fi
}

# The kernel's side of a driver: with it, libraries that do not load are a fault, not a missing GPU.
has_driver() {
  [ -e /proc/driver/nvidia/version ] || [ -e /dev/nvidiactl ] || nvidia-smi -L >/dev/null 2>&1
}

build_tree() {
  local arch code=0
  arch=$(nvidia-smi --id=0 --query-gpu=compute_cap --format=csv,noheader 2>/dev/null || true)
  arch=${arch//[^0-9]/}
  echo "building $tree"
  # shellcheck disable=SC2016  # expanded by the inner shell
  timeout -k 10 "$deadline" bash -c 'cmake -S "$1" --preset cuda-release -B "$2" -DDLBENCH_BUILD_TESTS=ON \
    "-DCMAKE_CUDA_ARCHITECTURES=$3" &&
    cmake --build "$2" --parallel --target dlbench_main gpu_test gpu_bandwidth' \
    build "$root" "$tree" "${arch:-90}" >"$scratch/build.txt" 2>&1 || code=$?
  if ((code)); then
    local why
    why=$(grep -m 1 -A 4 -E 'CMake Error|error:|not found' "$scratch/build.txt" | tr -s ' \n' ' ' || true)
    if timed_out "$code"; then
      why="not built within $deadline s"
    fi
    echo "FAILED: no dlbench in $tree/bin, and none can be built here: ${why:-$(last_line "$scratch/build.txt")}" |
      cut -c 1-400
    echo "An installed tree needs no build: make one elsewhere, name it as TREE; --help says how."
    exit 1
  fi
}

scratch=$(mktemp -d -t dlbench-acceptance-XXXXXX)
step=$scratch/step.txt
trap 'rm -rf "$scratch" "$step"' EXIT
: >"$scratch/passed.txt"

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
# Tuning, peaks and generated data: kept for all steps, and for later calls where the user says so.
export DLBENCH_CACHE_DIR=${DLBENCH_CACHE_DIR:-$scratch/cache}
export TORCHINDUCTOR_CACHE_DIR=${TORCHINDUCTOR_CACHE_DIR:-$DLBENCH_CACHE_DIR/torchinductor}
mkdir -p "$output" "$DLBENCH_CACHE_DIR"
output=$(cd "$output" && pwd)
step=$output/running.txt # there, so that it is left where this is killed

# The first to load NVIDIA's libraries, which takes minutes where they come over a network.
limit=$((deadline < 180 ? deadline : 180))
code=0
timeout -k 10 "$limit" "$dlbench" info >"$output/info.txt" 2>&1 || code=$?
if ((code)); then
  if timed_out "$code"; then
    reason="did not end within $limit s"
  else
    reason="$(last_line "$output/info.txt" || true) (code $code)"
  fi
  echo "FAILED: $dlbench info: $reason"
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
version=$("$dlbench" --version)
gpus=$(nvidia-smi --query-gpu=name,driver_version,memory.total,power.limit --format=csv,noheader 2>&1 || true)
# What is not committed may be anything.
if ((resume)) && [ -e "$output/table.txt" ] && [[ $version != *"+)" ]]; then
  "$steps" passed "$output/table.txt" "$version" "${gpus%%$'\n'*}" >"$scratch/passed.txt"
fi
{
  printf '# part %s, %s\n' "$part" "$(date -u +%FT%TZ)"
  printf '%s\n' "$version"
  printf '%s\n' "$gpus"
} | tee -a "$output/details.txt" "$output/table.txt"

# shellcheck source-path=SCRIPTDIR source=acceptance_parts.sh
. "$here/acceptance_parts.sh"

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
# What the kernel's side of the driver has said of faults, where one may read it.
dmesg 2>/dev/null | grep -E 'NVRM|Xid' | tail -n 50 >"$scratch/dmesg.txt" || true
sed '1i\\n== dmesg: of NVRM and Xid' "$scratch/dmesg.txt" >>"$output/details.txt"
if xid=$(grep -c 'Xid (' "$scratch/dmesg.txt"); then
  row info 0 "dmesg has $xid Xid errors, some perhaps from before: see details.txt"
fi
bars=0
python3 "$here/bars.py" "$output" >"$scratch/bars.txt" 2>&1 || bars=$?
sed -i '/^bar /d' "$output/table.txt" # of an earlier part
cat "$scratch/bars.txt" >>"$output/table.txt"
printf '\n'
printf '%s\n' "${table[@]}"
cat "$scratch/bars.txt"
if ((bars != 0 && bars != missed)); then
  echo "FAILED: bars.py (code $bars)" | tee -a "$output/table.txt"
  failed=1
fi
result=$((failed ? 1 : bars))
echo "# part $part ended with code $result" | tee -a "$output/table.txt"
exit "$result"
