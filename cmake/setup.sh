# setup.sh -- what ./learn does before it hands over: finds compilers, installs packages, configures, builds, tests, and
# lets one ./learn at a time build in a folder. POSIX sh for `.`, which needs `root`, `build`, say, fail and wrong_use.
# shellcheck shell=sh disable=SC2154

# ---- compilers ----

find_compiler() { "$root/common/cuda_headers/bin/find-cuda-compiler" "$@"; }
# Sets `nvcc`, or `too_old` to the names of those that are.
find_nvcc() {
    too_old=
    nvcc=$(find_compiler nvcc 2>/dev/null) && return 0
    too_old=$(find_compiler nvcc 2>&1) || true
    [ -z "$too_old" ] || too_old=" ($too_old)"
    return 1
}
find_clang() { clang=$(find_compiler clang); }
# Whether there is one of those that the course is tested with; older ones are taken where nothing else
# is to be had.
has_clang() { find_compiler clang 19 >/dev/null; }

# Sets `compiler` to nvcc or clang: as COALESCE_COMPILER says, or else nvcc where there is one.
choose_compiler() {
    compiler=${COALESCE_COMPILER:-}
    case $compiler in
    nvcc) find_nvcc || fail "no nvcc of CUDA 13 was found$too_old; install that toolkit, set CUDA_HOME to its folder, or leave COALESCE_COMPILER out: clang will do" ;;
    clang) ;;
    '')
        compiler=clang
        if find_nvcc; then compiler=nvcc; fi
        ;;
    *) wrong_use "COALESCE_COMPILER is $compiler; it can be nvcc or clang" ;;
    esac
}

# ---- what must be installed ----

has() { command -v "$1" >/dev/null 2>&1; }
# is_in FILE FOLDER...: whether one of them has it.
is_in() {
    file=$1
    shift
    for folder in "$@"; do
        [ -e "$folder/$file" ] && return 0
    done
    return 1
}
# CPATH names other folders in which the compiler looks, for headers that a learner brings along.
# shellcheck disable=SC2046  # a word for each folder
has_header() {
    is_in "$1" /usr/include /usr/local/include "/usr/include/$(uname -m)-linux-gnu" \
        $(printf '%s' "${CPATH:-}" | tr ':' ' ')
}
# Whether a pattern, which the shell has replaced by the files that fit, fits any.
any_file() { [ -e "$1" ]; }

# Prints the packages that are missing for NEEDS: words like grader or docs; `course` is among them where tests are
# wanted, or `all`. What is looked for is the thing itself, so that it may have come from anywhere.
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
        # The explorer in the book; without them it is left out.
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
        # By both compilers, everything counts the same.
        [ "$compiler" = clang ] || has_clang || newest_clang
        ;;
    esac
    case $1 in all | whole)
        # Two builds that compile mostly the same.
        has ccache || echo ccache
        has clang++-14 || echo clang-14
        has_fuzzer || echo libclang-rt-14-dev
        # Other processors.
        has qemu-aarch64 || echo qemu-user
        # A cluster on this computer, and a reader of the workflow, for tests of the grader.
        [ -e /usr/sbin/slurmctld ] || echo slurm-wlm
        [ -e /usr/sbin/munged ] || echo munge
        has_python_yaml || echo python3-yaml
        # Lesson 16 over processes.
        has mpirun || echo openmpi-bin
        has mpicxx || echo libopenmpi-dev
        ;;
    esac
}
has_python_yaml() { has python3 && python3 -c 'import yaml' 2>/dev/null; }
# The newest that this distribution has, unless it is there already.
newest_clang() {
    for version in 22 21 20 19 18 17 16 15 14; do
        apt-cache show "clang-$version" >/dev/null 2>&1 || continue
        has "clang++-$version" || echo "clang-$version"
        return
    done
    has clang++ || echo clang
}
has_fuzzer() { any_file /usr/lib/llvm-14/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a; }

# Sets `as_root` to what makes a command run as root.
find_root() {
    as_root=
    [ "$(id -u)" = 0 ] && return 0
    if has sudo; then
        # Without a terminal, sudo must not ask for a password either.
        if [ -t 0 ]; then as_root=sudo; else as_root='sudo -n'; fi
        return 0
    fi
    return 1
}

