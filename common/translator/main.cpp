// ir_to_ptx IN.ll -- prints the PTX of a file of LLVM IR.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "translator/translate.h"

int main(int argc, char** argv) {
    if (argc != 2) return std::fputs("Usage: ir_to_ptx IN.ll\n", stderr), 2;
    std::stringstream text;
    text << std::ifstream(argv[1]).rdbuf();
    try {
        std::cout << coalesce::translator::ptx_of(text.str());
        return 0;
    } catch (const coalesce::translator::Untranslated& why) {
        std::fprintf(stderr, "%s:%u: %s\n", why.file.c_str(), why.line, why.what());
        return 1;
    }
}
