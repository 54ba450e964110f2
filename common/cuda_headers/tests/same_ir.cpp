// same_ir -- tests that `cuda-clang --through-ir` translates the same LLVM IR as a web page.
//
//     same_ir CUDA-CLANG CLANG CUDART-FOLDER KERNEL.cu...
//
// Each file is compiled twice: with the options that a page passes to its clang, and as the source
// of a program that cuda-clang builds. The PTX must be the same, except for file names.
// COALESCE_CLANG must name the same clang as the argument CLANG. Exit code: 0 if the PTX is the
// same for all files, 1 if it is not, 2 if the test could not run.
#include <cstdio>
#include <exception>
#include <regex>
#include <vector>

#include "base/child.h"
#include "base/files.h"
#include "examiner/compilers.h"
#include "examiner/source.h"
#include "page/ir_to_ptx/translate.h"

using namespace coalesce;

namespace {

constexpr int seconds = 120;

/// Removes the .file directives, which contain file numbers and names.
std::string without_files(const std::string& ptx) {
    static const std::regex file(R"(\t?\.file[^\n]*\n)");
    return std::regex_replace(ptx, file, "");
}

/// Returns the names of the parameters of `configure`, such as "rows" and "cols".
std::vector<std::string> sizes_in(const std::string& text) {
    static const std::regex head(R"(configure\(([^)]*)\))"), name(R"(int (\w+))");
    std::smatch found;
    if (!std::regex_search(text, found, head)) throw std::runtime_error("there is no configure()");
    const std::string all = found[1];
    std::vector<std::string> names;
    for (std::sregex_iterator one(all.begin(), all.end(), name), end; one != end; ++one)
        names.push_back((*one)[1]);
    return names;
}

std::string as_in_a_page(const FoundCompiler& clang, const std::string& text) {
    const RawOutput raw = run_compiler(clang, text, "compute_90", seconds);
    if (!raw.is_good) throw std::runtime_error("the page's way: " + raw.output);
    return without_files(translator::translate_ir_to_ptx(raw.ir));
}

std::string by_command(char** command, const std::string& text) {
    const TemporaryFolder folder;
    write_file(folder.path / "input.cu", text);
    const ProcessResult child = run_child(
        {command[0], std::string("--clang=") + command[1], std::string("--cudart=") + command[2],
         "--through-ir", "-w", "-ptx", "-o", "out.ptx", "input.cu"},
        seconds, {}, folder.path);
    if (child.exit_code != 0) throw std::runtime_error("cuda-clang: " + child.output);
    return without_files(read_file(folder.path / "out.ptx"));
}

}  // namespace

int main(int argc, char** argv) try {
    const auto clang = find_compiler(Compiler::clang_ir);
    if (argc < 5 || !clang) throw std::runtime_error("a clang and a kernel are needed");
    int different = 0;
    for (int k = 4; k < argc; ++k) {
        const std::string source = read_source(argv[k], "kernel.cu").text;
        const std::string text = wrap_source(source, Dialect::bare_clang, sizes_in(source));
        const std::string page = as_in_a_page(*clang, text), command = by_command(argv + 1, text);
        if (page == command) continue;
        ++different;
        write_file("page.ptx", page);
        write_file("command.ptx", command);
        std::printf("%s: the PTX differs; see page.ptx and command.ptx\n", argv[k]);
    }
    std::printf("%d kernels the same, %d not\n", argc - 4 - different, different);
    return different > 0;
} catch (const std::exception& problem) {
    std::fprintf(stderr, "same_ir: %s\n", problem.what());
    return 2;
}
