#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
#
# First contact: install what is missing, build, and run the main benchmark or all tests.
# Proven on Debian 12; Ubuntu 24.04 best effort; elsewhere the packages have to be there already.
set -euo pipefail

cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

usage() {
  cat <<'TEXT'
Usage: ./quickstart.sh run     install what is missing, build, run the main benchmark on generated
                               data, leave results/report.json, trace.json and summary.png
       ./quickstart.sh test    install what is missing, build and run all tests
       ./quickstart.sh --help  this text

Packages are installed with apt-get when this runs as root or sudo needs no password; otherwise the
commands that install them are printed and nothing is changed. Nothing is ever asked.

Environment: DLBENCH_JOBS     parallel compile jobs (default: usable cores)
             DLBENCH_STAGES   what "test" builds and runs, of: release asan tsan fuzz
                              (default: release fuzz)
             DLBENCH_TEST_JOBS  tests at a time (default: usable cores and one, for many tests wait)
TEXT
}

say() { printf '== %s\n' "$*"; }
fail() {
  printf 'quickstart: %s\n' "$*" >&2
  exit 1
}
misused() {
  printf 'quickstart: %s\n' "$*" >&2
  exit 2
}

# check_jobs VARIABLE...
check_jobs() {
  local name
  for name in "$@"; do
    [[ ${!name:-1} =~ ^[1-9][0-9]*$ ]] || misused "$name is '${!name}'; wanted a number of jobs, at least 1"
  done
}

# stage TEXT COMMAND...: runs one named step and prints how long it took.
stage() {
  local text=$1 started=$SECONDS code=0
  shift
  say "$text"
  "$@" || code=$?
  if [ "$code" -ne 0 ]; then
    printf 'quickstart: failed after %d s (code %d): %s\n' "$((SECONDS - started))" "$code" "$text" >&2
    exit "$code"
  fi
  say "$text: done in $((SECONDS - started)) s"
}

# --- packages -------------------------------------------------------------------------------------

run_packages=(cmake ninja-build g++ pkg-config libfmt-dev nlohmann-json3-dev libcli11-dev libboost-dev
  libvalijson-dev libpng-dev zlib1g-dev libjpeg-dev libturbojpeg0-dev libdnnl-dev
  libhwloc-dev python3-matplotlib)
test_packages=("${run_packages[@]}" git libgtest-dev libgmock-dev libbenchmark-dev python3-numpy
  python3-jsonschema python3-pil python3-yaml mpich libmpich-dev openmpi-bin libopenmpi-dev)
# Tests that need one of these are reported as skipped where a distribution does not have it.
optional_test_packages=(python3-torch python3-opencv dataset-fashion-mnist clang libclang-rt-dev
  libomp-dev clang-format slurm-wlm munge)

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing_of() {
  local package
  for package in "$@"; do
    is_installed "$package" || printf '%s\n' "$package"
  done
}

# No pipe into "grep -q": it leaves at the first match, and apt-cache then fails for a broken pipe.
in_archive() {
  local policy
  policy=$(apt-cache policy "$1" 2>/dev/null) && [[ $policy =~ Candidate:\ [^\(] ]]
}

# Before the first "apt-get update" it is not known of any package whether it is there.
has_package_lists() { [ -n "$(apt-cache dumpavail 2>/dev/null | head -c 1)" ]; }

# those_in_archive PACKAGE...: apt-get installs nothing at all where one name is unknown to it.
those_in_archive() {
  local package known=true
  has_package_lists || known=false
  for package in "$@"; do
    if ! $known || in_archive "$package"; then
      printf '%s\n' "$package"
    else
      say "not in this distribution, so some tests will be skipped: $package" >&2
    fi
  done
}

# install_packages REQUIRED... -- OPTIONAL...
install_packages() {
  local required=() optional=() missing wanted as_root=()
  while [ "$#" -gt 0 ] && [ "$1" != -- ]; do
    required+=("$1")
    shift
  done
  [ "$#" -eq 0 ] || shift
  optional=("$@")
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "no apt-get here: going on with what is installed; needed (Debian names): ${required[*]}"
    return
  fi
  mapfile -t missing < <(missing_of "${required[@]}")
  mapfile -t wanted < <(missing_of ${optional[@]+"${optional[@]}"})
  if [ "${#missing[@]}" -eq 0 ] && [ "${#wanted[@]}" -eq 0 ]; then
    return
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    elif [ "${#missing[@]}" -eq 0 ]; then
      say "not installed, so some tests will be skipped: ${wanted[*]}"
      return
    else
      mapfile -t wanted < <(those_in_archive "${wanted[@]}")
      printf 'quickstart: these packages are missing: %s\n' "${missing[*]}" >&2
      printf 'quickstart: install them and start again:\n  sudo apt-get update && ' >&2
      printf 'sudo apt-get install --no-install-recommends %s\n' "${missing[*]}" >&2
      if [ "${#wanted[@]}" -gt 0 ]; then
        printf 'quickstart: and these, without which some tests will be skipped:\n' >&2
        printf '  sudo apt-get install --no-install-recommends %s\n' "${wanted[*]}" >&2
      fi
      exit 1
    fi
  fi
  say "installing missing packages: ${missing[*]} ${wanted[*]}"
  # A broken third-party source must not stop us: what matters is whether the install succeeds.
  "${as_root[@]}" apt-get -qq update || say "apt-get update had problems, see above; going on"
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0
    install --no-install-recommends)
  if [ "${#missing[@]}" -gt 0 ]; then
    "${install[@]}" "${missing[@]}" || fail "apt-get could not install: ${missing[*]}; see the lines above"
  fi
  mapfile -t wanted < <(those_in_archive "${wanted[@]}")
  if [ "${#wanted[@]}" -gt 0 ]; then
    "${install[@]}" "${wanted[@]}" ||
      say "apt-get could not install, see above, so some tests will be skipped: ${wanted[*]}"
  fi
}

