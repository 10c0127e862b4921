# SPDX-License-Identifier: GPL-3.0-or-later
# The Debian packages of the project, and how they get there. Read by resources/start.sh and tests/run.sh.

buildPackages="g++ cmake ninja-build pkg-config libhdf5-dev zlib1g-dev libeigen3-dev librandom123-dev libcli11-dev
nlohmann-json3-dev libfmt-dev qt6-base-dev qt6-charts-dev libqt6opengl6-dev qt6-svg-dev libgl-dev"
runPackages="fonts-inter fonts-dejavu-core"
testPackages="libgtest-dev libbenchmark-dev clang-format clang-tidy ccache"

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# The packages among the arguments that are not installed.
missingPackages() {
    for package in "$@"; do
        case $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) in
            "install ok installed") ;;
            *) printf '%s ' "$package" ;;
        esac
    done
}

# installPackages PACKAGE...: asks apt only for what is missing, and never a person.
installPackages() {
    command -v dpkg-query >/dev/null 2>&1 || fail "this is no Debian system: install the packages named in resources/packages.sh yourself"
    missing=$(missingPackages "$@")
    [ -n "$missing" ] || return 0
    asRoot=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 || fail "these packages are missing, and there is no sudo to install them with: $missing"
        asRoot=sudo
    fi
    echo "installing: $missing"
    log=$(mktemp)
    # shellcheck disable=SC2086  # word splitting is wanted
    if ! { $asRoot env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
        $asRoot env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing; } \
        </dev/null >"$log" 2>&1; then
        reason=$(grep '^E:' "$log" | head -n 1)
        rm -f "$log"
        fail "apt-get could not install the packages: ${reason:-no reason given}"
    fi
    rm -f "$log"
}

# configure BUILD_FOLDER OPTION...: once; afterwards Ninja runs CMake itself where a CMake file changed.
# Sources are compiled in bundles (unity): a full build takes a third of the time.
configure() {
    build=$1
    shift
    # A copied or moved project: CMake refuses a cache made elsewhere.
    if [ -f "$build/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$project" "$build/CMakeCache.txt"; then
        rm -rf "$build"
    fi
    [ -x /usr/local/cuda/bin/nvcc ] && PATH=$PATH:/usr/local/cuda/bin
    if [ ! -f "$build/build.ninja" ]; then
        launcher=
        command -v ccache >/dev/null 2>&1 && launcher=-DCMAKE_CXX_COMPILER_LAUNCHER=ccache
        cmake -S "$project" -B "$build" -G Ninja -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 $launcher "$@" >"$project/build/configure.log" 2>&1 || {
            cat "$project/build/configure.log" >&2
            fail "CMake could not configure the project, see above"
        }
    fi
}

jobs() { nproc 2>/dev/null || echo 2; }
