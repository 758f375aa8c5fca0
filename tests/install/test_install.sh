#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs into a temporary folder, builds programs against what is there, runs them and the daemon, uninstalls, and finds
# nothing left. It is one of the tests of run-tests, and tells its results as they do.
#   test_install.sh             SUBDD_BUILD is the build folder (build), SUBDD_TEST_FILTER a glob of cases
#   test_install.sh --system    one case: onto this very system, which tests/install/clean-root made for it
set -eu
export SUBDD_BUILD="${SUBDD_BUILD:-build}"
version=$(cat VERSION)

install_to() { # ROOT PREFIX [VARIABLE=VALUE]...
    root=$1 prefix=$2
    shift 2
    make install BUILD="$SUBDD_BUILD" NVCC= DESTDIR="$root" PREFIX="$prefix" "$@" >"$work/made" || { cat "$work/made" && return 1; }
}
uninstall_from() { # ROOT PREFIX [VARIABLE=VALUE]...
    root=$1 prefix=$2
    shift 2
    make uninstall BUILD="$SUBDD_BUILD" NVCC= DESTDIR="$root" PREFIX="$prefix" "$@" >"$work/made"
}
wrong() { echo "$*" && exit 1; }
same() { [ "$1" = "$2" ] || wrong "\"$1\" is not \"$2\""; }
nothing_in() { [ -z "$(find "$1" -mindepth 1)" ] || { find "$1" -mindepth 1 && wrong "this is left"; }; }
package() { # pkg-config for what lies in $root; OPTION.. NAME
    PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=$root$lib/pkgconfig pkg-config "$@"
}

