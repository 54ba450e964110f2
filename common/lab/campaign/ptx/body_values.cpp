// Generates values: sources, destinations, and instructions that work on each lane separately.
#include <algorithm>

#include "lab/campaign/ptx/body.h"

namespace coalesce::campaign {

bool AvailableRegisters::contains(Reg reg) const {
    return std::ranges::count(registers_by_kind[static_cast<int>(reg.kind)], reg) > 0;
}

void AvailableRegisters::add(Reg reg) {
    if (!contains(reg)) registers_by_kind[static_cast<int>(reg.kind)].push_back(reg);
}

void AvailableRegisters::intersect(const AvailableRegisters& other) {
    const auto keep_common_elements = [](auto& list, const auto& other_list) {
        std::erase_if(list,
                      [&](const auto& one) { return std::ranges::count(other_list, one) == 0; });
    };
    for (int k = 0; k < kKinds; ++k)
        keep_common_elements(registers_by_kind[k], other.registers_by_kind[k]);
    keep_common_elements(uniform_words, other.uniform_words);
    keep_common_elements(position_words, other.position_words);
    keep_common_elements(written_once_predicates, other.written_once_predicates);
    keep_common_elements(conditionally_written, other.conditionally_written);
    written_tile_bytes = std::min(written_tile_bytes, other.written_tile_bytes);
}

PtxBody::PtxBody(Random& random, FunctionText& text, Environment& environment)
    : random_(random), text_(text), environment_(environment) {}

// ---- sources and destinations ----

/// Returns one of the most recent registers in most cases, and an older register sometimes.
static Reg pick_mostly_recent(Random& random, const std::vector<Reg>& list) {
    const u32 count = static_cast<u32>(list.size());
    const u32 recent_count = std::min(count, 8u);
    return random.percent(65) ? list[count - 1 - random.below(recent_count)]
                              : list[random.below(count)];
}

Reg PtxBody::pick_register(RegisterKind kind) {
    return pick_mostly_recent(random_,
                              available_registers.registers_by_kind[static_cast<int>(kind)]);
}

Reg PtxBody::pick_uniform_register() {
    return pick_mostly_recent(random_, available_registers.uniform_words);
}

Reg PtxBody::make_register(RegisterKind kind) {
    const Reg reg = text_.make_register_of(kind);
    available_registers.add(reg);
    return reg;
}

Reg PtxBody::emit_to_new_register(RegisterKind kind, const std::string& pattern,
                                  std::vector<PatternArgument> operands) {
    const Reg reg = text_.make_register_of(kind);
    operands.insert(operands.begin(), reg);
    emit(pattern, operands);
    return reg;
}

Reg PtxBody::emit_to_pickable_register(RegisterKind kind, const std::string& pattern,
                                       const std::vector<PatternArgument>& operands) {
    const Reg reg = emit_to_new_register(kind, pattern, operands);
    available_registers.add(reg);
    return reg;
}

Reg PtxBody::make_variable(RegisterKind kind) {
    const Reg reg = text_.make_register_of(kind);
    variables_by_kind_[static_cast<int>(kind)].push_back(reg);
    return reg;
}

Reg PtxBody::pick_destination(RegisterKind kind) {
    const auto& variables = variables_by_kind_[static_cast<int>(kind)];
    if (variables.empty() || random_.percent(50)) return make_register(kind);
    const Reg reg = random_.pick(variables);
    available_registers.add(reg);
    return reg;
}

/// Returns a variable that has been written before, so that a conditional write is safe.
std::optional<Reg> PtxBody::pick_existing_variable(RegisterKind kind) {
    const auto& variables = variables_by_kind_[static_cast<int>(kind)];
    for (int remaining_tries = 0; remaining_tries < 4 && !variables.empty(); ++remaining_tries) {
        const Reg reg = random_.pick(variables);
        if (available_registers.contains(reg)) return reg;
    }
    return std::nullopt;
}

std::string PtxBody::random_guard() {
    return (random_.percent(50) ? "@" : "@!") + name_of(pick_register(RegisterKind::predicate)) +
           " ";
}

/// Returns a source predicate, which may be negated.
std::string PtxBody::random_negation() {
    return (random_.percent(30) ? "!" : "") + name_of(pick_register(RegisterKind::predicate));
}

static std::string format_hex(u64 value) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", value);
    return text;
}

