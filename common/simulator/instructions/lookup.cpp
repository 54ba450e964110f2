// Finds the instruction for an opcode and its modifiers, such as "add" and {"sat", "s32"}. The
// families that know the opcode are tried in order, and the first one that accepts all modifiers is
// used.
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "simulator/instructions/families.h"

namespace coalesce::simulator {

// ---- Modifiers ----

bool Modifiers::take_modifier(std::string_view name) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (names_[i] != name || (taken_bits_ >> i & 1)) continue;
        taken_bits_ |= u64{1} << i;
        return true;
    }
    return false;
}

int Modifiers::take_alternative(std::initializer_list<std::string_view> names) {
    int index = 0;
    for (std::string_view name : names) {
        if (take_modifier(name)) return index;
        ++index;
    }
    return -1;
}

std::optional<Rounding> Modifiers::take_rounding() {
    const int index = take_alternative({"rn", "rz", "rm", "rp"});
    return index < 0 ? std::nullopt : std::optional(static_cast<Rounding>(index));
}
std::optional<Rounding> Modifiers::take_rounding_to_whole() {
    const int index = take_alternative({"rni", "rzi", "rmi", "rpi"});
    return index < 0 ? std::nullopt : std::optional(static_cast<Rounding>(index));
}

ptx::Type Modifiers::take_type() {
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (taken_bits_ >> i & 1) continue;
        const ptx::Type type = ptx::parse_type(names_[i]);
        if (type == ptx::Type::none) continue;
        taken_bits_ |= u64{1} << i;
        return type;
    }
    return ptx::Type::none;
}

// ---- the table ----

namespace {

constexpr std::size_t kMaxModifiers = 16;

using FamiliesByOpcode = std::unordered_map<std::string, std::vector<Family>>;

const FamiliesByOpcode& families() {
    static const FamiliesByOpcode instance = [] {
        FamiliesByOpcode table;
        for (const FamilyTable& family_table :
             {integer_instructions::families(), carry_instructions::families(),
              bits_instructions::families(), logic_instructions::families(),
              float_instructions::families(), math_instructions::families(),
              compare_instructions::families(), convert_instructions::families(),
              convert_small_instructions::families()}) {
            for (const FamilyEntry& entry : family_table) {
                table[std::string(entry.opcode)].push_back(entry.family);
            }
        }
        return table;
    }();
    return instance;
}

std::optional<LaneInstruction> make_instruction(const std::string& opcode,
                                                const std::vector<std::string>& modifiers) {
    const auto family_entry = families().find(opcode);
    if (family_entry == families().end() || modifiers.size() > kMaxModifiers) return std::nullopt;
    for (const Family family : family_entry->second) {
        Modifiers m(modifiers);
        const LaneInstruction instruction = family(m);
        if (instruction.run != nullptr && m.are_all_taken()) return instruction;
    }
    return std::nullopt;
}

}  // namespace

const LaneInstruction* find_lane_instruction(const std::string& opcode,
                                             const std::vector<std::string>& modifiers) {
    // Each variant is created only once. The nodes of the map do not move, so pointers to variants
    // remain valid.
    static std::mutex mutex;
    static std::unordered_map<std::string, std::optional<LaneInstruction>> instructions_by_name;

    std::string name = opcode;
    for (const std::string& modifier : modifiers) name += "." + modifier;

    const std::lock_guard lock(mutex);
    auto family_entry = instructions_by_name.find(name);
    if (family_entry == instructions_by_name.end())
        family_entry =
            instructions_by_name.emplace(name, make_instruction(opcode, modifiers)).first;
    return family_entry->second ? &*family_entry->second : nullptr;
}

}  // namespace coalesce::simulator
