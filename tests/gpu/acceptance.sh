#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
#
# What a machine with an NVIDIA GPU has to show: tests, op conformance, verification of each workload,
# its trials and their probes, a memory check, the bandwidth of its kernels, PyTorch beside it, and whether
# the seven bars of docs/gpu-status.md are met. No MPI and no internet, but python3, 3.8 or newer. Prints a
# table last.
#
# Without --part: tests, speed and pytorch, in this order, each in what the ones before it have left of the
# deadline of 570 s. Tests and speed took 404 s on an H200, without racecheck. PyTorch's part wants a call of its own: where
# python3 has a PyTorch (looked for first), a call of all ends with 1 and names the command that is still to be run;
# where it has none, that part is skipped and 0 is possible.
#
# Usage: tests/gpu/acceptance.sh [OPTION...] [TREE [OUTPUT_FOLDER]]
#   TREE              with bin/dlbench: a build folder or an installed tree; default build/cuda, or build/release
#                     if only that has the CUDA plug-in and gpu_test; if neither is there, build/cuda is built. Of an
#                     installed script the tree that it is in
#   OUTPUT_FOLDER     gets at most eight files: table.txt, details.txt, info.txt, device_properties.json,
#                     resunetpp.json, bandwidth.json, pytorch.json, archive.tar.gz; default gpu-acceptance.
#                     Of a call that is killed also running.txt: what the step said that was under way, the
#                     last one in details.txt
#   --part NAME       tests, speed or pytorch; default all. A part that is run by itself adds to the table
#                     and the details of a folder that has some already.
#   --resume          parts tests and pytorch, each by itself: not once more what passed in this folder, by the
#                     same dlbench on the same GPU; what failed, was skipped or was not run is run. PyTorch's
#                     contestants run again with those of their precision and batch size, of which one was not
#                     measured
#   --deadline S      of everything but building, which may take as long by itself; default 570. At most what
#                     the caller allows, less 30: it is overrun by a step that does not end at once. What it
#                     leaves no time for is no success, and is named last with the command that runs it. Tests
#                     leave at least 130 s for speed, which has shorter trials where it has less than 330.
# Exit code: 0 nothing failed and no bar was missed (they are of an H200: elsewhere none is judged), 1 something
# failed or was not run (no time, no python3, gpu_test or gpu_bandwidth, a program that does not see the GPU that
# dlbench sees), 3 all passed but a bar was missed, 77 no GPU can be used (nothing is built then).
# A bar is judged by what this dlbench measured on this GPU; what another left in OUTPUT_FOLDER is "not run". Trials
# are in bf16; in fp16, or else fp32, where the GPU has no bf16, and the rows name it.
#
# On a machine that ends a command after ten minutes, three calls do it:
#   export DLBENCH_CACHE_DIR=$PWD/build/gpu-cache
#   tests/gpu/acceptance.sh --part tests build/carried gpu-acceptance/tests
#   tests/gpu/acceptance.sh --part speed build/carried gpu-acceptance/speed
#   tests/gpu/acceptance.sh --part pytorch build/carried gpu-acceptance/pytorch
#   tests/gpu/bars.py gpu-acceptance/tests gpu-acceptance/speed gpu-acceptance/pytorch
# The last joins them: one table, and each bar of the last folder that can judge it, so that a part that its
# time cut short may be called again, with --resume or into a folder of its own. It ends with 1 unless all three
# parts were done, by one dlbench on one kind of GPU, and the last call of each failed in nothing. DLBENCH_CACHE_DIR
# keeps tuning, peaks and generated data from one call to the next, and what torch.compile tuned too, unless
# TORCHINDUCTOR_CACHE_DIR names another folder for that; where it is not set, they end with the call. Where the
# machine is there for a quarter of an hour in all, tests (149 s on an H200) and speed (about 340 s) fit into one
# command, with --deadline 200 and 370 and the same OUTPUT_FOLDER for both; PyTorch's part wants a time of its own.
#
# NVIDIA's libraries are those of CUDA 13, from a toolkit or from Python wheels of the python3 that is called
# here: nvidia-cublas, nvidia-cuda-nvrtc, nvidia-cuda-cupti, nvidia-cudnn-cu13 and nvidia-nccl-cu13, as a
# PyTorch for CUDA 13 brings them. One for CUDA 12 does not do: its cuDNN has the same name, and is refused.
# compute-sanitizer is in the toolkit, and a wheel too: nvidia-cuda-sanitizer-api.
#
# A machine without compilers or packages for building gets an installed tree, which needs no more than the
# GPU libraries, a driver, GCC's runtime and python3. It is made elsewhere, and small enough to be carried:
#   cmake --preset cuda-release -B build/gpu -DDLBENCH_ENABLE_ONEDNN=OFF -DCMAKE_CUDA_ARCHITECTURES=90
#   cmake --build build/gpu --target dlbench_main gpu_test gpu_bandwidth
#   cmake --install build/gpu --strip --prefix build/carried
#   cmake --install build/gpu --strip --prefix build/carried --component gpu-tests
#   build/carried/share/dlbench/tests/gpu/acceptance.sh
# The last is this script, which is installed with what it calls; where it was not, a checkout's takes the tree as
# TREE.
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
# Rows, rates, bars and PyTorch's part are Python; nothing is left beside the scripts.
if ! timeout -k 2 20 python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' >/dev/null 2>&1; then
  echo "FAILED: no python3 in PATH that runs and is 3.8 or newer: the table and the bars need it"
  exit 1
