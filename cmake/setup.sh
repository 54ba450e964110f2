# setup.sh -- sets up the build for ./learn: finds compilers, installs packages, configures, builds and runs tests.
# ./learn reads this POSIX sh file with `.`, and defines `root`, `build`, say, fail and wrong_use. In each build folder,
# only one ./learn builds at a time.
# shellcheck shell=sh disable=SC2154

# ---- compilers ----

find_compiler() { "$root/common/cuda_headers/bin/find-cuda-compiler" "$@"; }
# Sets `nvcc` to a usable nvcc. If there is none, returns 1 and sets `too_old` to a message about each installed nvcc
# that is too old.
find_nvcc() {
    too_old=
    nvcc=$(find_compiler nvcc 2>/dev/null) && return 0
    too_old=$(find_compiler nvcc 2>&1) || true
    [ -z "$too_old" ] || too_old=" ($too_old)"
    return 1
}
find_clang() { clang=$(find_compiler clang); }
# Reports whether a clang version is installed that the course is tested with. Older versions are used only if there is
# none.
has_clang() { find_compiler clang 19 >/dev/null; }

# Sets `compiler` to COALESCE_COMPILER if that is set. Otherwise sets `compiler` to nvcc if nvcc is installed, and to
# clang if not.
choose_compiler() {
    compiler=${COALESCE_COMPILER:-}
    case $compiler in
    nvcc) find_nvcc || fail "nvcc from CUDA 13 was not found$too_old; install the CUDA 13 toolkit, set CUDA_HOME to its folder, or unset COALESCE_COMPILER to use clang" ;;
    clang) ;;
    '')
        compiler=clang
        if find_nvcc; then compiler=nvcc; fi
        ;;
    *) wrong_use "COALESCE_COMPILER is $compiler, but must be nvcc or clang" ;;
    esac
}

# ---- required packages ----

has() { command -v "$1" >/dev/null 2>&1; }
# is_in FILE FOLDER... -- reports whether FILE is in one of the folders.
is_in() {
    file=$1
    shift
    for folder in "$@"; do
        [ -e "$folder/$file" ] && return 0
    done
    return 1
}
# Reports whether a header is installed. Like the compiler, also searches the folders in CPATH, where learners may have
# headers.
# shellcheck disable=SC2046  # a word for each folder
has_header() {
    is_in "$1" /usr/include /usr/local/include "/usr/include/$(uname -m)-linux-gnu" \
        $(printf '%s' "${CPATH:-}" | tr ':' ' ')
}
# any_file PATTERN... -- reports whether the shell has expanded the pattern to an existing file.
any_file() { [ -e "$1" ]; }

# missing_packages NEEDS -- prints the names of missing packages. NEEDS is `all`, `whole`, or a list of parts such as
# grader and docs. If tests will be run, the list begins with `course`. The function looks for programs and headers
# instead of packages, because they may have been installed in another way.
missing_packages() {
    has g++ || echo g++
    has cmake || echo cmake
    has ninja || has make || echo ninja-build
    has_header zstd.h || echo libzstd-dev
    has_header lz4.h || echo liblz4-dev
    has_header doctest/doctest.h || echo doctest-dev
    has_header nlohmann/json.hpp || echo nlohmann-json3-dev
    has_header CLI/CLI.hpp || echo libcli11-dev
    has_header toml++/toml.h || echo libtomlplusplus-dev
    [ "$compiler" = nvcc ] || has_clang || newest_clang
    case " $1 " in *' grader '* | ' all ' | ' whole ')
        has_header sqlite3.h || echo libsqlite3-dev
        has_header archive.h || echo libarchive-dev
        has_header seccomp.h || echo libseccomp-dev
        has_header openssl/sha.h || echo libssl-dev
        has bwrap || echo bubblewrap
        ;;
    esac
    case " $1 " in *' docs '* | ' all ' | ' whole ')
        has doxygen || echo doxygen
        # emscripten compiles the book's explorer. Without emscripten, the book has no explorer.
        has em++ || echo emscripten
        [ -e /usr/share/nodejs/acorn ] || echo node-acorn
        has node || echo nodejs
        has npm || echo npm
        ;;
    esac
    case $1 in 'course '*docs* | all | whole)
        has chromium || echo chromium
        has clangd || echo clangd
        has clang-tidy || echo clang-tidy
        has clang-format-14 || echo clang-format-14
        ;;
    esac
    case " $1 " in *' translator '* | ' all ' | ' whole ')
        # The tests also need clang, because they compare the counters of programs built by nvcc and by clang.
        [ "$compiler" = clang ] || has_clang || newest_clang
        ;;
    esac
    case $1 in all | whole)
        # ccache saves time, because .ci/run builds mostly the same sources twice.
        has ccache || echo ccache
        has clang++-14 || echo clang-14
        has_fuzzer || echo libclang-rt-14-dev
        # qemu runs the simulator's builds for other processors.
        has qemu-aarch64 || echo qemu-user
        # The grader's tests run a Slurm cluster on this computer and read the workflow file.
        [ -e /usr/sbin/slurmctld ] || echo slurm-wlm
        [ -e /usr/sbin/munged ] || echo munge
        has_python_yaml || echo python3-yaml
        # Lesson 16 uses MPI to run several processes.
        has mpirun || echo openmpi-bin
        has mpicxx || echo libopenmpi-dev
        ;;
    esac
}
has_python_yaml() { has python3 && python3 -c 'import yaml' 2>/dev/null; }
# Prints the name of the package that contains the distribution's newest clang, or nothing if that clang is already
# installed.
newest_clang() {
    for version in 22 21 20 19 18 17 16 15 14; do
        apt-cache show "clang-$version" >/dev/null 2>&1 || continue
        has "clang++-$version" || echo "clang-$version"
        return
    done
    has clang++ || echo clang
}
has_fuzzer() { any_file /usr/lib/llvm-14/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a; }