# --- build ----------------------------------------------------------------------------------------

usable_cores() { nproc 2>/dev/null || echo 2; }

# The source folder that build/FOLDER was configured for; nothing where it was not.
configured_for() { sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "build/$1/CMakeCache.txt" 2>/dev/null || true; }

# A configure that failed leaves CMakeCache.txt, but nothing to build with. A copied or moved tree has one of
# another tree, which ninja would go on building.
is_configured() { [ -f "build/$1/build.ninja" ] && [ "$(configured_for "$1")" -ef . ]; }

# configure FOLDER PRESET [OPTION...]: what a folder was configured with before stays.
configure() {
  local folder=$1 preset=$2
  shift 2
  local options=("$@") source
  if ! is_configured "$folder"; then
    source=$(configured_for "$folder")
    [ -z "$source" ] || [ "$source" -ef . ] || say "build/$folder is of $source: configured afresh"
    # What a failed one kept of a machine without a compiler would fail the next one with a compiler too.
    options+=(--fresh -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16)
    # Faster than a compiler cache that is still empty; not where GCC 12.2 builds for a sanitizer: it dies
    # of it.
    if [ "$folder" = release ] || [ "$folder" = fuzz ]; then
      options+=(-DDLBENCH_PRECOMPILE=ON)
    elif command -v ccache >/dev/null; then
      options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache)
    fi
  fi
  cmake --preset "$preset" ${options[@]+"${options[@]}"}
}

build() {
  local folder=$1
  shift
  cmake --build "build/$folder" --parallel "${DLBENCH_JOBS:-$(usable_cores)}" "$@"
}

# Debian's own interpreter has Debian's matplotlib; the one first on PATH may be another.
find_python() {
  if [ -x /usr/bin/python3 ]; then echo /usr/bin/python3; else command -v python3; fi
}

# Compiling the CUDA plug-in takes a while: where no NVIDIA driver is, that is for nothing.
has_nvidia_driver() { [[ $(ldconfig -p 2>/dev/null) == *libcuda.so.1* || -e /proc/driver/nvidia/version ]]; }

do_run() {
  local cuda=OFF
  check_jobs DLBENCH_JOBS
  ! has_nvidia_driver || cuda=AUTO
  stage "packages" install_packages "${run_packages[@]}" --
  if ! is_configured release; then
    stage "configure (build/release)" configure release cpu-release -DDLBENCH_BUILD_TESTS=OFF \
      -DDLBENCH_ENABLE_CUDA=$cuda
  fi
  stage "build" build release --target dlbench_main
  mkdir -p results
  stage "measure (resunetpp on generated images)" build/release/bin/dlbench run \
    --workload resunetpp --trials io,synthetic,full --time-budget 150s \
    --output results/report.json --trace results/trace.json
  stage "plot" build/release/bin/dlbench report plot results/report.json --output results/summary.png
  say "left in results/: report.json (schema: reports/schema), trace.json (open in ui.perfetto.dev), summary.png"
}

wants() {
  local word
  for word in ${DLBENCH_STAGES:-release fuzz}; do
    [ "$word" != "$1" ] || return 0
  done
  return 1
}

do_test() {
  local name stages=()
  check_jobs DLBENCH_JOBS DLBENCH_TEST_JOBS
  for name in ${DLBENCH_STAGES:-}; do
    case "$name" in
      release | asan | tsan | fuzz) ;;
      *) misused "unknown stage '$name' in DLBENCH_STAGES; known: release asan tsan fuzz" ;;
    esac
  done
  stage "packages" install_packages "${test_packages[@]}" -- "${optional_test_packages[@]}"
  for name in release asan tsan fuzz; do
    wants "$name" || continue
    case "$name" in
      release) stage "configure $name" configure release ci ;;
      fuzz)
        if ! command -v clang++ >/dev/null; then
          say "no clang++: the fuzzers are not built"
          continue
        fi
        stage "configure $name" configure fuzz fuzz
        ;;
      *) stage "configure $name" configure "$name" "$name" ;;
    esac
    if [ "$name" = fuzz ]; then
      stage "build $name" build "$name" --target fuzzers
    else
      stage "build $name" build "$name"
    fi
    stages+=("$name")
  done
  [ "${#stages[@]}" -gt 0 ] || fail "nothing to test: the stages ${DLBENCH_STAGES:-} need clang++"
  # One ctest run over all build folders, so that one summary tells the whole result.
  mkdir -p build/all
  : >build/all/CTestTestfile.cmake
  for name in "${stages[@]}"; do
    printf 'subdirs("%s/build/%s")\n' "$PWD" "$name" >>build/all/CTestTestfile.cmake
  done
  export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}
  export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}
  export LSAN_OPTIONS=${LSAN_OPTIONS:-suppressions=$PWD/tests/sanitizers/lsan.txt:print_suppressions=0}
  export TSAN_OPTIONS=${TSAN_OPTIONS:-suppressions=$PWD/tests/sanitizers/tsan.txt:halt_on_error=1}
  say "tests of: ${stages[*]}"
  ctest --test-dir build/all --output-on-failure --no-tests=error \
    --parallel "${DLBENCH_TEST_JOBS:-$(($(usable_cores) + 1))}"
}

case "${1:-}" in
  run | test)
    [ "$#" -eq 1 ] || misused "unexpected argument '$2'; see ./quickstart.sh --help"
    "do_$1"
    ;;
  -h | --help | help) usage ;;
  '')
    usage >&2
    exit 2
    ;;
  *)
    misused "unknown command '$1'; known: run, test, --help"
    ;;
esac
