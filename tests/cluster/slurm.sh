#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A Slurm of one machine for tests (Debian, as root).
#   sh slurm.sh start FOLDER   installs it where it is missing and starts it with everything under FOLDER;
#                              then export SLURM_CONF=FOLDER/slurm.conf
#   sh slurm.sh stop FOLDER    ends what start began
# Exit code 1 and one line on stderr where it cannot run.
set -eu
[ $# -eq 2 ] || { echo "usage: sh slurm.sh start|stop FOLDER" >&2; exit 2; }
mkdir -p "$2"
folder=$(cd "$2" && pwd)

fail() {
    echo "slurm.sh: $*" >&2
    exit 1
}

startMunge() {
    munge -n </dev/null 2>/dev/null | unmunge >/dev/null 2>&1 && return 0
    mkdir -p /etc/munge /run/munge /var/log/munge /var/lib/munge
    [ -s /etc/munge/munge.key ] || dd if=/dev/urandom of=/etc/munge/munge.key bs=1024 count=1 2>/dev/null
    chmod 400 /etc/munge/munge.key
    chown -R munge: /etc/munge /run/munge /var/log/munge /var/lib/munge
    su -s /bin/sh munge -c munged >/dev/null 2>&1 || fail "munged does not start"
    cp /run/munge/munged.pid "$folder/munged.pid" 2>/dev/null || true
    sleep 1
}

writeConf() {
    host=$(hostname -s)
    mkdir -p "$folder/state" "$folder/spool"
    cat >"$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}

start() {
    [ "$(id -u)" -eq 0 ] || fail "it needs root"
    if ! command -v slurmctld >/dev/null 2>&1 || ! command -v munged >/dev/null 2>&1; then
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm munge; } \
            >"$folder/install.log" 2>&1 </dev/null || fail "slurm-wlm cannot be installed, see $folder/install.log"
    fi
    startMunge
    writeConf
    slurmctld -f "$folder/slurm.conf" >/dev/null 2>&1 || fail "slurmctld does not start, see $folder/slurmctld.log"
    slurmd -f "$folder/slurm.conf" >/dev/null 2>&1 || fail "slurmd does not start, see $folder/slurmd.log"
    for _ in $(seq 30); do
        SLURM_CONF=$folder/slurm.conf sinfo -h -o %t 2>/dev/null | grep -q idle && return 0
        sleep 1
    done
    fail "the node does not become idle, see $folder/slurmctld.log"
}

stop() {
    for daemon in slurmd slurmctld munged; do
        [ ! -s "$folder/$daemon.pid" ] || kill "$(cat "$folder/$daemon.pid")" 2>/dev/null || true
    done
}

case $1 in
start) start ;;
stop) stop ;;
*) fail "start or stop" ;;
esac
