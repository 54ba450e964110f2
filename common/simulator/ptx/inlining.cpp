#include "simulator/ptx/inlining.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace coalesce::simulator::ptx {
namespace {

/// The maximum length of a chain of inlined calls. Real chains are shorter; the limit ends cycles
/// in malformed text.
constexpr std::size_t kMaxDepth = 64;

bool is_toolkit_file(const Module& module, u32 file) {
    const auto found = module.files.find(file);
    if (found == module.files.end()) return false;
    const std::string& name = found->second;
    return name.starts_with("/usr/") || name.find("/targets/") != std::string::npos ||
           name.find("/cuda/include/") != std::string::npos;
}

/// Reports whether the instruction can come only from an asm statement or from the toolkit's
/// headers.
bool is_unknown_to_cpp(const Instruction& i) {
    constexpr std::string_view opcodes[] = {"mbarrier", "cp",       "wgmma", "mma",
                                            "ldmatrix", "stmatrix", "elect", "mapa"};
    if (i.opcode == "fence") return i.has("proxy") || i.has("mbarrier_init");
    if (i.opcode == "red" || i.opcode == "st") return i.has("async");
    return std::find(std::begin(opcodes), std::end(opcodes), i.opcode) != std::end(opcodes);
}

}  // namespace

std::vector<SourceLine> Inlining::find_callers(Position position) const {
    std::vector<SourceLine> lines;
    for (auto at = callers_.find(position); at != callers_.end() && lines.size() < kMaxDepth;
         at = callers_.find(at->second)) {
        lines.push_back({std::get<0>(at->second), std::get<1>(at->second)});
    }
    return lines;
}

void resolve_inlining(Module& module) {
    for (auto& [name, function] : module.functions) {
        for (Instruction& i : function->body) {
            if (i.inlined == 0) continue;
            if (!i.is_of_assembly && !is_unknown_to_cpp(i) &&
                !is_toolkit_file(module, i.where.file))
                continue;
            for (const SourceLine& caller : function->inline_chains[i.inlined - 1]) {
                i.where = caller;
                if (!is_toolkit_file(module, caller.file)) break;
            }
        }
    }
}

}  // namespace coalesce::simulator::ptx
