#!/bin/sh
# A fake campaign_run. In plain mode, it reports a different result for every kernel that contains `brev.b32`. It
# crashes on the kernel ptx-5.
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
