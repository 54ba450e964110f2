#include "simulator/code/opcodes.h"

#include <unordered_map>

namespace coalesce::simulator {

bool OpcodeEntry::reads_carry() const {
    return name == "addc" || name == "subc" || name == "madc";
}

const std::vector<OpcodeEntry>& opcodes() {
    static const std::vector<OpcodeEntry> entries = {
#define OPCODE_AS(name, group, exactness, sentence) \
    {#name, OpcodeGroup::group, Exactness::exactness, sentence},
#define OPCODE(name, group, sentence) OPCODE_AS(name, group, exact, sentence)
#include "simulator/code/opcodes.inc"
#undef OPCODE
#undef OPCODE_AS
    };
    return entries;
}

const OpcodeEntry* find_opcode(std::string_view name) {
    static const auto entry_of_name = [] {
        std::unordered_map<std::string_view, const OpcodeEntry*> entries;
        for (const OpcodeEntry& entry : opcodes()) entries.emplace(entry.name, &entry);
        return entries;
    }();
    const auto found = entry_of_name.find(name);
    return found == entry_of_name.end() ? nullptr : found->second;
}

}  // namespace coalesce::simulator