# Sets `as_root` to the prefix with which a command runs as root. The prefix is "" if the user is root.
find_root() {
    as_root=
    [ "$(id -u)" = 0 ] && return 0
    if has sudo; then
        # Without a terminal, sudo must not ask for a password.
        if [ -t 0 ]; then as_root=sudo; else as_root='sudo -n'; fi
        return 0
    fi
    return 1
}

# shellcheck disable=SC2086  # `as_root` may be two words or none
apt_get() { $as_root apt-get "$@" </dev/null >&2; }
# Reports whether apt-get has package lists. Without them, for example in a new container, apt-get cannot install
# anything.
has_package_lists() { any_file /var/lib/apt/lists/*_Packages*; }

install_packages() {
    # If clang is needed, fetch the package lists first, to find out which versions of clang can be installed.
    case $compiler$1 in clang* | *translator* | nvccall | nvccwhole) needs_clang=yes ;; *) needs_clang= ;; esac
    if [ -n "$needs_clang" ] && ! has_clang && has apt-get && ! has_package_lists; then
        find_root || fail "root permissions are needed to install clang; run ./learn as root, or with sudo"
        say "fetching the package lists"
        apt_get update || fail "apt-get update failed (above)"
    fi
    packages=$(missing_packages "$1" | tr '\n' ' ')
    [ -n "$packages" ] || return 0
    by_hand="install them by hand, then run ./learn again: apt-get install $packages"
    say "missing: $packages"
    has apt-get || fail "there is no apt-get here; install these packages with your system's package manager"
    find_root || fail "root permissions are needed; $by_hand"
    if [ -t 0 ]; then
        printf 'learn: install these packages with %s apt-get? [Y/n] ' "$as_root" >&2
        read -r answer || answer=n
        case $answer in '' | [Yy]*) ;; *) fail "$by_hand" ;; esac
    fi
    say "installing these packages with apt-get"
    export DEBIAN_FRONTEND=noninteractive
    # `packages` contains several words, so it must be split into arguments.
    # shellcheck disable=SC2086
    if ! has_package_lists || ! apt_get install -y --no-install-recommends $packages; then
        say "fetching the package lists first"
        # shellcheck disable=SC2086
        { apt_get update && apt_get install -y --no-install-recommends $packages; } ||
            fail "apt-get failed (above); $by_hand"
    fi
}

# ---- building ----

cores() { getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2; }

# set_up NEEDS -- installs what the build needs, and configures it.
set_up() {
    choose_compiler
    install_packages "$1"
    # Commands that run no tests keep the build folder's set of tests.
    case $1 in course* | all | whole) tests=$(printf '%s' "$1" | tr ' ' ';') ;; *) tests= ;; esac
    mkdir -p "$build"
    configure
}

configure() {
    if has ccache; then
        export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"
    fi
    # A build folder that was configured before must keep its generator.
    if [ ! -f "$build/CMakeCache.txt" ]; then
        if has ninja; then CMAKE_GENERATOR=Ninja; else CMAKE_GENERATOR='Unix Makefiles'; fi
        export CMAKE_GENERATOR
    fi
    # CMake cannot change the compiler of a configured folder. To use another compiler, empty the folder first.
    set -- -S "$root" -B "$build" -DCOALESCE_COMPILER="$compiler"
    [ -z "$tests" ] || set -- "$@" -DCOALESCE_TESTS="$tests"
    if [ "$compiler" = nvcc ]; then
        built_with=$nvcc
        set -- "$@" -DCMAKE_CUDA_COMPILER="$nvcc"
    else
        find_clang || fail "clang was installed, but was not found; set COALESCE_CLANG to its path"
        built_with="$clang, for the simulated GPU only"
        set -- "$@" -DCOALESCE_CLANG="$clang"
    fi
    [ -z "${COALESCE_ARCH:-}" ] || set -- "$@" -DCOALESCE_ARCH="$COALESCE_ARCH"
    if built_by_other; then set -- --fresh "$@"; fi
    cmake "$@" >"$build/configure.log" 2>&1 || {
        cat "$build/configure.log" >&2
        fail "cmake could not configure (above); a fresh start may help: rm -r $build"
    }
}

# Reports whether the folder was configured for a compiler other than $compiler.
built_by_other() {
    [ -f "$build/CMakeCache.txt" ] || return 1
    before=$(sed -n 's/^COALESCE_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
    [ "${before:-nvcc}" != "$compiler" ]
}

build_target() {
    { cmake --build "$build" --parallel "$(cores)" --target "$@" 2>&1 || echo "build failed"; } | show_progress ||
        fail "the build failed (above); fix the first error, then run ./learn again"
}

# Reads the output of a build. Replaces the lines that name the build's commands with a single progress line, and prints
# all other lines. If stdout is a file or a pipe, prints a progress line for every tenth of the build. Returns 1 if the
# build failed.
show_progress() {
    begun=$(date +%s)
    shown=0
    failed=0
    while IFS= read -r line; do
        case $line in
        "["*"/"*"] "*)
            part=${line#\[}
            whole=${part#*/}
            part=${part%%/*}
            whole=${whole%%]*}
            progress_line "${part# }" "$whole"
            ;;
        "["*"%] "*)
            part=${line#\[}
            progress_line "$(printf '%s' "${part%%\%*}" | tr -d ' ')" 100
            ;;
        "build failed") failed=1 ;;
        "ninja: "* | "make"*"directory"* | "") ;;
        *)
            [ ! -t 2 ] || printf '\r\033[K' >&2
            printf '%s\n' "$line" >&2
            ;;
        esac
    done
    [ ! -t 2 ] || printf '\r\033[K' >&2
    return "$failed"
}
# progress_line PART WHOLE -- prints the progress and the estimated time left. The estimate assumes that every command
# takes the same time.
progress_line() {
    if [ "$1" -lt 1 ] || [ "$2" -lt 1 ]; then return; fi
    if [ ! -t 2 ] && [ $(($1 * 10 / $2)) -le "$shown" ]; then return; fi
    shown=$(($1 * 10 / $2))
    left=$((($(date +%s) - begun) * ($2 - $1) / $1))
    if [ "$left" -ge 90 ]; then left="about $(((left + 30) / 60)) minutes left"; else left="less than 2 minutes left"; fi
    text="learn: building: $1 of $2, $left"
    if [ -t 2 ]; then printf '\r%s\033[K' "$text" >&2; else printf '%s\n' "$text" >&2; fi
}

# alone_in_build COMMAND... -- runs the command under a lock, because two ./learn processes that build in the same
# folder would write the same files. The command runs in a subshell that holds the lock, so its variables are lost. If
# ./learn is killed, the processes that it started hold the lock until they end. Programs that the command runs do not
# inherit the lock (9>&-), so they do not hold it if they keep running. Without flock, or on a file system without
# locks, nothing is locked.
alone_in_build() {
    # A program started by the build may call ./learn. In that case the outer ./learn already holds the lock.
    if [ "${COALESCE_BUILDING:-}" = "$build" ] || ! has flock; then
        "$@"
        return
    fi
    mkdir -p "$build"
    (
        wait_for_build
        COALESCE_BUILDING=$build
        export COALESCE_BUILDING
        echo "$$" >"$build/learn.lock"
        "$@" 9>&-
        : >"$build/learn.lock"
    ) 9>>"$build/learn.lock"
}
# Waits for the lock on file descriptor 9. The lock file contains the ID of the process that holds the lock.
wait_for_build() {
    code=0
    flock -n 9 2>/dev/null || code=$?
    [ "$code" = 1 ] || return 0
    owner=
    read -r owner <"$build/learn.lock" || true
    say "another ./learn is building in $build${owner:+ (process $owner)}; waiting for it to finish"
    flock 9 || true
}

# Builds the programs of the course and shows the progress.
build_course() { set_up_and_build plain course_programs; }
# The processor time in seconds for building the course with nvcc. (Measured without ccache: 111 seconds on two
# processors of a cloud server.)
seconds_of_course=220
# Prints how long the build will take, and what to read in the meantime. Once the first lesson's program is built, runs
# it.
show_first_result() {
    say "the build takes about $((seconds_of_course / $(cores) / 60 + 1)) minutes if this computer does nothing else"
    say "meanwhile, read the first lesson:"
    say "$root/steps/00_program/README.md"
    build_target 00_program simulated_cudart
    say "the simulated GPU has run its first program, steps/00_program/program.cu:"
    LD_LIBRARY_PATH="$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$build/bin/00_program" >&2 || true
    say "building the rest"
}
set_up_and_build() {
    set_up "$1"
    say "building in $build with $built_with"
    [ "$1" != plain ] || [ -x "$build/bin/learn" ] || show_first_result
    build_target "$2"
}

# Prints the version number, as defined in the header transpose.cuh.
version() {
    sed -n 's/^#define COALESCE_VERSION_M[A-Z]* //p' "$root/include/coalesce/transpose.cuh" | paste -s -d . -
}

# Builds simulate so that it runs on every processor of this architecture, and packages it.
make_packages() {
    COALESCE_ARCH=${COALESCE_ARCH:-portable}
    set_up plain
    say "building in $build with $built_with, for the processor $COALESCE_ARCH"
    build_target installed_programs
    (cd "$build" && cpack) >"$build/cpack.log" 2>&1 || {
        cat "$build/cpack.log" >&2
        fail "cpack could not make the packages (above)"
    }
    sed -n 's/^CPack: - package: \(.*\) generated.*/\1/p' "$build/cpack.log"
}

