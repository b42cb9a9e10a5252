#!/bin/sh
# Checks Go and installs the Debian or Ubuntu packages that Berth is built
# with, measures, and is tested with.
#
#   setup.sh go            check that Go is new enough
#   setup.sh yourself      refuse to go on under sudo
#   setup.sh run|test      install what `make run` or `make test` needs; without
#                          root, say what is missing and how to get it
#
# No service that a package brings is started or left enabled; a service that
# was there before is not touched. Docker is never installed.
# shellcheck disable=SC2086  # the lists of packages are split on purpose
set -eu

readonly GO_NEEDED=1.26

# What each use needs: a Debian package, or program=package where the program
# may also come from elsewhere and then nothing is installed.
readonly BUILD='gcc libc6-dev pkg-config libgl1-mesa-dev xorg-dev libwayland-dev libxkbcommon-dev ca-certificates'
readonly SERVERS='redis-server=redis-server mysqld|mariadbd=mariadb-server-core'
readonly TESTS='Xvfb=xvfb xauth=xauth openbox=openbox xdotool=xdotool xclip=xclip import=imagemagick
    docker-registry=docker-registry sysbench=sysbench redis-benchmark=redis-tools taskset=util-linux
    ssh=openssh-client
    soffice=libreoffice-calc-nogui python3-pandas Rscript=r-base-core
    fonts-wqy-microhei libgl1-mesa-dri'

readonly POLICY=/usr/sbin/policy-rc.d
readonly MARK="Put here by Berth's setup.sh"

fail() {
    echo "$*" >&2
    exit 1
}

check_go() {
    # A Go from 1.21 on answers with the version it would fetch for this
    # project; where it cannot, its own version is the answer.
    found=$(go env GOVERSION 2>/dev/null || GOTOOLCHAIN=local go env GOVERSION 2>/dev/null ||
        go version 2>/dev/null | cut -d' ' -f3 || true)
    found=${found#go}
    [ -n "$found" ] || found=none
    newest=$(printf '%s\n%s\n' "$GO_NEEDED" "$found" | sort -V | tail -n 1)
    if [ "$found" = none ] || { [ "$newest" != "$found" ] && [ "$found" != "$GO_NEEDED" ]; }; then
        fail "Berth needs Go $GO_NEEDED; found $found; get it from go.dev/dl"
    fi
}

under_sudo() {
    [ "$(id -u)" = 0 ] && [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ]
}

check_yourself() {
    if under_sudo; then
        fail "Berth is not built or started under sudo: its files would belong to root, not to $SUDO_USER.
Run 'sudo make setup' for the packages, then 'make run' as $SUDO_USER."
    fi
}

installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

any_program() {
    # Servers lie in sbin, which a user's PATH may lack.
    for program in $(echo "$1" | tr '|' ' '); do
        PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin" command -v "$program" >/dev/null && return 0
    done
    return 1
}

missing_packages() {
    for item in "$@"; do
        case $item in
        *=*) any_program "${item%%=*}" || echo "${item#*=}" ;;
        *) installed "$item" || echo "$item" ;;
        esac
    done
}

# The names by which services can be started: a unit has its suffix, save for
# .service, so that it is the same word as an init script.
services() {
    find /lib/systemd/system /usr/lib/systemd/system /etc/systemd/system /etc/init.d -maxdepth 1 \
        \( -name '*.service' -o -name '*.socket' -o -name '*.timer' -o -path '/etc/init.d/*' \) 2>/dev/null |
        sed -e 's|.*/||' -e 's|\.service$||' | sort -u
}

# While packages are installed, invoke-rc.d and deb-systemd-invoke ask this
# policy: only services that were there before may be started. Should this
# script be killed, a policy left behind holds nothing back, and the next run
# puts the earlier one in its place.
hold_services() {
    services >"$before"
    if grep -qs "$MARK" "$POLICY"; then
        rm "$POLICY"
    elif [ -e "$POLICY" ]; then
        mv "$POLICY" "$POLICY.before-berth"
    fi
    trap release_services EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    cat >"$POLICY" <<POLICY
#!/bin/sh
# $MARK while it installs packages; removed afterwards.
if kill -0 $$ 2>/dev/null && [ -e "$before" ]; then
    grep -qxF -e "\${1%.service}" "$before" || exit 101
fi
[ ! -x "$POLICY.before-berth" ] || exec "$POLICY.before-berth" "\$@"
exit 0
POLICY
    chmod 755 "$POLICY"
}

release_services() {
    status=$?
    trap - EXIT INT TERM HUP
    rm -f "$POLICY"
    if [ -e "$POLICY.before-berth" ]; then
        mv "$POLICY.before-berth" "$POLICY"
    fi
    services | grep -vxF -f "$before" | while read -r service; do
        switch_off "$service"
    done
    rm -f "$before"
    exit $status
}

# Debian enables what it installs. Each of these tools may be absent, and a
# template such as redis-server@ is nothing to switch off.
switch_off() {
    case $1 in
    *@ | *@.*) return ;;
    *.socket | *.timer) unit=$1 ;;
    *) unit=$1.service ;;
    esac
    if command -v systemctl >/dev/null; then
        if [ -d /run/systemd/system ]; then
            systemctl stop "$unit" >/dev/null 2>&1 || true
        fi
        systemctl disable "$unit" >/dev/null 2>&1 || true
    fi
    if [ -x "/etc/init.d/$1" ]; then
        update-rc.d "$1" disable >/dev/null 2>&1 || true
    fi
}

install_packages() {
    before=$(mktemp)
    hold_services
    export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
    apt-get -o DPkg::Lock::Timeout=120 -qq update || echo "The package lists could not be renewed; going on with the ones that are here." >&2
    # --no-remove: another database server is never thrown out for ours.
    apt-get -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 -qq install -y --no-install-recommends --no-remove "$@" >/dev/null ||
        fail "These packages could not be installed: $*"
}

install() {
    use=$1
    shift
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        if [ "$(uname -s)" = Linux ]; then
            echo "Packages are installed by apt only. Here a C compiler, pkg-config, the X11, OpenGL and Wayland" \
                "headers, redis-server and MariaDB's server must be there already." >&2
        fi
        return
    fi
    packages=$(missing_packages "$@" | tr '\n' ' ')
    [ -n "$packages" ] || return 0
    if [ "$(id -u)" != 0 ]; then
        echo "Berth needs these packages first: $packages" >&2
        if [ "$use" = test ]; then
            fail "Install them with 'sudo make setup TESTS=1', then run 'make test' as yourself."
        fi
        fail "Install them with 'sudo make setup', then run 'make run' as yourself."
    fi
    echo "Installing $packages"
    echo "(a compiler and headers to build Berth, servers to measure; no service is left running or enabled)"
    install_packages $packages
}

case "${1:-}" in
go) check_go ;;
yourself) check_yourself ;;
run) install run $BUILD $SERVERS ;;
test) install test $BUILD $SERVERS $TESTS ;;
*) fail "usage: setup.sh go | yourself | run | test" ;;
esac
