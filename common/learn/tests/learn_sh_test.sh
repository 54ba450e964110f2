#!/bin/sh
# learn_sh_test.sh LEARN -- tests the parts of ./learn that neither install nor build anything.
set -eu
learn=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# expect CODE TEXT COMMAND... -- checks the command's exit code, and that its output contains TEXT.
expect() {
    code=$1 words=$2
    shift 2
    got=0
    output=$("$@" 2>&1) || got=$?
    case $output in *"$words"*) found=yes ;; *) found=no ;; esac
    if [ "$got" != "$code" ] || [ "$found" = no ]; then
        printf 'FAILED: %s\n  exit code %s (expected %s), looked for "%s" in:\n%s\n' \
            "$*" "$got" "$code" "$words" "$output"
        failed=1
    fi
}

expect 0 'Usage: ./learn' "$learn" help
expect 0 'test --all' "$learn" --help
expect 2 'unknown argument of test: --some; the arguments are simulator, ' "$learn" test --some
expect 2 'test --except needs a regular expression that matches the names of tests' "$learn" test --except
expect 2 'build takes no arguments, but got: now' "$learn" build now
expect 2 'docs takes no arguments' "$learn" docs now
expect 2 'package takes no arguments' "$learn" package now
expect 0 'Coalesce 0.' "$learn" --version

# On a computer without apt-get and without the required packages, ./learn must say what is missing.
mkdir "$folder/bin"
for tool in dirname sed tr uname id mkdir; do ln -s "$(command -v $tool)" "$folder/bin/$tool"; done
expect 1 'missing: g++ cmake ninja-build' \
    env PATH="$folder/bin" COALESCE_BUILD="$folder/build" /bin/sh "$learn"
expect 1 'there is no apt-get here' \
    env PATH="$folder/bin" COALESCE_BUILD="$folder/build" /bin/sh "$learn" run all
expect 1 'ninja-build clang' env PATH="$folder/bin" COALESCE_BUILD="$folder/build" \
    COALESCE_COMPILER=clang /bin/sh "$learn"
expect 2 'COALESCE_COMPILER is gcc, but must be nvcc or clang' \
    env COALESCE_BUILD="$folder/build" COALESCE_COMPILER=gcc /bin/sh "$learn" build

# Simulate an apt-get that cannot install packages, because its package lists are missing or stale. Test which calls
# ./learn makes, and in which order.
cat >"$folder/bin/apt-get" <<'END'
#!/bin/sh
echo "apt-get $1"
[ "$1" = update ]
END
chmod +x "$folder/bin/apt-get"
if [ "$(id -u)" = 0 ]; then
    expect 1 'apt-get update
apt-get install' env PATH="$folder/bin" COALESCE_BUILD="$folder/build" /bin/sh "$learn" build </dev/null
    expect 1 'install them by hand, then run ./learn again: apt-get install g++' \
        env PATH="$folder/bin" COALESCE_BUILD="$folder/build" /bin/sh "$learn" build </dev/null
fi

[ "$failed" = 0 ] && echo 'all as expected'
exit "$failed"