# Rebuilds programs whose sources have changed, before a command runs them. Prints nothing unless the build fails.
build_changes() { alone_in_build build_changes_now; }
build_changes_now() {
    # The learner may request a compiler other than the one with which this folder was built.
    [ -z "${COALESCE_COMPILER:-}" ] || choose_compiler
    if { [ ! -f "$build/build.ninja" ] && [ ! -f "$build/Makefile" ]; } ||
        { [ -n "${COALESCE_COMPILER:-}" ] && built_by_other; }; then
        build_course >&2
        return
    fi
    log=$build/build.log
    (build_target course_programs) >"$log" 2>&1 || {
        cat "$log" >&2
        fail "the programs could not be rebuilt (above); ./learn build sets everything up again"
    }
}

# ---- testing ----

run_tests() {
    rm -f "$build/tests.xml"
    ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$(cores)" \
        --output-junit "$build/tests.xml" "$@" ||
        fail "some tests failed (see above); to run a single test: ctest --test-dir $build -R NAME"
    something_ran "$build/tests.xml" || fail "all tests were skipped, so nothing was tested"
}
# Reports whether a JUnit file contains a test that was not skipped.
something_ran() { grep -q '<testcase .*status="run"' "$1"; }

cmd_test() { # test WORDS...
    shift
    needs=course
    except=
    while [ $# -gt 0 ]; do
        case $1 in
        simulator | timing | translator | headers | grader | proof | docs) needs="$needs $1" ;;
        --all) needs=all ;;
        --whole)
            needs=whole
            # The tests of the pages read COALESCE_WHOLE_TESTS.
            export COALESCE_WHOLE_TESTS=1
            ;;
        --except)
            [ $# -gt 1 ] || wrong_use "test --except needs a regular expression that matches the names of tests"
            except=$2
            shift
            ;;
        *) wrong_use "unknown argument of test: $1; the arguments are simulator, timing, translator, headers, grader, proof, docs, --all, --whole and --except NAMES" ;;
        esac
        shift
    done
    alone_in_build set_up_and_build "$needs" all
    set --
    case $needs in course*) set -- --label-exclude 'heavy|fuzz' ;; esac
    [ -z "$except" ] || set -- "$@" --exclude-regex "$except"
    run_tests "$@"
}
