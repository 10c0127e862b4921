#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/fuzz/run.sh [MINUTES]: half of the time (10) for damaged dumps through the command line, half for libFuzzer on
# the readers, with AddressSanitizer; needs clang. Ends with the counts of executions.
set -eu
project=$(cd "$(dirname "$0")/../.." && pwd)
. "$project/tests/build.sh"
seconds=$((${1:-10} * 30))
build="$project/build/fuzz"
command -v clang++ >/dev/null || fail "clang++ is missing (apt-get install clang)"
cmake -S "$project" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_CXX_FLAGS="-fsanitize=fuzzer-no-link,address" -DWITH_FUZZER=ON -DWITH_WINDOW=OFF -DWITH_CUDA=OFF >/dev/null
cmake --build "$build" --target read_array_file
cmake -S "$project" -B "$build-flips" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DWITH_WINDOW=OFF -DWITH_CUDA=OFF >/dev/null
cmake --build "$build-flips" --target flip_dumps dimscope-cli
corpus="$build/corpus"
mkdir -p "$corpus"
cp "$project"/tests/data/layouts/*.npz "$project"/tests/data/layouts/*.safetensors "$corpus"
cd "$build"
"$build-flips/tests/fuzz/flip_dumps" "$build-flips/app/cli/dimscope-cli" "$project/tests/data" "$seconds" "$(date +%s)"
exec "$build/tests/fuzz/read_array_file" -max_total_time="$seconds" -max_len=65536 -rss_limit_mb=1024 -print_final_stats=1 "$corpus"
