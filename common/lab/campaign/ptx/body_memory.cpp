// Generates loads, stores and atomics.
//
// Rules  A thread writes only its own memory: its words of `out`, its bytes of `scratch`, its slot
//        of shared memory, its local array. All threads may read `in`, tables and, between two
//        barriers, the tile. Memory that several threads change is changed only by atomics whose
//        order does not matter.
#include "lab/campaign/ptx/body.h"

namespace coalesce::campaign {

// ---- addresses ----

/// Returns a register that holds a random index below `count`, a power of two.
Reg PtxBody::emit_index_below(u32 count) {
    const u32 index_choice = random_.below(100);
    Reg from;
    if (index_choice < 35 && !available_registers.position_words
                                  .empty()) {  // neighbouring threads have neighbouring indices
        const Reg base_index = random_.percent(70)
                                   ? environment_.thread_index
                                   : random_.pick(available_registers.position_words);
        from = emit_to_new_register(RegisterKind::word, "add.s32 $, $, $",
                                    {base_index, random_.below(40)});
    } else if (index_choice < 55 &&
               !available_registers.position_words.empty()) {  // indices at a stride
        from = emit_to_new_register(
            RegisterKind::word, "mad.lo.s32 $, $, $, $",
            {environment_.thread_index, random_.pick({2u, 3u, 4u, 8u, 17u, 32u, 33u}),
             pick_uniform_register()});
    } else {
        from = index_choice < 75 ? pick_uniform_register() : pick_register(RegisterKind::word);
    }
    return emit_to_new_register(RegisterKind::word, "and.b32 $, $, $", {from, count - 1});
}

Reg PtxBody::emit_scaled_index(Reg index, u32 element_bytes) {
    if (random_.percent(50) && (element_bytes & (element_bytes - 1)) == 0)
        return emit_to_new_register(RegisterKind::word, "shl.b32 $, $, $",
                                    {index, static_cast<u32>(__builtin_ctz(element_bytes))});
    return emit_to_new_register(RegisterKind::word, "mul.lo.s32 $, $, $", {index, element_bytes});
}

/// Returns a register that holds the 32-bit address `offset` bytes after the start of an array.
Reg PtxBody::emit_array_address(const char* array_name, Reg offset) {
    const Reg base = emit_to_new_register(RegisterKind::word, "mov.u32 $, $", {array_name});
    return emit_to_new_register(RegisterKind::word, "add.s32 $, $, $", {base, offset});
}

/// Returns a register that holds the 64-bit address base + index * bytes.
Reg PtxBody::emit_indexed_address(Reg base_address, Reg index, u32 element_bytes) {
    if (random_.percent(50))
        return emit_to_new_register(RegisterKind::wide, "mad.wide.u32 $, $, $, $",
                                    {index, element_bytes, base_address});
    const Reg offset =
        emit_to_new_register(RegisterKind::wide, "mul.wide.u32 $, $, $", {index, element_bytes});
    return emit_to_new_register(RegisterKind::wide, "add.s64 $, $, $", {base_address, offset});
}

// ---- one access of any width ----

/// Returns a type of `bytes` bytes that a register of this kind can load or store.
static std::string random_memory_type(Random& random, u32 bytes, RegisterKind kind, bool is_store) {
    const std::string bits = format_number(8 * bytes);
    if (is_store) return ".b" + bits;
    if (kind == RegisterKind::word && bytes == 4)
        return random.pick({".b32", ".u32", ".s32", ".f32"});
    if (kind == RegisterKind::wide && bytes == 8)
        return random.pick({".b64", ".u64", ".s64", ".f64"});
    return random.pick({".b", ".u", ".s"}) + bits;
}

static RegisterKind random_kind_for_bytes(Random& random, u32 bytes) {
    if (bytes == 8) return RegisterKind::wide;
    if (bytes == 4) return random.percent(85) ? RegisterKind::word : RegisterKind::wide;
    return random.pick(
        {RegisterKind::half, RegisterKind::word, RegisterKind::word, RegisterKind::wide});
}

static std::string random_strong_qualifier(Random& random, bool is_store) {
    if (random.percent(25)) return ".volatile";
    const std::string order = random.percent(60) ? ".relaxed" : is_store ? ".release" : ".acquire";
    return order + random.pick({".cta", ".gpu", ".sys"});
}

static std::string random_cache_operator(Random& random, const std::string& space, bool is_store,
                                         bool is_read_only) {
    const bool is_global_memory = space == ".global";
    if (is_store) return random.pick({"", ".wb", ".cg", ".cs", ".wt"});
    if (is_global_memory && is_read_only && random.percent(40))
        return random.pick({".nc", ".nc.L1::evict_last", ".nc.L2::128B", ".nc"});
    if (is_global_memory && random.percent(20))
        return random.pick({".L1::evict_first", ".L1::no_allocate", ".L2::64B", ".L2::256B"});
    return random.pick({"", ".ca", ".cg", ".cs", ".lu", ".cv"});
}

void PtxBody::emit_access(const AccessibleMemory& memory, bool is_store) {
    u32 bytes = random_.pick({1u, 2u, 4u, 4u, 4u, 8u, 8u}),
        count = random_.pick({1u, 1u, 1u, 2u, 4u});
    while (bytes * count > 16 || bytes * count > memory.bytes) {
        if (count > 1)
            count /= 2;
        else
            bytes /= 2;
    }
    RegisterKind kind = random_kind_for_bytes(random_, bytes);
    if (environment_.features.is_portable && is_store)
        kind = bytes == 8   ? RegisterKind::wide
               : bytes == 2 ? RegisterKind::half
                            : RegisterKind::word;
    const u32 access_bytes = bytes * count;
    const u32 byte_offset =
        memory.first_offset + random_.below(memory.bytes / access_bytes) * access_bytes;
    std::string instruction_modifiers;
    if (memory.may_have_strong_accesses && environment_.features.uses_strong_accesses &&
        random_.percent(40))
        instruction_modifiers = random_strong_qualifier(random_, is_store) + memory.state_space;
    else if (memory.may_have_cache_operator && random_.percent(30))
        instruction_modifiers =
            memory.state_space +
            random_cache_operator(random_, memory.state_space, is_store, memory.is_read_only);
    else
        instruction_modifiers = memory.state_space;
    if (count > 1) instruction_modifiers += ".v" + format_number(count);
    instruction_modifiers += random_memory_type(random_, bytes, kind, is_store);
    const std::string address =
        "[" + memory.base_address + (byte_offset ? "+" + format_number(byte_offset) : "") + "]";

    std::string guard, register_list;
    const bool may_have_guard = random_.percent(15);
    for (u32 k = 0; k < count; ++k) {
        Reg r;
        if (is_store) {
            r = pick_register(kind);
        } else {
            std::optional<Reg> old_variable =
                may_have_guard && count == 1 ? pick_existing_variable(kind) : std::nullopt;
            if (old_variable) guard = random_guard();
            r = old_variable ? *old_variable
                : count == 1 ? pick_destination(kind)
                             : make_register(kind);
        }
        register_list += (k ? ", " : "") + name_of(r);
    }
    if (is_store && may_have_guard) guard = random_guard();
    if (count > 1) register_list = "{" + register_list + "}";
    emit("$$",
         {guard, is_store ? "st" + instruction_modifiers + " " + address + ", " + register_list
                          : "ld" + instruction_modifiers + " " + register_list + ", " + address});
}

// ---- places ----

void PtxBody::emit_input_load() {
    const u32 size = random_.pick({1u, 2u, 4u, 4u, 8u, 16u});
    const bool is_generic_address =
        environment_.features.uses_generic_addresses && random_.percent(30);
    const Reg input_base_address =
        is_generic_address ? *environment_.generic_input_address : *environment_.input_address;
    const u32 first_offset = random_.below(2048 / 16 - 1) * 16;
    const bool is_address_fixed = random_.percent(20);
    const Reg load_address =
        is_address_fixed
            ? input_base_address
            : emit_indexed_address(input_base_address, emit_index_below(2048 / size), size);
    emit_access({.state_space = is_generic_address ? "" : ".global",
                 .base_address = name_of(load_address),
                 .first_offset = first_offset,
                 .bytes = is_address_fixed ? 16 : size,
                 .is_read_only = true,
                 .may_have_cache_operator = !is_generic_address,
                 .may_have_strong_accesses = !is_generic_address},
                false);
}

void PtxBody::emit_own_memory_access() {
    const bool is_store = random_.percent(55);
    const u32 memory_choice = random_.below(100);
    AccessibleMemory memory{.state_space = ".global",
                            .may_have_cache_operator = true,
                            .may_have_strong_accesses = true};
    // Neighbouring threads access neighbouring words, one word per thread.
    if (memory_choice < 35 && environment_.interleaved_out_address) {
        memory.base_address = name_of(*environment_.interleaved_out_address);
        memory.first_offset = random_.below(16) * 4 * environment_.launch.total_threads();
        memory.bytes = 4;
    } else if (memory_choice < 60 && environment_.own_out_address) {
        memory.base_address = name_of(*environment_.own_out_address);
        memory.bytes = 64;
    } else if (memory_choice < 75 && environment_.generic_local_address) {
        const bool is_generic_address =
            environment_.features.uses_generic_addresses && random_.percent(40);
        const u32 size = random_.pick({1u, 4u, 8u, 16u});
        memory = {.state_space = is_generic_address ? "" : ".local",
                  .base_address = "array",
                  .bytes = size};
        if (is_generic_address)
            memory.base_address = name_of(emit_indexed_address(*environment_.generic_local_address,
                                                               emit_index_below(64 / size), size));
        else if (random_.percent(50))
            memory.bytes = 64;
        else
            memory.base_address = name_of(
                emit_array_address("array", emit_scaled_index(emit_index_below(64 / size), size)));
    } else if (environment_.own_scratch_address) {
        const bool is_generic_address =
            environment_.features.uses_generic_addresses && random_.percent(30);
        const Reg base = is_generic_address ? *environment_.generic_own_scratch_address
                                            : *environment_.own_scratch_address;
        if (is_generic_address) memory = {};
        memory.base_address = name_of(base);
        memory.bytes = 48;
        if (random_.percent(30)) {
            const u32 size = random_.pick({1u, 2u, 4u, 8u, 16u});
            memory.base_address =
                name_of(emit_indexed_address(base, emit_index_below(32 / size), size));
            memory.bytes = size;
        }
    } else {
        return;
    }
    emit_access(memory, is_store);
}

void PtxBody::emit_table_read() {
    if (environment_.generic_table_address && environment_.features.uses_generic_addresses &&
        random_.percent(40)) {
        const Reg load_address =
            emit_indexed_address(*environment_.generic_table_address, emit_index_below(16), 16);
        return emit_access({.base_address = name_of(load_address), .bytes = 16}, false);
    }
    const bool is_address_fixed = random_.percent(50), is_in_global_memory = random_.percent(40);
    AccessibleMemory memory{.state_space = is_in_global_memory ? ".global" : ".const",
                            .base_address = is_in_global_memory ? "variable" : "table",
                            .bytes = 256};
    if (!is_address_fixed) {
        const Reg base =
            emit_to_new_register(RegisterKind::wide, "mov.u64 $, $", {memory.base_address});
        const u32 size = random_.pick({1u, 4u, 8u});
        memory.base_address =
            name_of(emit_indexed_address(base, emit_index_below(256 / size), size));
        memory.bytes = size;
    }
    emit_access(memory, false);
}

void PtxBody::emit_own_shared_access() {
    AccessibleMemory memory{.state_space = ".shared",
                            .base_address = name_of(*environment_.own_shared_address),
                            .bytes = 16,
                            .may_have_strong_accesses = true};
    if (environment_.features.uses_generic_addresses && random_.percent(30)) {
        memory = {.base_address = name_of(*environment_.generic_own_shared_address), .bytes = 16};
    } else if (!random_.percent(70)) {
        const u32 size = random_.pick({1u, 2u, 4u, 8u});
        const Reg offset = emit_scaled_index(emit_index_below(16 / size), size);
        memory.base_address = name_of(emit_to_new_register(
            RegisterKind::word, "add.s32 $, $, $", {*environment_.own_shared_address, offset}));
        memory.bytes = size;
    }
    emit_access(memory, random_.percent(50));
}

/// Emits a load of a random element of the tile that the last exchange wrote, if there was one.
void PtxBody::emit_tile_read() {
    u32 size = random_.pick({1u, 2u, 4u, 4u, 8u, 16u});
    while (size > available_registers.written_tile_bytes) size /= 2;
    if (size == 0) return;
    u32 count = 1;
    while (count * 2 * size <= available_registers.written_tile_bytes) count *= 2;
    const Reg element_address =
        emit_array_address("tile", emit_scaled_index(emit_index_below(count), size));
    emit_access({.state_space = ".shared",
                 .base_address = name_of(element_address),
                 .bytes = size,
                 .may_have_strong_accesses = true},
                false);
}

// ---- atomics ----

namespace {

/// Some words of `sums`, and the only operation that may change them.
struct SumOperation {
    const char* operation;
    const char* type;
    u32 first_word, word_count;  ///< the first of these words, and their number
};
constexpr SumOperation kSumOperations[] = {
    {"add", "u32", 0, 8},  {"add", "s32", 0, 8},  {"max", "u32", 8, 4},  {"max", "s32", 12, 2},
    {"min", "s32", 14, 2}, {"or", "b32", 16, 4},  {"xor", "b32", 20, 4}, {"add", "u64", 24, 4},
    {"max", "u64", 28, 2}, {"max", "s64", 30, 2}, {"min", "s64", 32, 2}, {"or", "b64", 34, 2},
    {"xor", "b64", 36, 4}, {"inc", "u32", 40, 1}, {"dec", "u32", 41, 1}, {"add", "f32", 42, 2},
    {"add", "f64", 44, 2}, {"and", "b32", 46, 1}, {"min", "u32", 47, 1}, {"and", "b64", 48, 2},
    {"min", "u64", 50, 2},
};

/// Returns the order and the scope of an atomic. The scope may be a single block only if no other
/// block uses the same memory.
std::string random_order_and_scope(Random& random, bool may_be_strong, bool returns_old_value,
                                   bool is_used_by_one_block) {
    const std::string scope =
        is_used_by_one_block && random.percent(33) ? ".cta" : random.pick({".gpu", ".sys"});
    if (!may_be_strong || random.percent(50)) return random.percent(40) ? "" : scope;
    const std::string order = returns_old_value
                                  ? random.pick({".relaxed", ".acquire", ".release", ".acq_rel"})
                                  : random.pick({".relaxed", ".release"});
    return order + scope;
}

}  // namespace

/// Emits `red` on words that all threads share, or sometimes an `atom` whose result is unused.
void PtxBody::emit_atomics_on_sums() {
    const bool uses_shared_sums = environment_.features.has_sums_in_shared_memory &&
                                  (!environment_.features.uses_sums || random_.percent(50));
    if (!uses_shared_sums && !environment_.features.uses_sums) return;
    const SumOperation& c = kSumOperations[random_.below(std::size(kSumOperations))];
    const std::string type = c.type;
    const bool is_wide = type.ends_with("64");
    const u32 size = is_wide ? 8 : 4;
    if (uses_shared_sums && c.first_word + c.word_count > 32) return;

    std::string value;
    if (type == "f32" || type == "f64") {  // small integers, whose sums are exact
        const Reg v = text_.make_register_of(is_wide ? RegisterKind::wide : RegisterKind::word);
        const Reg small_integer = emit_to_new_register(RegisterKind::word, "and.b32 $, $, 15",
                                                       {pick_register(RegisterKind::word)});
        emit("cvt.rn.$.u32 $, $", {type, v, small_integer});
        value = name_of(v);
    } else if (type == "u32" && (c.operation[0] == 'i' || c.operation[0] == 'd')) {
        value = "12";  // inc and dec need the same limit in all threads
    } else {
        value = name_of(pick_register(is_wide ? RegisterKind::wide : RegisterKind::word));
    }
    const u32 words = c.word_count / (size / 4);
    u32 offset = 4 * c.first_word + size * random_.below(words);
    std::string base = uses_shared_sums ? "sums_here" : name_of(*environment_.sums_address);
    if (words > 1 && (words & (words - 1)) == 0 && random_.percent(50)) {
        const Reg index = emit_index_below(words);
        base = name_of(uses_shared_sums
                           ? emit_array_address("sums_here", emit_scaled_index(index, size))
                           : emit_indexed_address(*environment_.sums_address, index, size));
        offset = 4 * c.first_word;
    }
    const std::string address = fill_operands("[$+$]", {base, offset});
    const bool returns_old_value = random_.percent(15);
    const std::string modifiers =
        random_order_and_scope(random_, environment_.features.uses_strong_accesses,
                               returns_old_value, uses_shared_sums) +
        (uses_shared_sums ? ".shared." : ".global.") + c.operation + "." + type;
    const std::string guard = random_.percent(30) ? random_guard() : "";
    if (returns_old_value)
        emit("$atom$ $, $, $",
             {guard, modifiers,
              text_.make_register_of(is_wide ? RegisterKind::wide : RegisterKind::word), address,
              value});
    else
        emit("$red$ $, $", {guard, modifiers, address, value});
}

const std::vector<std::string> kAtomicOperations = {
    "add.u32", "add.s32", "add.u64",       "add.f32",        "add.f64",         "min.u32",
    "min.s32", "min.u64", "min.s64",       "max.u32",        "max.s32",         "max.u64",
    "max.s64", "and.b32", "and.b64",       "or.b32",         "or.b64",          "xor.b32",
    "xor.b64", "inc.u32", "dec.u32",       "exch.b32",       "exch.b64",        "cas.b16",
    "cas.b32", "cas.b64", "add.noftz.f16", "add.noftz.bf16", "add.noftz.f16x2", "add.noftz.bf16x2"};

/// Emits atomics on the thread's own memory. Any operation is allowed, and its result is used.
void PtxBody::emit_own_atomics() {
    const std::string operation = random_.pick(kAtomicOperations);
    const std::string type = operation.substr(operation.rfind('.') + 1);
    const RegisterKind kind = type.ends_with("64") ? RegisterKind::wide
                              : type == "b16" || type == "f16" || type == "bf16"
                                  ? RegisterKind::half
                                  : RegisterKind::word;
    const u32 size = kind == RegisterKind::wide ? 8 : kind == RegisterKind::half ? 2 : 4;
    const bool is_in_shared_memory = environment_.own_shared_address && random_.percent(50);
    if (!is_in_shared_memory && !environment_.own_scratch_address) return;
    const bool is_generic_address =
        environment_.features.uses_generic_addresses && random_.percent(25);
    const std::string state_space = is_generic_address    ? ""
                                    : is_in_shared_memory ? ".shared"
                                                          : ".global";
    const Reg base = is_in_shared_memory
                         ? (is_generic_address ? *environment_.generic_own_shared_address
                                               : *environment_.own_shared_address)
                         : (is_generic_address ? *environment_.generic_own_scratch_address
                                               : *environment_.own_scratch_address);
    const std::string address = fill_operands("[$+$]", {base, size * random_.below(16 / size)});

    Reg value = pick_register(kind);
    if (type[0] == 'f' || (type[0] == 'b' && type[1] == 'f')) {  // sometimes small numbers
        const auto make_small_value = [&] {
            const Reg v = text_.make_register_of(kind);
            const Reg bits = emit_to_new_register(RegisterKind::word, "and.b32 $, $, 63",
                                                  {pick_register(RegisterKind::word)});
            if (type.ends_with("x2")) {
                const Reg half_register = text_.make_register_of(RegisterKind::half);
                emit("cvt.rn.$.u32 $, $", {type.substr(0, type.size() - 2), half_register, bits});
                emit("mov.b32 $, {$, $}", {v, half_register, half_register});
            } else {
                emit("cvt.rn.$.u32 $, $", {type, v, bits});
            }
            return v;
        };
        emit("st$.b$ $, $", {state_space, 8 * size, address, make_small_value()});
        value = make_small_value();
    }
    std::string values = name_of(value);
    if (operation.starts_with("cas")) {
        // In half of all cases, store the compared value first, so that the comparison succeeds.
        if (random_.percent(50)) emit("st$.$ $, $", {state_space, type, address, values});
        values += ", " + name_of(pick_register(kind));
    }
    const bool can_be_reduction = !operation.starts_with("exch") && !operation.starts_with("cas");
    const bool returns_old_value = !can_be_reduction || random_.percent(70);
    const std::string modifiers =
        random_order_and_scope(random_, environment_.features.uses_strong_accesses,
                               returns_old_value, true) +
        state_space + "." + operation + " ";
    if (!returns_old_value) {
        return emit("$red$$, $",
                    {random_.percent(20) ? random_guard() : "", modifiers, address, values});
    }
    const std::optional<Reg> old_variable =
        random_.percent(20) ? pick_existing_variable(kind) : std::nullopt;
    const std::string guard = old_variable ? random_guard() : "";
    emit("$atom$$, $, $", {guard, modifiers, old_variable ? *old_variable : pick_destination(kind),
                           address, values});
}

/// Emits instructions that change no value, such as prefetches and fences.
void PtxBody::emit_cache_hints() {
    const auto in = [&] {
        return fill_operands("[$+$]", {*environment_.input_address, 16 * random_.below(64)});
    };
    switch (random_.below(9)) {
        case 0: emit("prefetch.global.L1 $", {in()}); return;
        case 1: emit("prefetch.global.L2 $", {in()}); return;
        case 2: emit("prefetch.global.L2::evict_last $", {in()}); return;
        case 3: emit("prefetchu.L1 [$]", {*environment_.generic_input_address}); return;
        case 4: emit(random_.pick({"membar.cta", "membar.gl", "membar.sys"})); return;
        case 5:
            emit(random_.pick({"fence.sc.cta", "fence.acq_rel.gpu", "fence.sc.sys",
                               "fence.acq_rel.cta", "fence.sc.gpu", "fence.acq_rel.sys"}));
            return;
        case 6: emit("nanosleep.u32 $", {random_.below(40)}); return;
        case 7:
            emit("applypriority.global.L2::evict_normal [$], 128", {*environment_.input_address});
            return;
        default: {
            const Reg d = pick_destination(RegisterKind::word);
            const Reg cache_policy = emit_to_new_register(
                RegisterKind::wide, "createpolicy.fractional.L2::evict_last.b64 $, 0.5");
            emit("ld.global.L2::cache_hint.u32 $, $, $", {d, in(), cache_policy});
        }
    }
}

}  // namespace coalesce::campaign
