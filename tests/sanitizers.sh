#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/sanitizers.sh [PRESET...]: everything below the window, built and tested under AddressSanitizer with UBSan (asan),
# and what threads share under ThreadSanitizer (tsan), without CUDA.
set -eu
project=$(cd "$(dirname "$0")/.." && pwd)
. "$project/resources/packages.sh"
cd "$project"
# shellcheck disable=SC2086
installPackages $buildPackages $testPackages
[ $# -gt 0 ] || set -- asan tsan
mkdir -p build
for preset in "$@"; do
    echo "$preset"
    case $preset in
        tsan) target=threaded_tests label=threads ;;
        *) target=all label=. ;;
    esac
    configure "$project/build/$preset" --preset "$preset"
    cmake --build "build/$preset" --parallel "$(jobs)" --target "$target" || fail "the build of preset $preset failed, see above"
    ctest --test-dir "build/$preset" --label-regex "$label" --output-on-failure --no-tests=error --parallel "$(jobs)" ||
        fail "tests failed under preset $preset, see above"
done
