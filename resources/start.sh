#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh resources/start.sh [FILE]: installs what is needed, builds the program and writes the tables of FILE (default: the
# bundled sample) to report/.
set -eu
project=$(cd "$(dirname "$0")/.." && pwd)
. "$project/resources/packages.sh"

[ $# -le 1 ] || { echo "usage: sh resources/start.sh [FILE]" >&2; exit 2; }
file=${1:-$project/resources/sample/smollm2-sample.h5}
[ -e "$file" ] || fail "$file: no such file"

build=$project/build/release
mkdir -p "$build"
# shellcheck disable=SC2086
installPackages $buildPackages
configure "$build" -DCMAKE_BUILD_TYPE=Release -DWITH_TESTS=OFF
program=$build/app/cli/dimscope-cli
[ -x "$program" ] || echo "building (some minutes the first time)"
cmake --build "$build" --parallel "$(jobs)" --target dimscope-cli >"$build/build.log" 2>&1 || {
    tail -n 40 "$build/build.log" >&2
    fail "the build failed, see above and $build/build.log"
}

report=$project/report
mkdir -p "$report"
"$program" info "$file"
for format in csv md tex; do
    "$program" profile "$file" --out "$report/profile.$format" >/dev/null
    "$program" group "$file" --out "$report/groups.$format" >/dev/null
    "$program" compare "$file" --kernels all --out "$report/kernel-errors.$format" >/dev/null
done
echo "tables are in $report"
