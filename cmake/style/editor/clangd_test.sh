#!/bin/sh
# clangd_test.sh CLANGD REPOSITORY EDITOR_FOLDER EVERY -- tests that clangd finds no error in the .cu files that
# learners open, and that it finds an error that the test inserts. Checks only every EVERYth file. The test works in a
# temporary folder, with the repository's .clangd and this build's compilation database.
set -eu
clangd=$1 repository=$2 editor=$3 every=$4
if [ ! -x "$clangd" ]; then
    echo "skipped: there is no clangd"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p build
sed "s|$repository/\\(steps\\|exercises\\|solutions\\)|$work/\\1|g; s|\"directory\": \"$repository\"|\"directory\": \"$work\"|" \
    "$editor/compile_commands.json" >compile.json
mkdir -p build/editor
mv compile.json build/editor/compile_commands.json
echo '[]' >build/compile_commands.json
cp -r "$repository/.clangd" "$repository/steps" "$repository/exercises" "$repository/solutions" .

# check FILE: succeeds if clangd finds no errors in FILE. --check-lines limits clangd's additional checks to line 1, but
# clangd reports errors in all lines.
check() { "$clangd" --check="$1" --check-lines=1-1 --log=error >"$work/said" 2>&1; }
count=0
for file in steps/*/main.cu steps/*/program.cu exercises/*/*.cu solutions/*/*.cu; do
    count=$((count + 1))
    [ $((count % every)) = 0 ] || continue
    check "$work/$file" || { cat said; echo "failed: clangd shows errors in $file"; exit 1; }
done
[ $count -gt 30 ] || { echo "failed: only $count files"; exit 1; }

echo '__device__ int wrong() { return no_such_name; }' >>steps/02_naive/main.cu
if check "$work/steps/02_naive/main.cu" || ! grep -q no_such_name said; then
    echo "failed: clangd does not see an error that is there"
    exit 1
fi
echo "ok: no error in $((count / every)) of $count files"