Reg PtxBody::emit_word(u32 value) {
    return emit_to_new_register(RegisterKind::word, "mov.u32 $, $", {format_hex(value)});
}

// ---- lane by lane ----

std::string PtxBody::random_literal(const LaneInstruction& instruction, RegisterKind kind) {
    static const std::vector<u64> edge_values = {
        0,    1,    2,      3,      7,      31,      32,         63,         64,        0x7f,
        0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff};
    char text[40];
    if (instruction.literal_kind == 'f') {
        std::snprintf(text, sizeof text, "0f%08X",
                      random_.pick({0x3f800000u, 0xbf000000u, 0u, 0x80000000u, 0x7f800000u,
                                    0x00000001u, 0x40490fdbu, 0x4b000000u, 0x7fc00000u}));
        return text;
    }
    if (instruction.literal_kind == 'd') {
        std::snprintf(text, sizeof text, "0d%016llX",
                      random_.pick({0x3ff0000000000000ull, 0xbfe0000000000000ull, 0ull,
                                    0x400921fb54442d18ull, 0x7ff0000000000000ull, 1ull}));
        return text;
    }
    u64 value = random_.percent(70) ? random_.pick(edge_values) : random_.next();
    if (kind == RegisterKind::half) value &= 0xffff;
    if (kind == RegisterKind::word) value &= 0xffffffff;
    return format_hex(value);
}

void PtxBody::emit_lane_instruction() {
    const auto& list = random_.percent(45) ? everyday_instructions() : lane_instructions();
    const LaneInstruction* i = &random_.pick(list);
    while (i->is_approximate && !environment_.features.uses_approximate_instructions)
        i = &random_.pick(list);

    using Result = LaneInstruction::Result;
    const std::string name = i->name;
    std::string source_operands;
    const u32 literal_index =
        i->literal_kind && random_.percent(25) ? random_.below(i->source_count * 2) : ~0u;
    for (u32 k = 0; k < i->source_count; ++k) {
        // Use at most one literal, since ptxas would fold two of them into one.
        const bool is_literal = k == literal_index && k > 0;
        source_operands += ", " + (is_literal ? random_literal(*i, i->source_kinds[k])
                                              : name_of(pick_register(i->source_kinds[k])));
    }
    if (i->ends_in_predicate) {
        const bool may_negate = name.starts_with("setp");
        source_operands += (may_negate && random_.percent(25) ? ", !" : ", ") +
                           name_of(pick_register(RegisterKind::predicate));
    }
    if (*i->last_operand) source_operands += std::string(", ") + i->last_operand;

    std::string guard;
    const RegisterKind kind =
        i->result == Result::value ? i->destination_kind : RegisterKind::predicate;
    std::optional<Reg> to;
    const bool cannot_be_portable_with_guard =
        name.starts_with("set.") || name.starts_with("testp.");
    const bool may_guard = !(environment_.features.is_portable && cannot_be_portable_with_guard);
    if (may_guard && random_.percent(15) && (to = pick_existing_variable(kind)))
        guard = random_guard();
    if (!to) to = pick_destination(kind);
    std::string destination_operands = name_of(*to);
    if (i->result == Result::two_predicates && random_.percent(60)) {
        std::optional<Reg> second =
            guard.empty() ? pick_destination(kind) : pick_existing_variable(kind);
        if (second && *second != *to) destination_operands += "|" + name_of(*second);
    }
    emit("$$ $$", {guard, name, destination_operands, source_operands});
}

// ---- values that prologues compute ----

