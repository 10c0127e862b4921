#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/run.sh: installs what the tests need, builds with warnings as errors, checks format and names, runs every test
# that a machine without a GPU can run. Ends in ctest's own summary.
set -eu
project=$(cd "$(dirname "$0")/.." && pwd)
. "$project/tests/build.sh"
echo "configure"
prepareTests
echo "build"
cmake --build "$build" --parallel "$(jobs)" || fail "the build failed, see above"
sh "$project/tests/style.sh" "$build"
echo "test"
export QT_QPA_PLATFORM=offscreen
exec ctest --test-dir "$build" --output-on-failure --no-tests=error
