#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/style.sh BUILD: every own source against .clang-format, and its names against .clang-tidy.
# BUILD holds compile_commands.json. Names that passed are not looked at again before a source or header changes.
set -eu
project=$(cd "$(dirname "$0")/.." && pwd)
. "$project/resources/packages.sh"
[ $# -eq 1 ] || { echo "usage: sh tests/style.sh BUILD" >&2; exit 2; }
build=$(cd "$1" && pwd)
cd "$project"

own() { find kernels analysis io app tests -type f \( "$@" \) | LC_ALL=C sort; }

echo "format"
own -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' |
    tr '\n' '\0' | xargs -0 clang-format --dry-run -Werror || fail "clang-format -i would change the files above"

echo "names"
state=$build/names-checked
{ cat .clang-tidy && own -name '*.h' -o -name '*.cpp' | tr '\n' '\0' | xargs -0 sha256sum; } >"$state.now"
cmp -s "$state.now" "$state" && exit 0
# Every translation unit: a source, or several of one folder (unity); headers are read with them.
sed -n 's/^  "file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" |
    grep -v -e /alone/ -e '\.cu$' -e _autogen/ -e /autogen/ | tr '\n' '\0' >"$state.todo"
[ -s "$state.todo" ] || fail "no source is in $build/compile_commands.json"
# Only names are checked here: -w leaves the warnings to the compiler.
xargs -0 -n 1 -P "$(jobs)" clang-tidy -p "$build" --quiet --extra-arg=-w <"$state.todo" 2>"$build/names.log" ||
    fail "names against .clang-tidy, or sources that clang-tidy cannot read: see above and $build/names.log"
mv "$state.now" "$state"
