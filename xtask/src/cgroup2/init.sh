#!/bin/busybox sh
# The first process of the virtual machine of `cargo xtask cgroup2`. It shows control groups of version 2 at work.

export PATH=/bin HOME=/root LANG=C TERM=dumb NO_COLOR=1

# The first root of a machine cannot be left, as a sandbox must. A second one takes its place.
if [ "$1" != second ]; then
    /bin/busybox mkdir -p /second
    /bin/busybox mount -t tmpfs -o mode=755 root /second
    for name in bin lib lib64 usr etc; do
        [ ! -e "/$name" ] || /bin/busybox cp -a "/$name" /second
    done
    /bin/busybox cp /init /second/init
    exec /bin/busybox switch_root /second /init second
fi
/bin/busybox --install -s /bin
mkdir -p /proc /sys /dev /tmp /usr /var/tmp /run/lock /root /bots /home/user
chmod 1777 /tmp /var/tmp /run/lock
chown 1000:1000 /home/user
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t cgroup2 -o nsdelegate cgroup2 /sys/fs/cgroup
echo 1 > /proc/sys/kernel/printk

passed=0
failed=0
scopes=0
# expect CODE NAME COMMAND…: runs a command and compares its exit code.
expect() {
    code=$1 name=$2
    shift 2
    printf '\n== %s\n$ ' "$name"
    echo "$*"
    "$@" < /dev/null
    seen=$?
    if [ $seen = "$code" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: exit code $seen instead of $code"
    fi
}
# delegated COMMAND…: runs a command as an ordinary user, alone in a control group of its own.
delegated() {
    scope=/sys/fs/cgroup/user/scope$((scopes = scopes + 1))
    mkdir "$scope"
    chown 1000:1000 "$scope" "$scope/cgroup.procs" "$scope/cgroup.subtree_control"
    sh -c 'echo $$ > "$0/cgroup.procs" && exec su -s /bin/sh -c '\''exec "$@"'\'' -- user su "$@"' "$scope" "$@"
}
# planet_wars BOT OPTION…: plays a match against an honest bot, in front of which may stand `delegated`.
planet_wars() {
    before=
    if [ "$1" = delegated ]; then before=delegated; shift; fi
    bot=$1
    shift
    $before agon match planet-wars "$bot" "honest=/bin/agon bot planet-wars rage" --seed 1 --rounds 30 --fail-on-forfeit \
        --stderr "$@"
}
# with_peak COMMAND…: also prints how much memory the group of a bot had at most, and how much the kernel allowed.
with_peak() {
    : > /tmp/seen
    (
        while :; do
            for group in $(find /sys/fs/cgroup -type d -name 'agon-*-[0-9]*'); do
                echo $(cat "$group/memory.peak" "$group/memory.max") >> /tmp/seen
            done
            sleep 0.2
        done
    ) 2> /dev/null &
    looking=$!
    "$@"
    ended=$?
    kill $looking
    awk '$1 > peak { peak = $1; max = $2 } END { printf "peak of its group %.1f MiB, the kernel allows %.1f MiB\n",
        peak / 1048576, max / 1048576 }' /tmp/seen
    return $ended
}
# no_groups: whether no control group of a match is left.
no_groups() {
    left=$(find /sys/fs/cgroup -name 'agon-*' -type d ! -name '*-referee')
    [ -z "$left" ] || { echo "left: $left"; return 1; }
}

# hog.sh COUNT MIB: COUNT children keep MIB each.
cat > /bots/hog.sh <<'BOT'
while read -r line; do
    [ "$line" = go ] || continue
    if [ -z "$once" ]; then
        once=1
        for one in $(seq "$1"); do
            awk -v mib="$2" 'BEGIN { for (i = 0; i < mib; i++) kept[i] = sprintf("%1048576s", ""); print "kept" > "/dev/stderr"
                system("sleep 100") }' > /dev/null &
        done
        sleep 8
    fi
    echo go
done
BOT
# children.sh ROUNDS: children that nobody waits for compute.
cat > /bots/children.sh <<'BOT'
trap '' CHLD
while read -r line; do
    [ "$line" = go ] || continue
    for one in 1 2 3; do awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) x += i }' > /dev/null & done
    sleep 2
    echo go
done
BOT

cd /bots || exit
echo "Linux $(uname -r), controllers of version 2: $(cat /sys/fs/cgroup/cgroup.controllers)"
echo "+memory +pids +cpu" > /sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/user
echo "+memory +pids +cpu" > /sys/fs/cgroup/user/cgroup.subtree_control

expect 0 "what isolates bots, as root" agon doctor
expect 0 "what isolates bots, as a user with a delegated group" delegated agon doctor
for who in "" delegated; do
    expect 0 "several processes, at full isolation" \
        planet_wars $who "sh /bots/children.sh 1000" --processes 4 --sandbox full --time greeting=60s,move=30s
    expect 0 "at restricted isolation" \
        planet_wars $who "/bin/agon bot planet-wars random" --sandbox restricted --time greeting=60s,move=30s
    expect 0 "children with 3 x 18 MiB, where 64 MiB are allowed" \
        with_peak planet_wars $who "sh /bots/hog.sh 3 18" --memory 64 --processes 5 --time greeting=60s,move=60s
    expect 21 "children with 3 x 40 MiB, where 64 MiB are allowed" \
        with_peak planet_wars $who "sh /bots/hog.sh 3 40" --memory 64 --processes 5 --time greeting=60s,move=60s
    expect 0 "children that compute a little, by CPU time" \
        planet_wars $who "sh /bots/children.sh 1000" --processes 4 --time greeting=60s,move=1s,policy=cpu
    expect 21 "children that compute too much, by CPU time" \
        planet_wars $who "sh /bots/children.sh 100000000" --processes 4 --time greeting=60s,move=1s,policy=cpu
    expect 0 "no control group is left" no_groups
done
expect 0 "hostile bots at full isolation" agon selftest hostile --level full \
    --only fork-bomb thread-bomb malloc-bomb tmp-fill children-compute continued-by-a-child daemon
expect 0 "hostile bots at restricted isolation" agon selftest hostile --level restricted \
    --only fork-bomb thread-bomb malloc-bomb daemon leaves-its-group
expect 0 "random calls" agon selftest fuzz --seconds 20

printf '\n%s passed, %s failed\n' "$passed" "$failed"
poweroff -f
