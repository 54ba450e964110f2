#!/bin/sh
# A fake campaign_run. For every kernel with `brev.b32`, it reports a different result in plain mode. For the kernel
# ptx-5, it crashes.
while [ $# -gt 1 ]; do
    [ "$1" = --skip ] && skip=$2
    shift 2
done
awk -v plain="$COALESCE_SIM_PLAIN" -v skip="$skip" '
    function finish() {
        if (name != "" && number++ >= skip) {
            if (plain && name == "ptx-5") exit 7
            print "done " name " " (plain && reversed ? "00000001" : "00000000") " 0 0"
        }
    }
    /^\/\/\/\/ / { finish(); name = $2; reversed = 0 }
    /brev\.b32/ { reversed = 1 }
    END { if (!(plain && name == "ptx-5")) finish() }
' "$1"
