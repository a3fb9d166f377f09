#!/bin/sh
# Times `foreshock audit` against `systemd-analyze verify --man=no` over 300 units, and shows for seeded faults and traps
# of each kind which of the two says something. Writes Markdown; docs/benchmark-units.md holds a run of it.
# usage: tests/scripts/benchmark-units.sh FORESHOCK [ROOT]
# With ROOT, the root of an unpacked system, its first 300 units are timed instead of generated ones.
set -eu

foreshock=$(realpath "${1:?the built foreshock}")
given=${2:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for tool in systemd-analyze:systemd hyperfine:hyperfine; do
    if ! command -v "${tool%%:*}" >/dev/null 2>&1; then
        { apt-get update && apt-get install -y --no-install-recommends "${tool##*:}"; } >/dev/null 2>&1 || :
    fi
    if ! command -v "${tool%%:*}" >/dev/null 2>&1; then
        echo "skipped: ${tool%%:*} cannot be had"
        exit 0
    fi
done

# A program of the root. A copy of a real one, so that nobody takes it for a script.
program() {
    mkdir -p "$(dirname "$root$1")"
    cp -L /bin/true "$root$1"
}

text() {
    mkdir -p "$(dirname "$root$1")"
    cat >"$root$1"
}

unit() {
    text "/etc/systemd/system/$1"
}

# A root that holds enough of a system for both tools to call a file missing, with systemd's own units.
new_root() {
    root=$1
    mkdir -p "$root/usr/lib/systemd/system" "$root/etc/systemd/system" "$root/var/log" "$root/usr/lib/x86_64-linux-gnu"
    for name in /usr/bin/sh /usr/bin/env /usr/bin/python3 /usr/bin/node /usr/bin/test /usr/bin/kill; do program "$name"; done
    ln -s usr/bin "$root/bin"
    ln -s usr/lib "$root/lib"
    for name in sysinit basic shutdown multi-user default timers sockets paths slices local-fs network network-online; do
        printf '[Unit]\nDescription=%s\nDefaultDependencies=no\n' "$name" | text "/usr/lib/systemd/system/$name.target"
    done
    printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' | text /etc/passwd
    printf 'root:x:0:\nnogroup:x:65534:\n' | text /etc/group
    printf 'passwd: files\ngroup: files\n' | text /etc/nsswitch.conf
    mkdir -p "$root/root"
}

# Forty groups of seven or eight units: services of five forms, a timer and a socket with theirs.
three_hundred() {
    new_root "$1"
    count=0
    while [ "$count" -lt 40 ]; do
        count=$((count + 1))
        home=/srv/app$count
        program "$home/bin/run"
        program "$home/bin/check"
        printf 'print("x")\n' | text "$home/worker.py"
        printf 'A=1\n' | text "$home/env"
        printf '[Unit]\nAfter=network.target\n[Service]\nExecStart=%s --serve\nRestart=on-failure\nRestartSec=5\n[Install]\nWantedBy=multi-user.target\n' "$home/bin/run" | unit "plain$count.service"
        printf '[Service]\nWorkingDirectory=%s\nEnvironmentFile=%s/env\nExecStart=%s/bin/run\nUser=nobody\n' "$home" "$home" "$home" | unit "settings$count.service"
        printf '[Service]\nExecStartPre=%s\nExecStart=/bin/sh -c "cd %s && exec bin/run"\n' "$home/bin/check" "$home" | unit "shell$count.service"
        printf '[Service]\nWorkingDirectory=%s\nExecStart=/usr/bin/python3 -u worker.py\n' "$home" | unit "python$count.service"
        printf '[Service]\nType=oneshot\nExecStart=%s\n' "$home/bin/check" | unit "nightly$count.service"
        printf '[Timer]\nOnCalendar=daily\n[Install]\nWantedBy=timers.target\n' | unit "nightly$count.timer"
        printf '[Socket]\nListenStream=%d\n' "$((9000 + count))" | unit "plain$count.socket"
        if [ "$count" -le 20 ]; then
            printf '[Service]\nExecStart=%s %%i\n' "$home/bin/run" | unit "instance$count@.service"
        fi
    done
}

# Writes the seeded units: one line `kind|unit|description` each into the list.
seed() {
    new_root "$1"
    list=$scratch/list
    program /srv/app/run
    printf 'echo x\n' | text /srv/app/plain.txt
    fault() { echo "fault|$1|$2" >>"$list"; unit "$1"; }
    trap_of() { echo "trap|$1|$2" >>"$list"; unit "$1"; }

    printf '[Service]\nExecStart=/srv/app/gone\n' | fault f-program.service 'program missing'
    printf '[Service]\nType=oneshot\nExecStart=/srv/app/run\nExecStart=/srv/app/gone\n' | fault f-second.service 'second of two programs missing'
    printf '[Service]\nExecStart=/srv/app/run\nExecStop=/srv/app/gone\n' | fault f-stop.service 'program of `ExecStop=` missing'
    printf '[Service]\nExecStart=/srv/app/plain.txt\n' | fault f-mode.service 'no execute bit'
    printf '[Service]\nExecStart=/srv/app\n' | fault f-directory.service 'program is a directory'
    printf '#!/opt/gone/ruby\nputs 1\n' | text /srv/app/script
    chmod +x "$root/srv/app/script"
    printf '[Service]\nExecStart=/srv/app/script\n' | fault f-interpreter.service 'interpreter of its `#!` line missing'
    printf '#!/bin/sh\r\necho x\r\n' | text /srv/app/crlf
    chmod +x "$root/srv/app/crlf"
    printf '[Service]\nExecStart=/srv/app/crlf\n' | fault f-crlf.service '`#!` line ends in a carriage return'
    printf '[Service]\nExecStart=/usr/bin/python3 -u /srv/app/gone.py\n' | fault f-script.service 'script behind an interpreter missing'
    printf '[Service]\nExecStart=/bin/sh -c "cd /srv/app && exec bin/gone"\n' | fault f-shell.service 'program in a shell string missing'
    printf '[Service]\nExecStart=/usr/bin/env node /srv/app/gone.js\n' | fault f-env.service 'script behind `env node` missing'
    printf '[Service]\nWorkingDirectory=/srv/gone\nExecStart=/srv/app/run\n' | fault f-workdir.service 'working directory missing'
    printf '[Service]\nEnvironmentFile=/srv/app/gone.env\nExecStart=/srv/app/run\n' | fault f-envfile.service 'environment file missing'
    printf '[Service]\nStandardOutput=append:/srv/logs/x.log\nExecStart=/srv/app/run\n' | fault f-log.service 'directory of the log missing'
    printf '[Service]\nReadWritePaths=/srv/gone\nExecStart=/srv/app/run\n' | fault f-paths.service 'path of `ReadWritePaths=` missing'
    printf '[Service]\nUser=gone\nExecStart=/srv/app/run\n' | fault f-user.service 'user missing'
    printf '[Timer]\nOnCalendar=daily\n' | fault f-timer.timer 'timer without its service'
    printf '[Socket]\nListenStream=9999\n' | fault f-socket.socket 'socket without its service'
    printf '[Unit]\nRequires=gone.service\n[Service]\nExecStart=/srv/app/run\n' | fault f-requires.service 'required unit missing'
    mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
    ln -s ../f-wanted.service "$root/etc/systemd/system/multi-user.target.wants/f-wanted.service"
    echo 'fault|f-wanted.service|enabled unit missing' >>"$list"
    ln -s /srv/checkout/f-linked.service "$root/etc/systemd/system/f-linked.service"
    echo 'fault|f-linked.service|linked unit leads nowhere' >>"$list"
    printf '[Service]\nExecStart=/srv/app/run\n' | fault f-second-exec.service 'drop-in adds a second `ExecStart=`'
    printf '[Service]\nExecStart=/srv/app/run -v\n' | unit f-second-exec.service.d/x.conf
    printf '[Service]\nExecStart=bin/run\n' | fault f-relative.service 'relative program'
    printf '[Service]\nWorkingDirectory="/srv/app"\nExecStart=/srv/app/run\n' | fault f-quoted.service 'quoted working directory'
    printf '[Service]\nRestart=Always\nExecStart=/srv/app/run\n' | fault f-word.service 'misspelt value'
    printf '[Service]\nStartLimitIntervalSec=60\nExecStart=/srv/app/run\n' | fault f-section.service 'setting in the wrong section'
    printf '[Service]\nEnvironment="DB=postgres://u:a%%40b@db/x"\nExecStart=/srv/app/run\n' | fault f-percent.service 'variable dropped for its `%`'
    printf '[Unit]\nStartLimitIntervalSec=0\n[Service]\nRestart=always\nExecStart=/srv/app/run\n' | fault f-spin.service 'restarts without limit or pause'
    program /home/dev/.nvm/versions/node/v22.11.0/bin/node
    printf '[Service]\nExecStart=/home/dev/.nvm/versions/node/v22.11.0/bin/node\n' | fault f-pinned.service 'program of a version that an upgrade deletes'

    printf '[Service]\nExecStart=-/srv/app/gone\nExecStart=/srv/app/run\nType=oneshot\n' | trap_of t-dash.service 'missing program behind a dash'
    printf '[Unit]\nConditionPathExists=/srv/app/gone\n[Service]\nExecStart=/srv/app/gone\n' | trap_of t-condition.service 'a condition guards the missing program'
    printf '[Service]\nExecStart=/srv/app/gone\n' | trap_of t-reset.service 'a drop-in replaces the missing program'
    printf '[Service]\nExecStart=\nExecStart=/srv/app/run\n' | unit t-reset.service.d/x.conf
    printf '[Service]\nExecStart=/bin/sh -c "test -x /srv/app/gone && exec /srv/app/gone; exit 0"\n' | trap_of t-guard.service 'the shell guards the missing program'
    mkdir -p "$root/srv/jail/bin"
    cp -L /bin/true "$root/srv/jail/bin/run"
    printf '[Service]\nRootDirectory=/srv/jail\nExecStart=/bin/run\n' | trap_of t-root.service 'the program is in `RootDirectory=`'
    printf '[Service]\nExecSearchPath=/srv/app\nExecStart=run\n' | trap_of t-search.service 'the program is in `ExecSearchPath=`'
    printf '[Service]\nExecStart=/srv/%%i/run\n' | trap_of t-template@.service 'a template without an instance'
    printf '[Service]\nRuntimeDirectory=t\nEnvironmentFile=-/srv/app/gone.env\nReadWritePaths=/run/t -/srv/gone\nExecStart=/srv/app/run\n' | trap_of t-optional.service 'optional paths, and one that systemd makes'
    printf '[Unit]\nWants=gone.service\nAfter=gone.service\n[Service]\nExecStart=/srv/app/run\n' | trap_of t-wants.service 'a soft dependency is missing'
}

seed "$scratch/seeded"
"$foreshock" audit --root "$scratch/seeded" --isolated --format concise --exit-zero >"$scratch/ours" 2>&1

# Says whether a tool says anything of a unit that is not said of every unit.
says() {
    if [ -s "$1" ]; then echo yes; else echo no; fi
}
echo "$("$foreshock" --version), $(systemd-analyze --version | head -n 1)"
echo
table() {
    while IFS='|' read -r kind name description; do
        [ "$kind" = "$1" ] || continue
        grep -F "/${name%.*}." "$scratch/ours" >"$scratch/one" || :
        ours=$(says "$scratch/one")
        : >"$scratch/one"
        systemd-analyze verify --man=no --root="$scratch/seeded" "/etc/systemd/system/$name" >"$scratch/one" 2>&1 || :
        theirs=$(says "$scratch/one")
        printf '| %s | %s | %s |\n' "$description" "$ours" "$theirs"
        echo "$ours $theirs" >>"$scratch/$1.answers"
    done <"$scratch/list"
    printf '| **of %s** | **%s** | **%s** |\n' "$(wc -l <"$scratch/$1.answers")" \
        "$(grep -c '^yes' "$scratch/$1.answers" || :)" "$(grep -c 'yes$' "$scratch/$1.answers" || :)"
}
echo '| seeded fault | foreshock audit | systemd-analyze verify |'
echo '|---|---|---|'
table fault
echo
echo '| nothing is wrong, yet it is said | foreshock audit | systemd-analyze verify |'
echo '|---|---|---|'
table trap
echo

if [ -n "$given" ]; then
    root=$(realpath "$given")
else
    three_hundred "$scratch/many"
fi
find "$root/etc/systemd/system" "$root/usr/lib/systemd/system" -maxdepth 1 -type f \
    \( -name '*.service' -o -name '*.timer' -o -name '*.socket' -o -name '*.path' \) | sort | head -n 300 |
    while read -r path; do echo "${path#"$root"}"; done >"$scratch/units"
verify="systemd-analyze verify --man=no --root=$root $(tr '\n' ' ' <"$scratch/units")"
audit="$foreshock audit --root $root --isolated --exit-zero"
hyperfine -N -i --warmup 2 --runs 10 --export-csv "$scratch/times.csv" "$audit" "$verify" >/dev/null 2>&1
awk -F, -v units="$(wc -l <"$scratch/units")" '
    NR == 2 { ours = $(NF - 6) }
    NR == 3 {
        theirs = $(NF - 6)
        printf "%d units: foreshock audit %.0f ms, systemd-analyze verify %.0f ms, %.1f times faster\n", units, ours * 1000, theirs * 1000, theirs / ours
    }' "$scratch/times.csv"
said() { printf '%s says %s lines of the %s units\n' "$1" "$2" "$(wc -l <"$scratch/units")"; }
# shellcheck disable=SC2086
said 'foreshock audit' "$($audit --format concise 2>/dev/null | grep -c ': [a-z]*\[' || :)"
# shellcheck disable=SC2086
said 'systemd-analyze verify' "$($verify 2>&1 | wc -l)"