/// Generates computations on values that are uniform across some set of threads. The results are
/// uniform across the same set.
void PtxBody::emit_uniform_computations(std::vector<Reg>& uniform_registers,
                                        const std::vector<std::string>& operations, u32 count) {
    for (u32 k = 0; k < count; ++k) {
        const Reg a = pick_mostly_recent(random_, uniform_registers);
        const std::string b = random_.percent(50)
                                  ? format_hex(random_.below(70))
                                  : name_of(pick_mostly_recent(random_, uniform_registers));
        uniform_registers.push_back(emit_to_pickable_register(
            RegisterKind::word, random_.pick(operations) + " $, $, $", {a, b}));
    }
}

void PtxBody::emit_uniform_values(u32 count) {
    emit_uniform_computations(
        available_registers.uniform_words,
        {"add.s32", "sub.s32", "mul.lo.s32", "xor.b32", "and.b32", "min.u32", "max.s32", "shl.b32"},
        count);
}

void PtxBody::emit_position_values(u32 count) {
    emit_uniform_computations(
        available_registers.position_words,
        {"add.s32", "mul.lo.s32", "xor.b32", "and.b32", "or.b32", "min.u32", "shr.u32"}, count);
}

void PtxBody::emit_special_register_read() {
    // The prefix gives the scope: b = the same for all threads of a block, p = the same in every
    // block, d = specific to this device.
    static const std::vector<const char*> words = {"p%tid.x",
                                                   "p%tid.y",
                                                   "p%tid.z",
                                                   "b%ntid.x",
                                                   "b%ntid.y",
                                                   "b%ntid.z",
                                                   "b%ctaid.x",
                                                   "b%ctaid.y",
                                                   "b%nctaid.x",
                                                   "b%nctaid.z",
                                                   "p%laneid",
                                                   "p%lanemask_eq",
                                                   "p%lanemask_lt",
                                                   "p%lanemask_le",
                                                   "p%lanemask_gt",
                                                   "p%lanemask_ge",
                                                   "d%warpid",
                                                   "d%nwarpid",
                                                   "d%smid",
                                                   "d%nsmid",
                                                   "b%dynamic_smem_size",
                                                   "d%total_smem_size",
                                                   "b%cluster_ctarank",
                                                   "b%cluster_nctarank",
                                                   "b%clusterid.x",
                                                   "b%nclusterid.x",
                                                   "b%cluster_ctaid.x"};
    const char* const name = random_.pick(words);
    const char uniformity_prefix = name[0];
    if (uniformity_prefix == 'd' && environment_.features.is_portable) return;
    const bool uses_new_register = random_.percent(60);
    const Reg d = uses_new_register ? make_register(RegisterKind::word)
                                    : pick_destination(RegisterKind::word);
    emit("mov.u32 $, $", {d, name + 1});
    if (uses_new_register && uniformity_prefix == 'b')
        available_registers.uniform_words.push_back(d);
    if (uses_new_register && uniformity_prefix == 'p')
        available_registers.position_words.push_back(d);
}

// ---- shapes ----

/// Generates a copy of a register, or a chain of copies, and changes the register before the copy
/// is used.
void PtxBody::emit_copies() {
    const RegisterKind kind =
        random_.pick({RegisterKind::half, RegisterKind::word, RegisterKind::word,
                      RegisterKind::wide, RegisterKind::predicate});
    const std::string move_opcode = move_instruction(kind);
    const Reg copied_register = pick_existing_variable(kind).value_or(pick_register(kind));
    Reg last_copy = copied_register;
    std::vector<Reg> copies;
    for (u32 k = random_.between(1, 4); k > 0; --k) {
        Reg new_copy = pick_destination(kind);
        if (new_copy == copied_register) new_copy = make_register(kind);
        emit("$$, $", {move_opcode, new_copy, last_copy});
        copies.push_back(new_copy);
        last_copy = new_copy;
    }
    const auto& variables = variables_by_kind_[static_cast<int>(kind)];
    const bool is_copied_register_variable = std::ranges::count(variables, copied_register) > 0;
    if (is_copied_register_variable && random_.percent(70)) {
        const std::string guard = random_.percent(40) ? random_guard() : "";
        if (kind == RegisterKind::predicate)
            emit("$not.pred $, $", {guard, copied_register, pick_register(kind)});
        else
            emit("$add.s$$, $, $", {guard, bits_of(kind), copied_register, copied_register,
                                    format_hex(random_.below(9) + 1)});
    }
    if (random_.percent(70)) fold_into_accumulator(random_.pick(copies));
}

