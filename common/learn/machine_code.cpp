#include "learn/machine_code.h"

#include <filesystem>
#include <regex>
#include <stdexcept>

#include "base/child.h"
#include "base/errors.h"
#include "base/files.h"
#include "base/text.h"
#include "examiner/compilers.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

constexpr double kMaxToolSeconds = 60;

// Finds a program of the CUDA toolkit, either on the PATH or next to nvcc. Returns "" if there is
// none.
std::string find_tool(const std::string& name) {
    if (std::string program = find_program(name); !program.empty()) return program;
    const auto nvcc = find_compiler(Compiler::nvcc);
    if (!nvcc) return "";
    const fs::path sibling = fs::path(nvcc->path).parent_path() / name;
    return fs::exists(sibling) ? sibling.string() : "";
}

// Returns the architecture to pass to ptxas: "sm_90", the architecture of the simulated GPU, or
// "sm_90a" if the PTX requires it.
std::string find_architecture(const std::string& ptx) {
    static const std::regex target_pattern(R"(\.target\s+(sm_\d+a))");
    std::smatch target_match;
    return std::regex_search(ptx, target_match, target_pattern) ? target_match.str(1) : "sm_90";
}

// Runs ptxas, which writes kernel.cubin to the folder.
ProcessResult assemble(const std::string& ptxas, const std::string& ptx,
                       const TemporaryFolder& folder) {
    write_file(folder / "kernel.ptx", ptx);
    return run_child({ptxas, "-arch=" + find_architecture(ptx), "-v", "-lineinfo", "-o",
                      (folder / "kernel.cubin").string(), (folder / "kernel.ptx").string()},
                     kMaxToolSeconds);
}

[[noreturn]] void fail_without_tool(const std::string& tool) {
    throw UsageError(
        "--sass needs " + tool +
        " from the CUDA toolkit, which is neither on the PATH nor in nvcc's folder; install the "
        "toolkit, or set CUDA_HOME. Without --sass, ./learn ptx shows PTX");
}

// Returns the section of the nvdisasm output that belongs to one kernel.
std::string extract_kernel_section(const std::string& text, const std::string& entry) {
    std::string section;
    bool is_inside = false;
    for (const std::string& line : lines_of(text)) {
        if (line.starts_with("//---")) is_inside = line.find(".text." + entry + " ") != line.npos;
        if (is_inside) section += line + "\n";
    }
    return section.empty() ? text : section;
}

}  // namespace

AssembledKernels assemble_ptx(const std::string& ptx) {
    const std::string ptxas = find_tool("ptxas");
    if (ptxas.empty()) return {};
    const TemporaryFolder folder;
    const ProcessResult ptxas_result = assemble(ptxas, ptx, folder);
    if (ptxas_result.exit_code != 0) return {};
    AssembledKernels result;
    result.tool_name = "ptxas for " + find_architecture(ptx);
    static const std::regex entry("Compiling entry function '([^']+)'"),
        registers_pattern("Used (\\d+) registers");
    std::string kernel;
    for (const std::string& line : lines_of(ptxas_result.output)) {
        std::smatch match;
        if (std::regex_search(line, match, entry)) kernel = match.str(1);
        if (std::regex_search(line, match, registers_pattern)) {
            result.registers[kernel] = std::stoi(match.str(1));
        }
    }
    return result;
}

std::string disassemble(const std::string& ptx, const std::string& entry) {
    const std::string ptxas = find_tool("ptxas"), nvdisasm = find_tool("nvdisasm"),
                      cuobjdump = find_tool("cuobjdump");
    if (nvdisasm.empty() && cuobjdump.empty()) fail_without_tool("nvdisasm or cuobjdump");
    if (ptxas.empty()) fail_without_tool("ptxas");
    const TemporaryFolder folder;
    const ProcessResult code = assemble(ptxas, ptx, folder);
    if (code.exit_code != 0) throw std::runtime_error("ptxas rejected the PTX:\n" + code.output);
    const std::string cubin = (folder / "kernel.cubin").string();
    // Prefer nvdisasm, because cuobjdump does not print the source line of each instruction.
    const ProcessResult disassembly =
        nvdisasm.empty()
            ? run_child({cuobjdump, "--dump-sass", "--function", entry, cubin}, kMaxToolSeconds)
            : run_child({nvdisasm, "--print-code", "--print-line-info", cubin}, kMaxToolSeconds);
    if (disassembly.exit_code != 0) {
        throw std::runtime_error((nvdisasm.empty() ? cuobjdump : nvdisasm) + " failed:\n" +
                                 disassembly.output);
    }
    return extract_kernel_section(disassembly.output, entry);
}

}  // namespace coalesce::learn