# Starts the installed daemon, pushes a cube by programs linked to either form of libsubd, and looks at what they say.
use_it() { # ROOT PREFIX LIBDIR
    root=$1 prefix=$2 lib=$3
    same "$(package --modversion subd)" "$version"
    cc tests/install/push_cube.c -o "$work/dynamic" $(package --cflags --libs subd)
    cc tests/install/push_cube.c -o "$work/static" $(package --cflags --libs --static subd | sed 's/-lsubd /-l:libsubd.a /')
    cc tests/install/device_of.c -o "$work/device" $(package --cflags --libs --static sdd)
    for f in client/examples/*.c; do
        [ ! -f "$f" ] || cc -Wall -Wextra -Wpedantic -Werror "$f" -o "$work/example" $(package --cflags --libs subd libuv) -lm
    done
    readelf -d "$work/dynamic" | grep -q 'NEEDED.*libsubd.so.0' || wrong "not linked to the soname"
    ! readelf -d "$work/static" | grep 'NEEDED.*libsubd' || wrong "not linked statically"
    for h in "$root$prefix"/include/subd*.h "$root$prefix"/include/sdd/*.h; do # each by itself
        echo "#include \"$h\"" | cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -xc -
    done
    for h in "$root$prefix"/include/subd*.h; do echo "#include \"$h\""; done | c++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only -xc++ -
    "$root$prefix/bin/subdd" --listen 127.0.0.1:0 --data-dir "$work/data" --backend cpu >"$work/ready" 2>"$work/log" &
    daemon=$!
    trap 'kill $daemon' EXIT
    for _ in $(seq 200); do
        [ ! -s "$work/ready" ] || break
        kill -0 $daemon 2>/dev/null || { tail -n 20 "$work/log" && wrong "the daemon has not started"; }
        sleep 0.05
    done
    url=$(sed -n 's|.* \(http://[^ ]*\).*|\1|p' "$work/ready")
    [ -n "$url" ] || { tail -n 20 "$work/log" && wrong "the daemon is not ready after ten seconds"; }
    # Onto a system that is whole the loader has to find the library by itself.
    [ -z "$root" ] || export LD_LIBRARY_PATH="$root$lib"
    same "$("$work/dynamic" "$url")" "$version: 26 vertices"
    unset LD_LIBRARY_PATH
    same "$("$work/static" "$url")" "$version: 26 vertices"
    same "$("$root$prefix/bin/subd" --server "$url" ls --json | grep -o '"id"' | wc -l)" 2
    same "$("$work/device")" "cpu"
    same "$(SUBD_SERVER=$url PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root$prefix/share/subdd/python python3 -c \
        'import subd; print(len(list(subd.Client().meshes())))')" 2
    trap - EXIT
    kill $daemon
    wait $daemon || { tail -n 20 "$work/log" && wrong "the daemon did not end well"; }
}

test_usr_local() {
    install_to "$work/root" /usr/local
    use_it "$work/root" /usr/local /usr/local/lib
    uninstall_from "$work/root" /usr/local
    nothing_in "$work/root"
}

# A distribution's folders. The CUDA module stays where the daemon looks.
test_directories() {
    set -- libdir=/usr/lib/x86_64-linux-gnu mandir=/usr/share/manual docdir=/usr/share/doc/subdd-doc sysconfdir=/etc/site
    install_to "$work/root" /usr "$@"
    use_it "$work/root" /usr /usr/lib/x86_64-linux-gnu
    if [ -f "$SUBDD_BUILD/lib/libsdd_cuda.so" ]; then
        ! "$work/root/usr/bin/subdd" --backend cuda --data-dir "$work/cuda" 2>&1 </dev/null | grep 'is not installed' ||
            wrong "the daemon does not find the CUDA module"
    fi
    [ -f "$work/root/etc/site/subdd/subdd.conf" ] && [ -f "$work/root/usr/share/doc/subdd-doc/LICENSE" ]
    uninstall_from "$work/root" /usr "$@"
    nothing_in "$work/root"
}

# What an installed file says of places is true of where it will be, not of where it was made.
test_places() {
    install_to "$work/root" /opt/subdd
    top=$work/root/opt/subdd unit=$work/root/opt/subdd/lib/systemd/system/subdd.service
    ! grep -rIl --exclude='*.md' -e "$work" -e "$PWD" -e '@[a-zA-Z]*@' -e /usr/local "$top/lib" "$top/etc" "$top/share" ||
        wrong "these name other places"
    grep -qx 'ExecStart=/opt/subdd/bin/subdd --config /opt/subdd/etc/subdd/subdd.conf --data-dir /var/lib/subdd' "$unit" ||
        wrong "the unit does not start what was installed"
    for line in NoNewPrivileges=yes ProtectSystem=strict ProtectHome=yes PrivateUsers=yes CapabilityBoundingSet= \
        SystemCallFilter=@system-service RestrictNamespaces=yes IPAddressDeny=any DevicePolicy=closed; do
        grep -qx "$line" "$unit" || wrong "the unit lacks $line"
    done
    [ -z "$(find "$work/root" ! -type l -perm /022)" ] || wrong "others may write to what was installed"
    same "$("$top/bin/subdd" --version) $("$top/bin/subd" --version)" "subdd $version subd $version"
    grep -qx "  version: \"$version\"" "$top/share/subdd/openapi.yaml" || wrong "the OpenAPI page has another version"
    cmp proto/subdd.proto "$top/share/subdd/subdd.proto"
    for f in $(cd "$SUBDD_BUILD" && find share -type f 2>/dev/null); do [ -s "$top/$f" ] || wrong "$f is missing"; done
    uninstall_from "$work/root" /opt/subdd
    nothing_in "$work/root"
}

# The sample has every option, changes nothing as it stands, and nothing either once each line is in force.
test_sample() {
    install_to "$work/root" /usr
    top=$work/root sample=$work/root/etc/subdd/subdd.conf
    "$top/usr/bin/subdd" --print-config >"$work/defaults"
    "$top/usr/bin/subdd" --config "$sample" --print-config | cmp - "$work/defaults"
    ! grep -v '^;' "$sample" | grep . || wrong "these lines are in force"
    sed 's/^;\([a-z]\)/\1/' "$sample" >"$work/all.conf"
    "$top/usr/bin/subdd" --config "$work/all.conf" --print-config | cmp - "$work/defaults"
    # An option is whatever flag a file may have as well.
    n=0
    for o in $("$top/usr/bin/subdd" --help | sed -n 's/^  --\([a-z-]*\).*/\1/p'); do
        echo "$o = x" >"$work/one.conf"
        ! "$top/usr/bin/subdd" --config "$work/one.conf" --print-config 2>&1 | grep -q "there is no option" || continue
        grep -q "^;$o = " "$sample" || wrong "the sample lacks $o"
        n=$((n + 1))
    done
    [ $n -gt 20 ] || wrong "--help tells of $n options alone"
    uninstall_from "$work/root" /usr
    nothing_in "$work/root"
}

