# SPDX-License-Identifier: GPL-3.0-or-later
# Read by the scripts that test: packages, and the one build folder that they share.
. "$project/resources/packages.sh"
build=$project/build/tests

prepareTests() {
    mkdir -p "$build"
    # shellcheck disable=SC2086
    installPackages $buildPackages $runPackages $testPackages
    # Little optimisation: compiling takes longer than testing.
    configure "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG" -DWARNINGS_AS_ERRORS=ON
}
