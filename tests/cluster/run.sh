#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh tests/cluster/run.sh: a sharded run, as a Slurm array of one machine and as plain processes, gives what one run
# gives, byte for byte but for times. Where Slurm cannot run here it says why, and the plain processes remain.
set -eu
project=$(cd "$(dirname "$0")/../.." && pwd)
. "$project/tests/build.sh"
prepareTests
cmake --build "$build" --parallel "$(jobs)" --target dimscope-cli || fail "the build failed, see above"

export DIMSCOPE_CLI="$build/app/cli/dimscope-cli"
folder=$(mktemp -d)
set -- intervene "$project/resources/sample/smollm2-sample.h5" --layers 15 --length 128 --rows 8 --kernels taylor,performer \
    --performer-features 16 --control gaussian,subsets --replicates 40 --json

# Everything of a result but when it was made, how long it took, and on how many threads.
withoutTimes() { sed -E 's/"(started|elapsed|device)":("[^"]*"|[0-9.e+-]+)//g' "$1"; }
expectSame() {
    withoutTimes "$folder/whole.json" >"$folder/a"
    withoutTimes "$1" >"$folder/b"
    cmp -s "$folder/a" "$folder/b" || fail "$2 differs from one run: diff $folder/a $folder/b"
    echo "cluster: $2 gives what one run gives"
}

"$DIMSCOPE_CLI" "$@" --out "$folder/whole.json" >/dev/null

sh "$project/resources/cluster/processes.sh" 2 "$folder/processes" "$folder/processes.json" "$@"
expectSame "$folder/processes.json" "2 plain processes"

if ! sh "$project/tests/cluster/slurm.sh" start "$folder/slurm"; then
    echo "cluster: without Slurm, for the reason above"
    rm -rf "$folder"
    exit 0
fi
trap 'sh "$project/tests/cluster/slurm.sh" stop "$folder/slurm"' EXIT
export SLURM_CONF="$folder/slurm/slurm.conf"
cd "$folder"
job=$(sbatch --parsable --array=1-3 --cpus-per-task=1 --output="$folder/shard-%a.log" \
    "$project/resources/cluster/array.sbatch" "$folder/array" "$@")
waited=0
timeout 300 sbatch --wait --dependency=afterok:"$job" --kill-on-invalid-dep=yes --output="$folder/merge.log" \
    "$project/resources/cluster/merge.sbatch" "$folder/array" "$folder/array.json" >/dev/null || waited=$?
if [ "$waited" -eq 124 ]; then
    echo "cluster: Slurm started but ran no job within 5 minutes: $(squeue --noheader --format='%j %T %r' 2>&1 | tr '\n' ';')"
    exit 0
fi
[ "$waited" -eq 0 ] || fail "the array or its merge failed: $(cat "$folder"/shard-*.log "$folder/merge.log" 2>/dev/null)"
expectSame "$folder/array.json" "a Slurm array of 3 tasks"
sh "$project/tests/cluster/slurm.sh" stop "$folder/slurm"
trap - EXIT
cd "$project"
rm -rf "$folder"
