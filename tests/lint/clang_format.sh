#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
#
# clang_format.sh PROGRAM VERSION ROOT: fails if a C++ file below ROOT is not formatted. Exit code 77
# (skipped) where PROGRAM is missing or of another major version.
set -euo pipefail
program=$1 version=$2 root=$3
if ! found=$("$program" --version 2>/dev/null); then
  echo "skipped: clang-format is not installed"
  exit 77
fi
case "$found" in
  *"version $version."*) ;;
  *)
    echo "skipped: clang-format $version decides, this is: $found"
    exit 77
    ;;
esac
folders=()
for folder in engine data workloads harness probes reports launchers tests; do
  [ ! -d "$root/$folder" ] || folders+=("$root/$folder")
done
mapfile -d '' -t files < <(find "${folders[@]}" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' \) -print0)
if [ "${#files[@]}" -eq 0 ]; then
  echo "no C++ files below $root"
  exit 1
fi
printf '%s\0' "${files[@]}" | xargs -0 -n 32 -P 2 "$program" --dry-run --Werror --style=file
echo "${#files[@]} files are formatted"