/// Generates an addition of several words: add.cc, addc.cc ..., addc.
void PtxBody::emit_carry_chain() {
    const bool is_wide = random_.percent(30);
    const RegisterKind kind = is_wide ? RegisterKind::wide : RegisterKind::word;
    const std::string type =
        is_wide ? random_.pick({".u64", ".s64"}) : random_.pick({".u32", ".s32"});
    const u32 operation_form = random_.below(3);
    const u32 word_count = random_.between(2, 4);
    for (u32 k = 0; k < word_count; ++k) {
        const bool is_first_word = k == 0, is_last_word = k + 1 == word_count;
        const std::string product_half = random_.percent(50) ? ".lo" : ".hi";
        std::string opcode = operation_form == 0 ? "add" : operation_form == 1 ? "sub" : "mad";
        if (!is_first_word) opcode += "c";
        if (operation_form == 2) opcode += product_half;
        if (!is_last_word) opcode += ".cc";
        const std::string a = name_of(pick_register(kind)), b = name_of(pick_register(kind)),
                          c = name_of(pick_register(kind));
        const std::string d = name_of(pick_destination(kind));
        emit("$$ $, $, $$", {opcode, type, d, a, b, operation_form == 2 ? ", " + c : ""});
    }
}

/// Generates two instructions that write the same register. One executes in the lanes in which a
/// predicate is true, and the other in the lanes in which the predicate is false.
void PtxBody::emit_writes_with_opposite_guards() {
    const RegisterKind kind =
        random_.pick({RegisterKind::half, RegisterKind::word, RegisterKind::wide});
    const std::string move_opcode = move_instruction(kind);
    const Reg p = pick_register(RegisterKind::predicate);
    const Reg a = pick_register(kind), b = pick_register(kind);
    const Reg d = random_.percent(50) ? text_.make_register_of(kind) : pick_destination(kind);
    const bool writes_true_lanes_first = random_.percent(50);
    emit("$$ $$, $", {writes_true_lanes_first ? "@" : "@!", p, move_opcode, d, a});
    // Between the two instructions, the register has been written only for some lanes. In the
    // meantime, nothing may read the register or change the predicate.
    for (u32 k = random_.below(3); k > 0; --k)
        emit("add.s32 $, $, $", {make_register(RegisterKind::word), accumulator_registers[0],
                                 format_hex(random_.below(100))});
    emit("$$ $$, $", {writes_true_lanes_first ? "@!" : "@", p, move_opcode, d, b});
    available_registers.add(d);
}

/// Generates a write to a register that executes only if a predicate is true, or a read of such a
/// register under the same predicate.
void PtxBody::emit_guarded_write_or_read() {
    if (!available_registers.conditionally_written.empty() && random_.percent(60)) {
        const auto& c = random_.pick(available_registers.conditionally_written);
        const std::optional<Reg> to = pick_existing_variable(RegisterKind::word);
        if (!to) return;
        emit("$$ add.s32 $, $, $", {c.is_predicate_negated ? "@!" : "@", c.predicate, *to,
                                    c.guarded_register, pick_register(RegisterKind::word)});
        return;
    }
    Reg p;
    if (available_registers.written_once_predicates.empty() || random_.percent(50)) {
        p = make_register(RegisterKind::predicate);
        available_registers.written_once_predicates.push_back(p);
        const Reg a = pick_register(RegisterKind::word), b = pick_register(RegisterKind::word);
        emit("setp.lt.u32 $, $, $", {p, a, b});
    } else {
        p = random_.pick(available_registers.written_once_predicates);
    }
    const Reg d = text_.make_register_of(RegisterKind::word);
    const bool is_guard_negated = random_.percent(30);
    emit("$$ xor.b32 $, $, $",
         {is_guard_negated ? "@!" : "@", p, d, pick_register(RegisterKind::word),
          pick_register(RegisterKind::word)});
    available_registers.conditionally_written.push_back({d, p, is_guard_negated});
}

