#!/bin/sh
# A Slurm of its own on this machine, for tests: one controller, some nodes, a munge with a key of its own, all below one
# folder. It touches no other Slurm.
#
#   tests/slurm.sh start FOLDER [NODES]   prints what to put before PATH; its configuration is FOLDER/slurm.conf
#   tests/slurm.sh stop FOLDER
#
# Wants slurmctld, slurmd (built with --enable-multiple-slurmd, as Debian's slurm-wlm is), munged, and root.
set -eu

folder=$2
nodes=${3:-2}
export SLURM_CONF="$folder/slurm.conf"

# Held from the choice of ports until they are listened at, so that another Slurm that starts at the same time takes others.
lock=${TMPDIR:-/tmp}/lae-studio-slurm-$(id -u).lock

# A port that nobody listens at, from this number on.
free_port() {
    port=$1
    while [ -n "$(ss -Hltn "sport = :$port")" ]; do port=$((port + 1)); done
    echo "$port"
}

start() {
    mkdir -p "$folder/state" "$folder/munge" "$folder/log"
    # munged refuses folders that others may write to.
    chmod 755 "$folder" "$folder/munge"
    dd if=/dev/urandom of="$folder/munge/key" bs=1024 count=1 2>/dev/null
    chmod 400 "$folder/munge/key"
    munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
        --log-file="$folder/log/munged" --seed-file="$folder/munge/seed" --num-threads=2
    exec 9>"$lock"
    flock 9
    port=$(free_port $((20000 + $$ % 10000)))
    host=$(hostname -s)
    cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# How long a requeued job waits hangs on this.
AuthInfo=socket=$folder/munge/socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
ReturnToService=2
KillWait=5
MinJobAge=300
InactiveLimit=0
JobRequeue=1
SlurmdParameters=config_overrides
CONF
    names=""
    for number in $(seq 1 "$nodes"); do
        port=$(free_port $((port + 1)))
        echo "NodeName=n$number NodeHostname=$host NodeAddr=127.0.0.1 Port=$port CPUs=1 RealMemory=4000 State=UNKNOWN" \
            >>"$SLURM_CONF"
        names="$names${names:+,}n$number"
    done
    echo "PartitionName=tests Nodes=$names Default=YES MaxTime=1:00:00 DefMemPerCPU=1000 State=UP" >>"$SLURM_CONF"
    # Daemons must not inherit the lock.
    slurmctld -c 9>&-
    for number in $(seq 1 "$nodes"); do slurmd -N "n$number" 9>&-; done
    for _ in $(seq 1 100); do
        [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" = "$nodes" ] && return
        sleep 0.2
    done
    sinfo -N -l >&2 || true
    tail -n 5 "$folder"/log/* >&2
    exit 1
}

stop() {
    scancel -f --partition=tests --quiet 2>/dev/null || true
    for pid in "$folder"/slurmd-*.pid "$folder/slurmctld.pid" "$folder/munge/pid"; do
        [ -f "$pid" ] || continue
        number=$(cat "$pid")
        kill "$number" 2>/dev/null || true
        for _ in $(seq 1 50); do
            kill -0 "$number" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "$number" 2>/dev/null || true
    done
}

case $1 in
    start) start ;;
    stop) stop ;;
    *) echo "start or stop?" >&2; exit 2 ;;
esac