# shellcheck disable=SC2086  # `as_root` may be two words or none
apt_get() { $as_root apt-get "$@" </dev/null >&2; }
# A fresh container has no lists: there is nothing to install from yet.
has_package_lists() { any_file /var/lib/apt/lists/*_Packages*; }

install_packages() {
    # Which clang there is to be had is seen in the lists.
    case $compiler$1 in clang* | *translator* | nvccall | nvccwhole) needs_clang=yes ;; *) needs_clang= ;; esac
    if [ -n "$needs_clang" ] && ! has_clang && has apt-get && ! has_package_lists; then
        find_root || fail "root rights are needed to install clang; run ./learn as root, or with sudo"
        say "fetching the package lists"
        apt_get update || fail "apt-get update failed (above)"
    fi
    packages=$(missing_packages "$1" | tr '\n' ' ')
    [ -n "$packages" ] || return 0
    by_hand="install them by hand, then run ./learn again: apt-get install $packages"
    say "missing: $packages"
    has apt-get || fail "there is no apt-get here; install the same packages of your system"
    find_root || fail "root rights are needed; $by_hand"
    if [ -t 0 ]; then
        printf 'learn: install them with %s apt-get? [Y/n] ' "$as_root" >&2
        read -r answer || answer=n
        case $answer in '' | [Yy]*) ;; *) fail "$by_hand" ;; esac
    fi
    say "installing them with apt-get"
    export DEBIAN_FRONTEND=noninteractive
    # Nothing but the list above is in `packages`: word splitting is wanted.
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

# set_up NEEDS: everything that a build needs, installed and configured.
set_up() {
    choose_compiler
    install_packages "$1"
    # Commands between tests leave the folder's tests as they are.
    case $1 in course* | all | whole) tests=$(printf '%s' "$1" | tr ' ' ';') ;; *) tests= ;; esac
    mkdir -p "$build"
    configure
}

configure() {
    # What was compiled once is not compiled again.
    if has ccache; then
        export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"
    fi
    # A folder that is configured already keeps its generator.
    if [ ! -f "$build/CMakeCache.txt" ]; then
        if has ninja; then CMAKE_GENERATOR=Ninja; else CMAKE_GENERATOR='Unix Makefiles'; fi
        export CMAKE_GENERATOR
    fi
    # Nor does a language change its compiler: another one starts again.
    set -- -S "$root" -B "$build" -DCOALESCE_COMPILER="$compiler"
    [ -z "$tests" ] || set -- "$@" -DCOALESCE_TESTS="$tests"
    if [ "$compiler" = nvcc ]; then
        built_with=$nvcc
        set -- "$@" -DCMAKE_CUDA_COMPILER="$nvcc"
    else
        find_clang || fail "clang was not found after installing it; name one in COALESCE_CLANG"
        built_with="$clang, only for the simulated GPU"
        set -- "$@" -DCOALESCE_CLANG="$clang"
    fi
    [ -z "${COALESCE_ARCH:-}" ] || set -- "$@" -DCOALESCE_ARCH="$COALESCE_ARCH"
    if built_by_other; then set -- --fresh "$@"; fi
    cmake "$@" >"$build/configure.log" 2>&1 || {
        cat "$build/configure.log" >&2
        fail "cmake could not configure (above); a fresh start may help: rm -r $build"
    }
}

# Whether the folder was configured for the other compiler.
built_by_other() {
    [ -f "$build/CMakeCache.txt" ] || return 1
    before=$(sed -n 's/^COALESCE_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
    [ "${before:-nvcc}" != "$compiler" ]
}

build_target() {
    cmake --build "$build" --parallel "$(cores)" --target "$@" ||
        fail "the build failed (above); fix the first error, then run ./learn again"
}

# alone_in_build COMMAND...: runs it while no other ./learn builds in the same folder: two at once would
# write the same files. What it sets is lost, because it runs in a subshell, which the lock belongs to:
# a killed ./learn leaves it with what it started for as long as that still builds, and no longer.
# Programs inherit nothing of it (9>&-), so that one that stays behind does not keep it.
# Where there is no flock, or the file system has no locks, nothing is locked.
alone_in_build() {
    # Something that the build runs has called ./learn: its caller has the lock.
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
# Takes the lock, open as 9. The file names the process that has it.
wait_for_build() {
    code=0
    flock -n 9 2>/dev/null || code=$?
    [ "$code" = 1 ] || return 0
    owner=
    read -r owner <"$build/learn.lock" || true
    say "another ./learn builds in $build${owner:+ (process $owner)}; waiting for it"
    flock 9 || true
}

# What the course runs, with the build's progress.
build_course() { set_up_and_build plain course_programs; }
# Half of the build is what one step needs: something to read while the rest is built.
show_first_result() {
    build_target 01_copy
    say "your first result: copies of a matrix, each verified (steps/01_copy/README.md explains the columns)"
    "$build/bin/01_copy" || true
    say "building the rest"
}
set_up_and_build() {
    set_up "$1"
    say "building in $build with $built_with"
    [ "$1" != plain ] || [ -x "$build/bin/learn" ] || show_first_result
    build_target "$2"
}

# For the commands that use the programs: builds what has changed, silently when all is well.
build_changes() { alone_in_build build_changes_now; }
build_changes_now() {
    # Asked for by name: the folder may be the other's.
    [ -z "${COALESCE_COMPILER:-}" ] || choose_compiler
    if { [ ! -f "$build/build.ninja" ] && [ ! -f "$build/Makefile" ]; } ||
        { [ -n "${COALESCE_COMPILER:-}" ] && built_by_other; }; then
        build_course >&2
        return
    fi
    log=$build/build.log
    (build_target course_programs) >"$log" 2>&1 || {
        cat "$log" >&2
        fail "what was built cannot be brought up to date; ./learn build sets everything up again"
    }
}

# ---- testing ----

run_tests() {
    rm -f "$build/tests.xml"
    ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$(cores)" \
        --output-junit "$build/tests.xml" "$@" ||
        fail "tests failed (above); one alone: ctest --test-dir $build -R NAME"
    something_ran "$build/tests.xml" || fail "every test was skipped: nothing has been tested"
}
# Whether a JUnit file has a test that was not skipped.
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
            # Pages look for it, too.
            export COALESCE_WHOLE_TESTS=1
            ;;
        --except)
            [ $# -gt 1 ] || wrong_use "test --except needs the names of tests"
            except=$2
            shift
            ;;
        *) wrong_use "test has no $1; there are simulator, timing, translator, headers, grader, proof, docs, --all, --whole and --except NAMES" ;;
        esac
        shift
    done
    alone_in_build set_up_and_build "$needs" all
    set --
    case $needs in course*) set -- --label-exclude 'heavy|fuzz' ;; esac
    [ -z "$except" ] || set -- "$@" --exclude-regex "$except"
    run_tests "$@"
}
