#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh resources/start.sh [FILE]: installs what is needed, builds the program and opens its window on FILE (default: the
# bundled sample). Without a display it writes every figure and table of FILE to report/ instead.
set -eu
project=$(cd "$(dirname "$0")/.." && pwd)
. "$project/resources/packages.sh"

[ $# -le 1 ] || { echo "usage: sh resources/start.sh [FILE]" >&2; exit 2; }
file=${1:-$project/resources/sample/smollm2-sample.h5}
[ -e "$file" ] || fail "$file: no such file"

build=$project/build/release
mkdir -p "$build"
# shellcheck disable=SC2086
installPackages $buildPackages $runPackages
configure "$build" -DCMAKE_BUILD_TYPE=Release -DWITH_TESTS=OFF
program=$build/app/window/dimscope
[ -x "$program" ] || echo "building (some minutes the first time)"
cmake --build "$build" --parallel "$(jobs)" >"$build/build.log" 2>&1 || {
    tail -n 40 "$build/build.log" >&2
    fail "the build failed, see above and $build/build.log"
}

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec "$program" "$file"
fi
echo "no display: writing the report"
exec "$program" --export "$project/report" "$file"