/// Generates instructions that assemble a register from its parts, or split it into parts.
void PtxBody::emit_pack_and_unpack() {
    struct RegisterSplit {
        const char* type;
        RegisterKind whole_kind, part_kind;
        u32 count;
    };
    static constexpr RegisterSplit kRegisterSplits[] = {
        {"b64", RegisterKind::wide, RegisterKind::word, 2},
        {"b32", RegisterKind::word, RegisterKind::half, 2},
        {"b64", RegisterKind::wide, RegisterKind::half, 4}};
    const u32 split_choice = random_.below(6);
    const auto& [type, whole_kind, part_kind, count] = kRegisterSplits[split_choice % 3];
    if (split_choice < 3) {
        const std::string parts = pick_register_list(part_kind, count, false);
        return emit("mov.$ $, $", {type, pick_destination(whole_kind), parts});
    }
    const Reg from = pick_register(whole_kind);
    std::string parts = "{" + name_of(pick_destination(part_kind));
    for (u32 k = 1; k < count; ++k) parts += ", " + name_of(make_register(part_kind));
    emit("mov.$ $}, $", {type, parts, from});
}

// ---- results of the kernel ----

void PtxBody::fold_into_accumulator(Reg reg) {
    Reg word = reg;
    if (reg.kind == RegisterKind::predicate) {
        word = text_.make_register_of(RegisterKind::word);
        emit("selp.b32 $, 0x5bd1e995, 7, $", {word, reg});
    } else if (reg.kind == RegisterKind::half) {
        word = text_.make_register_of(RegisterKind::word);
        emit("cvt.u32.u16 $, $", {word, reg});
    } else if (reg.kind == RegisterKind::wide) {
        const Reg low_word = text_.make_register_of(RegisterKind::word),
                  high_word = text_.make_register_of(RegisterKind::word);
        word = text_.make_register_of(RegisterKind::word);
        emit("mov.b64 {$, $}, $", {low_word, high_word, reg});
        emit("mad.lo.s32 $, $, 0x9e3779b1, $", {word, high_word, low_word});
    }
    const Reg accumulator = random_.pick(accumulator_registers);
    emit("mad.lo.s32 $, $, 0x01000193, $", {accumulator, accumulator, word});
}

void PtxBody::fold_random_registers(u32 count) {
    for (u32 k = 0; k < count; ++k)
        fold_into_accumulator(
            pick_register(random_.pick({RegisterKind::word, RegisterKind::word, RegisterKind::wide,
                                        RegisterKind::half, RegisterKind::predicate})));
}

Reg PtxBody::random_predicate(bool is_uniform) {
    if (!is_uniform && random_.percent(50)) return pick_register(RegisterKind::predicate);
    const Reg p = make_register(RegisterKind::predicate),
              bits = text_.make_register_of(RegisterKind::word);
    const Reg a = is_uniform            ? pick_uniform_register()
                  : random_.percent(40) ? available_registers.position_words.back()
                                        : pick_register(RegisterKind::word);
    if (random_.percent(50)) {
        emit("and.b32 $, $, $", {bits, a, format_hex(1ull << random_.below(4))});
        emit("setp.ne.s32 $, $, 0", {p, bits});
    } else {
        emit("and.b32 $, $, 31", {bits, a});
        emit("setp.lt.u32 $, $, $", {p, bits, format_hex(random_.below(33))});
    }
    return p;
}

}  // namespace coalesce::campaign