fi
export PYTHONDONTWRITEBYTECODE=1

# Of a checkout a build folder, where one is complete; of an installed script the tree that it is in.
default_tree() {
  if [ ! -e "$root/CMakePresets.json" ]; then
    readlink -f "$root/../.."
  elif [ ! -x "$root/build/cuda/bin/dlbench" ] && [ -x "$root/build/release/bin/dlbench" ] &&
    [ -x "$root/build/release/bin/gpu_test" ] && [ -e "$root/build/release/bin/libdlbench_cuda.so" ]; then
    echo "$root/build/release"
  else
    echo "$root/build/cuda"
  fi
}
tree=${folders[0]:-$(default_tree)}
if [ -e "$root/CMakePresets.json" ]; then
  output=${folders[1]:-$root/gpu-acceptance}
else
  output=${folders[1]:-gpu-acceptance}
fi
# With code 2, in its last line: what this device has not, as dlbench words it. Other refusals are failures.
unsupported='needs compute capability'
table=()
failed=0
code=0
missed=3     # as bars.py ends
reserve=0    # seconds that are kept for later parts
current=     # the part that is under way
declare -A unfinished=() # by part: its time was up before its end

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
    unfinished[$current]=1
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
      ((limit < left)) || unfinished[$current]=1
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
  [ -e /proc/driver/nvidia/version ] || [ -e /dev/nvidiactl ] || ask_smi -L >/dev/null 2>&1
}

# It never answers where a GPU fell off the bus.
ask_smi() { timeout -k 2 10 nvidia-smi "$@"; }

build_tree() {
  local arch code=0
  if [ ! -e "$root/CMakePresets.json" ]; then
    echo "FAILED: no dlbench in $tree/bin, and nothing to build one from beside this script; --help says more"
    exit 1
  fi
  arch=$(ask_smi --id=0 --query-gpu=compute_cap --format=csv,noheader 2>/dev/null || true)
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
if [ -z "${VIRTUAL_ENV:-}" ]; then
  VIRTUAL_ENV=$(timeout -k 2 10 python3 -c 'import sys; print(sys.prefix)' || true)
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
if ! version=$(timeout -k 2 20 "$dlbench" --version 2>&1); then
  echo "FAILED: $dlbench --version: ${version:-did not end within 20 s}"
  exit 1
fi
# Where it does not answer, the name as dlbench has it, which is enough for bars but not to resume.
if ! gpus=$(ask_smi --query-gpu=name,driver_version,memory.total,power.limit --format=csv,noheader 2>/dev/null) ||
  [ -z "$gpus" ]; then
  gpus=$(sed -n 's/^ *cuda  *//p' "$output/info.txt" | head -n 1)
  gpus="${gpus:-GPU without a name}, nvidia-smi does not answer"
fi
# What is not committed may be anything.
if ((resume)) && [ -e "$output/table.txt" ] && [[ $version != *"+)" && $gpus != *"does not answer" ]]; then
  "$steps" passed "$output/table.txt" "$version" "${gpus%%$'\n'*}" >"$scratch/passed.txt"
fi
{
  printf '# part %s, %s\n' "$part" "$(date -u +%FT%TZ)"
  printf '%s\n' "$version"
  printf '%s\n' "$gpus"
} | tee -a "$output/details.txt" "$output/table.txt"

# shellcheck source-path=SCRIPTDIR source=acceptance_parts.sh
. "$here/acceptance_parts.sh"

has_torch=1
if [[ $part == all || $part == pytorch ]]; then
  look_for_torch
fi
for current in tests speed pytorch; do
  [[ $part == all || $part == "$current" ]] || continue
  if [ "$part" = all ]; then
    echo "# part $current begins" | tee -a "$output/table.txt" # each is judged by itself, by tables.py
  fi
  case $current in
    tests) tests_part ;;
    speed) speed_part ;;
    pytorch) pytorch_part ;;
  esac
done
# What the kernel's side of the driver has said of faults, where one may read it.
timeout -k 1 5 dmesg 2>/dev/null | grep -E 'NVRM|Xid' | tail -n 50 >"$scratch/dmesg.txt" || true
sed '1i\\n== dmesg: of NVRM and Xid' "$scratch/dmesg.txt" >>"$output/details.txt"
if xid=$(grep -c 'Xid (' "$scratch/dmesg.txt"); then
  row info 0 "dmesg has $xid Xid errors, some perhaps from before: see details.txt"
fi
bars=0
timeout -k 2 10 python3 "$here/bars.py" --of-call "$output" >"$scratch/bars.txt" 2>&1 || bars=$?
sed -i '/^bar /d' "$output/table.txt" # of an earlier part
cat "$scratch/bars.txt" >>"$output/table.txt"
printf '\n'
printf '%s\n' "${table[@]}"
cat "$scratch/bars.txt"
if ((bars != 0 && bars != missed)); then
  echo "FAILED: bars.py (code $bars)" | tee -a "$output/table.txt"
  failed=1
fi
for current in tests speed pytorch; do
  if [ -n "${unfinished[$current]:-}" ]; then
    words="--part $current"
    [ "$current" = speed ] || words+=" --resume"
    printf 'still to be run, for its time was up: %q %s %q %q\n' "${BASH_SOURCE[0]}" "$words" "$tree" "$output"
  fi
done
result=$((failed ? 1 : bars))
echo "# part $part ended with code $result" | tee -a "$output/table.txt"
exit "$result"
