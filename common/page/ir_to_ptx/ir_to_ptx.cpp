// ir_to_ptx IN.ll [-o OUT.ptx] translates one file. ir_to_ptx --optimiser prints the options with
// which clang generates such a file.
#include <fstream>
#include <iostream>
#include <sstream>

#include "page/ir_to_ptx/translate.h"
#include "page/ir_to_ptx/wanted_ir.h"

namespace {

constexpr const char* usage =
    "usage: ir_to_ptx IN.ll [-o OUT.ptx]\n       ir_to_ptx --optimiser\n\nTranslates LLVM IR for "
    "nvptx64, as `clang -S -emit-llvm` writes it, into PTX.\nWithout -o the PTX goes to standard "
    "output.\n--optimiser prints the options, one per line, with which clang optimises IR that\nit "
    "has generated with -disable-llvm-passes, as on a page.\n";

int fail(const std::string& message) {
    std::cerr << "ir_to_ptx: " << message << "\n";
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    std::string in, out;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--help" || argument == "-h") {
            std::cout << usage;
            return 0;
        }
        if (argument == "--optimiser") {
            for (const std::string& word : coalesce::translator::optimise_without_back_end())
                std::cout << word << "\n";
            return 0;
        }
        if (argument == "-o" && i + 1 < argc) {
            out = argv[++i];
        } else if (in.empty() && !argument.starts_with("-")) {
            in = argument;
        } else {
            std::cerr << usage;
            return 2;
        }
    }
    if (in.empty()) {
        std::cerr << usage;
        return 2;
    }
    std::ifstream file(in, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) return fail("cannot read " + in);
    try {
        const std::string ptx = coalesce::translator::translate_ir_to_ptx(text.str());
        if (out.empty()) {
            std::cout << ptx;
        } else if (!(std::ofstream(out, std::ios::binary) << ptx)) {
            return fail("cannot write " + out);
        }
    } catch (const coalesce::translator::Untranslated& error) {
        const std::string place =
            error.file.empty() ? "" : error.file + ":" + std::to_string(error.line) + ": ";
        return fail(place + error.what() + "\n  " + error.instruction);
    }
    return 0;
}
