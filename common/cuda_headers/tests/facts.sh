#!/bin/sh
# facts.sh HEADER... -- writes a C++ program that prints the facts about our headers: the value of each enumerator and
# macro, the size of each struct, and the offset of each member. With the toolkit's headers, the program must print the
# same facts.
set -eu
printf '#include <cuda_runtime_api.h>\n#include <cstddef>\n#include <cstdio>\n'
printf '#define VALUE(x) std::printf("%%s = %%lld\\n", #x, static_cast<long long>(x));\n'
printf '#define SIZE(x) std::printf("sizeof %%s = %%zu\\n", #x, sizeof(x));\n'
printf '#define OFFSET(s, m) std::printf("%%s.%%s at %%zu\\n", #s, #m, offsetof(s, m));\n'
printf 'int main() {\n'
sed -n -e 's/^    \(cuda[A-Za-z0-9_]*\) = .*/VALUE(\1)/p' \
    -e 's/^COALESCE_ERROR([0-9]*, \(cuda[A-Za-z0-9]*\),.*/VALUE(\1)/p' \
    -e 's/^COALESCE_[AP][A-Z]*([0-9]*, \([A-Za-z0-9]*\),.*/VALUE(cudaDevAttr\1)/p' \
    -e 's/^#define \(cuda[A-Za-z0-9_]*\) (*-*[0-9][0-9]*)*$/VALUE(\1)/p' "$@"
awk '
    function member_names(text) {
        # In a declaration, a comma, a semicolon or the bounds of an array follow the name of a member.
        while (match(text, /[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])*[ ]*[,;]/)) {
            word = substr(text, RSTART, RLENGTH)
            sub(/[[ ,;].*/, "", word)
            if (inner == 0) print "OFFSET(" name ", " word ")"
            text = substr(text, RSTART + RLENGTH)
        }
    }
    /^(typedef )?(struct|union) [A-Za-z_0-9]+ \{/ {
        name = $0; sub(/^(typedef )?(struct|union) /, "", name); sub(/ \{.*/, "", name)
        print "SIZE(" name ")"
        sub(/^[^{]*\{/, "")
        within = 1
    }
    within {
        ends = $0 ~ /^\}|\};$|\} [A-Za-z]/ && $0 !~ /^    struct \{/
        if ($0 ~ /^    struct \{/) {  # the offset of a nested struct is that of its first member
            word = $0; sub(/.*\} */, "", word); sub(/;.*/, "", word)
            print "OFFSET(" name ", " word ")"
        } else {
            line = $0; sub(/\}.*/, "", line)
            member_names(line)
        }
        if (ends) within = 0
    }' "$@"
printf '}\n'
