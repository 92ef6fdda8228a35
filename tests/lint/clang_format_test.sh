#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
#
# The checker is checked: one badly formatted file must make clang_format.sh fail, and none must not.
# Arguments as for clang_format.sh.
set -euo pipefail
program=$1 version=$2 root=$3
check=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/clang_format.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cp "$root/.clang-format" "$tree/"
mkdir "$tree/engine"
printf 'int one() { return 1; }\n' >"$tree/engine/good.cpp"
"$check" "$program" "$version" "$tree" || exit $?
printf 'int  one( ){return 1 ;}\n' >"$tree/engine/bad.cpp"
if "$check" "$program" "$version" "$tree" 2>/dev/null; then
  echo "a badly formatted file was not found"
  exit 1
fi
