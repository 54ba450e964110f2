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
    const auto file_entry = module.files.find(file);
    if (file_entry == module.files.end()) return false;
    const std::string& name = file_entry->second;
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
    for (auto caller_entry = callers_.find(position);
         caller_entry != callers_.end() && lines.size() < kMaxDepth;
         caller_entry = callers_.find(caller_entry->second)) {
        lines.push_back({std::get<0>(caller_entry->second), std::get<1>(caller_entry->second)});
    }
    return lines;
}

void resolve_inlining(Module& module) {
    for (auto& [name, function] : module.functions) {
        for (Instruction& i : function->body) {
            if (i.inline_chain_index == 0) continue;
            if (!i.is_of_assembly && !is_unknown_to_cpp(i) &&
                !is_toolkit_file(module, i.where.file))
                continue;
            for (const SourceLine& caller : function->inline_chains[i.inline_chain_index - 1]) {
                i.where = caller;
                if (!is_toolkit_file(module, caller.file)) break;
            }
        }
    }
}

}  // namespace coalesce::simulator::ptx
