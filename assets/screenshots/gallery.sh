#!/bin/sh
# Draws every figure from runs that it makes itself, of about seven minutes together.
#
#   gallery.sh BERTH FOLDER GALLERY
#
# BERTH is the program; FOLDER is where the runs are kept, GALLERY where the pictures and
# their README.md go. It needs a native Redis and MySQL or MariaDB, and a Docker engine.
set -eu

if [ $# -ne 3 ]; then
    echo "usage: gallery.sh BERTH FOLDER GALLERY" >&2
    exit 2
fi
readonly BERTH=$1 RUNS=$2 GALLERY=$3

# run NAME KEY=VALUE... makes one run; one that is there already is kept.
run() {
    name=$1
    shift
    if [ -e "$RUNS/$name/report.html" ]; then
        return
    fi
    for setting in "$@"; do
        set -- "$@" --set "$setting"
        shift
    done
    echo "Measuring for the gallery: $name" >&2
    "$BERTH" run --preset quick "$@" --out "$RUNS/$name" --force
}

# picture RUN FIGURE THEME LINE draws one figure, and lists it with a line about it.
picture() {
    file=$2.png
    if [ "$3" != light ]; then
        file=$2-$3.png
    fi
    "$BERTH" export "$RUNS/$1" --format png --figure "$2" --theme "$3" --lang en --hide-names -o "$GALLERY/$file" --force
    printf '\n%s\n\n![%s](%s)\n' "$4" "${file%.png}" "$file" >>"$list"
}

mkdir -p "$RUNS" "$GALLERY"
run placements modes=native,pinned,docker-nat,docker-direct,docker-host,mysql tests=SET,GET,INCR,LRANGE_100 rounds=6 \
    seconds=0.5 oltp.seconds=3 oltp.warmup_seconds=3 oltp.tables=4 oltp.table_size=10000
run payloads modes=native,docker-nat,docker-host tests=SET,GET payload=10,100,1000,4000,16000 rounds=3 seconds=0.5
run pipelines modes=native,docker-nat,docker-host tests=SET,GET pipelines=1,4,16,64 rounds=3 seconds=0.5
run clients modes=native,docker-nat,docker-host tests=SET,GET clients=1,4,16,64,256 rounds=3 seconds=0.5
run rates modes=native,docker-nat,docker-host tests=SET,GET rates=5000,10000,20000,40000,60000,80000,0 rounds=3 seconds=0.5

list=$(mktemp)
trap 'rm -f "$list"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cat >"$list" <<'HEAD'
# Every figure that Berth draws

Made by `make screenshots` from short runs of the machine that made them: the pictures show
what each figure looks like. For numbers to rely on, measure on your own machine.
HEAD
picture placements throughput light 'Throughput by test and mode: the title is the finding, whiskers are intervals, shares are of the reference.'
picture placements relative light 'The same as ratios to the reference, each taken within a round.'
picture placements rounds light 'Every round as a dot, so that spread is seen and not only summarised.'
picture placements latency light 'Latency percentiles by test.'
picture placements distribution light 'Latency over the share of requests that were faster, up to the slowest that ten requests stand behind.'
picture placements cpu light 'Where the CPU time went: server, load client, docker-proxy.'
picture placements path light 'What of the cost of a published port is the docker-proxy process.'
picture placements baseline light 'Redis beside MySQL, on a log axis.'
picture placements time light 'Throughput over the run, rounds marked.'
picture payloads sweep-payload light 'A sweep over payloads.'
picture pipelines sweep-pipeline light 'A sweep over pipeline depths.'
picture clients sweep-clients light 'A sweep over numbers of clients.'
picture rates sweep-rate light 'A sweep over rates: who keeps up lies on the diagonal.'
picture clients latency-throughput light 'Latency against throughput, a point for each number of clients.'
picture placements throughput dark 'The dark theme.'
picture placements time dark 'The dark theme, lines.'
picture rates latency-throughput dark 'Latency against throughput by rate: latency counts from when a request was due.'
picture placements throughput print 'The print theme, for paper without colours.'
picture placements cpu print 'The print theme, stacked bars.'
picture payloads sweep-payload print 'The print theme, lines.'
mv "$list" "$GALLERY/README.md"
chmod 644 "$GALLERY/README.md"
