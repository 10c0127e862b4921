#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The same without Slurm, on one machine: sh processes.sh N FOLDER RESULT.json VERB FILE OPTION...
# N shards side by side, one thread each, then their merge.
set -eu
[ $# -ge 5 ] || { echo "usage: sh processes.sh N FOLDER RESULT.json VERB FILE OPTION..." >&2; exit 2; }
count=$1 folder=$2 result=$3
shift 3
cli=${DIMSCOPE_CLI:-dimscope-cli}
mkdir -p "$folder"
running=
for shard in $(seq "$count"); do
    "$cli" "$@" --threads 1 --shard "$shard/$count" --resume "$folder/shard-$shard.pieces" \
        --out "$folder/shard-$shard.json" >/dev/null &
    running="$running $!"
done
failed=0
for process in $running; do wait "$process" || failed=1; done
[ "$failed" -eq 0 ] || { echo "processes.sh: a shard failed, see above; the same command goes on from what is done" >&2; exit 1; }
"$cli" merge "$folder"/shard-*.json --out "$result" >/dev/null