# Installing twice is installing once; what somebody else wrote stays, and is named; an older version's files go.
test_again() {
    install_to "$work/root" /usr
    find "$work/root" | sort >"$work/once"
    install_to "$work/root" /usr
    find "$work/root" | sort | diff "$work/once" -
    conf=$work/root/etc/subdd/subdd.conf old=/usr/lib/libsubd.so.0.0.9
    echo "threads = 3" >>"$conf"
    touch "$work/root$old" "$work/root/usr/bin/other" && echo "file $old" >>"$work/root/usr/share/subdd/installed"
    install_to "$work/root" /usr
    grep -q '/etc/subdd/subdd.conf was changed, and stays' "$work/made" || wrong "nothing is said of the changed file"
    [ ! -e "$work/root$old" ] || wrong "the older version's library is still there"
    grep -qx "threads = 3" "$conf" || wrong "a changed configuration is lost"
    uninstall_from "$work/root" /usr
    grep -q '/etc/subdd/subdd.conf was changed, and stays' "$work/made" || wrong "nothing is said of the changed file"
    same "$(cd "$work/root" && find . -type f | sort | tr '\n' ' ')" "./etc/subdd/subdd.conf ./usr/bin/other "
    uninstall_from "$work/root" /usr # no error, but it says so
    grep -q 'nothing is installed here' "$work/made" || wrong "nothing is said where nothing is installed"
}

# The whole file system, before and after. Packages leave caches that change by themselves.
test_system() {
    see() { find / -xdev \( -path "$PWD" -o -path /proc -o -path /run -o -path /tmp -o -path /var/cache -o -path /root \) -prune -o -print | sort; }
    see >"$work/before"
    install_to "" /usr/local
    use_it "" /usr/local /usr/local/lib
    if command -v systemd-analyze >/dev/null; then systemd-analyze verify /usr/local/lib/systemd/system/subdd.service; fi
    see | diff "$work/before" - | grep '^>' | wc -l | sed 's/$/ files and folders were installed/'
    uninstall_from "" /usr/local
    see | diff "$work/before" -
}

if [ "${1:-}" = --case ]; then
    "$2"
    exit 0
fi
cases="test_usr_local test_directories test_places test_sample test_again"
[ "${1:-}" != --system ] || cases=test_system
if nm -A "$SUBDD_BUILD/lib/libsubd.a" 2>/dev/null | grep -q -e __asan_ -e __ubsan_ -e __tsan_ -e __gcov_; then
    echo "skip: this build needs a sanitizer's or coverage's library in every program"
    echo "[  SKIPPED ] 1 test(s)."
    exit 0
fi
passed=0 failed=0
for c in $cases; do
    case $c in ${SUBDD_TEST_FILTER:-*}) ;; *) continue ;; esac
    echo "[ RUN      ] $c"
    work=$(mktemp -d) && export work
    if sh "$0" --case "$c"; then
        passed=$((passed + 1)) && echo "[       OK ] $c"
    else
        failed=$((failed + 1)) && echo "[  FAILED  ] $c"
    fi
    rm -rf "$work"
done
echo "[  PASSED  ] $passed test(s)."
[ $failed -eq 0 ] || { echo "[  FAILED  ] $failed test(s), listed above." && exit 1; }
