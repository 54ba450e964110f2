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
Reg PtxBody::index_below(u32 count) {
    const u32 how = random_.below(100);
    Reg from;
    if (how < 35 &&
        !available_registers.position.empty()) {  // neighbouring threads have neighbouring indices
        const Reg place =
            random_.percent(70) ? env_.thread : random_.pick(available_registers.position);
        from =
            emit_to_new_register(RegisterKind::word, "add.s32 $, $, $", {place, random_.below(40)});
    } else if (how < 55 && !available_registers.position.empty()) {  // indices at a stride
        from = emit_to_new_register(
            RegisterKind::word, "mad.lo.s32 $, $, $, $",
            {env_.thread, random_.pick({2u, 3u, 4u, 8u, 17u, 32u, 33u}), pick_uniform_register()});
    } else {
        from = how < 75 ? pick_uniform_register() : pick_register(RegisterKind::word);
    }
    return emit_to_new_register(RegisterKind::word, "and.b32 $, $, $", {from, count - 1});
}

Reg PtxBody::scaled(Reg index, u32 bytes) {
    if (random_.percent(50) && (bytes & (bytes - 1)) == 0)
        return emit_to_new_register(RegisterKind::word, "shl.b32 $, $, $",
                                    {index, static_cast<u32>(__builtin_ctz(bytes))});
    return emit_to_new_register(RegisterKind::word, "mul.lo.s32 $, $, $", {index, bytes});
}

/// Returns a register that holds the 32-bit address `offset` bytes after the start of an array.
Reg PtxBody::array_element(const char* array, Reg offset) {
    const Reg base = emit_to_new_register(RegisterKind::word, "mov.u32 $, $", {array});
    return emit_to_new_register(RegisterKind::word, "add.s32 $, $, $", {base, offset});
}

/// Returns a register that holds the 64-bit address base + index * bytes.
Reg PtxBody::indexed_address(Reg base, Reg index, u32 bytes) {
    if (random_.percent(50))
        return emit_to_new_register(RegisterKind::wide, "mad.wide.u32 $, $, $, $",
                                    {index, bytes, base});
    const Reg offset =
        emit_to_new_register(RegisterKind::wide, "mul.wide.u32 $, $, $", {index, bytes});
    return emit_to_new_register(RegisterKind::wide, "add.s64 $, $, $", {base, offset});
}

// ---- one access of any width ----

/// Returns a type of `bytes` bytes that a register of this kind can load or store.
static std::string memory_type(Random& random, u32 bytes, RegisterKind kind, bool store) {
    const std::string bits = number(8 * bytes);
    if (store) return ".b" + bits;
    if (kind == RegisterKind::word && bytes == 4)
        return random.pick({".b32", ".u32", ".s32", ".f32"});
    if (kind == RegisterKind::wide && bytes == 8)
        return random.pick({".b64", ".u64", ".s64", ".f64"});
    return random.pick({".b", ".u", ".s"}) + bits;
}

static RegisterKind kind_for(Random& random, u32 bytes) {
    if (bytes == 8) return RegisterKind::wide;
    if (bytes == 4) return random.percent(85) ? RegisterKind::word : RegisterKind::wide;
    return random.pick(
        {RegisterKind::half, RegisterKind::word, RegisterKind::word, RegisterKind::wide});
}

static std::string strong_qualifier(Random& random, bool store) {
    if (random.percent(25)) return ".volatile";
    const std::string order = random.percent(60) ? ".relaxed" : store ? ".release" : ".acquire";
    return order + random.pick({".cta", ".gpu", ".sys"});
}

static std::string cache_operator(Random& random, const std::string& space, bool store,
                                  bool read_only) {
    const bool global = space == ".global";
    if (store) return random.pick({"", ".wb", ".cg", ".cs", ".wt"});
    if (global && read_only && random.percent(40))
        return random.pick({".nc", ".nc.L1::evict_last", ".nc.L2::128B", ".nc"});
    if (global && random.percent(20))
        return random.pick({".L1::evict_first", ".L1::no_allocate", ".L2::64B", ".L2::256B"});
    return random.pick({"", ".ca", ".cg", ".cs", ".lu", ".cv"});
}

void PtxBody::emit_access(const MemoryRegion& place, bool store) {
    u32 bytes = random_.pick({1u, 2u, 4u, 4u, 4u, 8u, 8u}),
        count = random_.pick({1u, 1u, 1u, 2u, 4u});
    while (bytes * count > 16 || bytes * count > place.bytes) {
        if (count > 1)
            count /= 2;
        else
            bytes /= 2;
    }
    RegisterKind kind = kind_for(random_, bytes);
    if (env_.features.is_portable && store)
        kind = bytes == 8   ? RegisterKind::wide
               : bytes == 2 ? RegisterKind::half
                            : RegisterKind::word;
    const u32 whole = bytes * count;
    const u32 offset = place.first + random_.below(place.bytes / whole) * whole;
    std::string modifiers;
    if (place.may_be_strong && env_.features.strong && random_.percent(40))
        modifiers = strong_qualifier(random_, store) + place.space;
    else if (place.cached && random_.percent(30))
        modifiers = place.space + cache_operator(random_, place.space, store, place.read_only);
    else
        modifiers = place.space;
    if (count > 1) modifiers += ".v" + number(count);
    modifiers += memory_type(random_, bytes, kind, store);
    const std::string address = "[" + place.base + (offset ? "+" + number(offset) : "") + "]";

    std::string guarded, registers;
    const bool may_guard = random_.percent(15);
    std::vector<Reg> used;
    for (u32 k = 0; k < count; ++k) {
        Reg r;
        if (store) {
            r = pick_register(kind);
        } else {
            std::optional<Reg> old =
                may_guard && count == 1 ? existing_variable(kind) : std::nullopt;
            if (old) guarded = random_guard();
            r = old ? *old : count == 1 ? pick_destination(kind) : make_register(kind);
        }
        registers += (k ? ", " : "") + name_of(r);
    }
    if (store && may_guard) guarded = random_guard();
    if (count > 1) registers = "{" + registers + "}";
    emit("$$", {guarded, store ? "st" + modifiers + " " + address + ", " + registers
                               : "ld" + modifiers + " " + registers + ", " + address});
}

// ---- places ----

void PtxBody::load_input() {
    const u32 size = random_.pick({1u, 2u, 4u, 4u, 8u, 16u});
    const bool generic = env_.features.generic && random_.percent(30);
    const Reg base = generic ? *env_.in_generic : *env_.in;
    const u32 first = random_.below(2048 / 16 - 1) * 16;
    const bool is_fixed = random_.percent(20);
    const Reg at = is_fixed ? base : indexed_address(base, index_below(2048 / size), size);
    emit_access({.space = generic ? "" : ".global",
                 .base = name_of(at),
                 .first = first,
                 .bytes = is_fixed ? 16 : size,
                 .read_only = true,
                 .cached = !generic,
                 .may_be_strong = !generic},
                false);
}

void PtxBody::emit_own_memory_access() {
    const bool store = random_.percent(55);
    const u32 which = random_.below(100);
    MemoryRegion place{.space = ".global", .cached = true, .may_be_strong = true};
    // Neighbouring threads access neighbouring words, one word per thread.
    if (which < 35 && env_.out_row) {
        place.base = name_of(*env_.out_row);
        place.first = random_.below(16) * 4 * env_.launch.all_threads();
        place.bytes = 4;
    } else if (which < 60 && env_.out_own) {
        place.base = name_of(*env_.out_own);
        place.bytes = 64;
    } else if (which < 75 && env_.local_generic) {
        const bool generic = env_.features.generic && random_.percent(40);
        const u32 size = random_.pick({1u, 4u, 8u, 16u});
        place = {.space = generic ? "" : ".local", .base = "array", .bytes = size};
        if (generic)
            place.base =
                name_of(indexed_address(*env_.local_generic, index_below(64 / size), size));
        else if (random_.percent(50))
            place.bytes = 64;
        else
            place.base = name_of(array_element("array", scaled(index_below(64 / size), size)));
    } else if (env_.scratch) {
        const bool generic = env_.features.generic && random_.percent(30);
        const Reg base = generic ? *env_.scratch_generic : *env_.scratch;
        if (generic) place = {};
        place.base = name_of(base);
        place.bytes = 48;
        if (random_.percent(30)) {
            const u32 size = random_.pick({1u, 2u, 4u, 8u, 16u});
            place.base = name_of(indexed_address(base, index_below(32 / size), size));
            place.bytes = size;
        }
    } else {
        return;
    }
    emit_access(place, store);
}

void PtxBody::emit_table_read() {
    if (env_.table_generic && env_.features.generic && random_.percent(40)) {
        const Reg at = indexed_address(*env_.table_generic, index_below(16), 16);
        return emit_access({.base = name_of(at), .bytes = 16}, false);
    }
    const bool is_fixed = random_.percent(50), global = random_.percent(40);
    MemoryRegion place{.space = global ? ".global" : ".const",
                       .base = global ? "variable" : "table",
                       .bytes = 256};
    if (!is_fixed) {
        const Reg base = emit_to_new_register(RegisterKind::wide, "mov.u64 $, $", {place.base});
        const u32 size = random_.pick({1u, 4u, 8u});
        place.base = name_of(indexed_address(base, index_below(256 / size), size));
        place.bytes = size;
    }
    emit_access(place, false);
}

void PtxBody::emit_own_shared_access() {
    MemoryRegion place{
        .space = ".shared", .base = name_of(*env_.own_shared), .bytes = 16, .may_be_strong = true};
    if (env_.features.generic && random_.percent(30)) {
        place = {.base = name_of(*env_.own_shared_generic), .bytes = 16};
    } else if (!random_.percent(70)) {
        const u32 size = random_.pick({1u, 2u, 4u, 8u});
        const Reg offset = scaled(index_below(16 / size), size);
        place.base = name_of(emit_to_new_register(RegisterKind::word, "add.s32 $, $, $",
                                                  {*env_.own_shared, offset}));
        place.bytes = size;
    }
    emit_access(place, random_.percent(50));
}

/// Emits a load of a random element of the tile that the last exchange wrote, if there was one.
void PtxBody::read_tile() {
    u32 size = random_.pick({1u, 2u, 4u, 4u, 8u, 16u});
    while (size > available_registers.tile_bytes) size /= 2;
    if (size == 0) return;
    u32 count = 1;
    while (count * 2 * size <= available_registers.tile_bytes) count *= 2;
    const Reg at = array_element("tile", scaled(index_below(count), size));
    emit_access({.space = ".shared", .base = name_of(at), .bytes = size, .may_be_strong = true},
                false);
}

// ---- atomics ----

namespace {

/// Some words of `sums`, and the only operation that may change them.
struct SumClass {
    const char* operation;
    const char* type;
    u32 first, words;  ///< first word of `sums`, and number of words
};
constexpr SumClass kSums[] = {
    {"add", "u32", 0, 8},  {"add", "s32", 0, 8},  {"max", "u32", 8, 4},  {"max", "s32", 12, 2},
    {"min", "s32", 14, 2}, {"or", "b32", 16, 4},  {"xor", "b32", 20, 4}, {"add", "u64", 24, 4},
    {"max", "u64", 28, 2}, {"max", "s64", 30, 2}, {"min", "s64", 32, 2}, {"or", "b64", 34, 2},
    {"xor", "b64", 36, 4}, {"inc", "u32", 40, 1}, {"dec", "u32", 41, 1}, {"add", "f32", 42, 2},
    {"add", "f64", 44, 2}, {"and", "b32", 46, 1}, {"min", "u32", 47, 1}, {"and", "b64", 48, 2},
    {"min", "u64", 50, 2},
};

/// Returns the order and the scope of an atomic. The scope may be a single block only if no other
/// block uses the same memory.
std::string order_and_scope(Random& random, bool strong, bool returns, bool is_of_block) {
    const std::string scope =
        is_of_block && random.percent(33) ? ".cta" : random.pick({".gpu", ".sys"});
    if (!strong || random.percent(50)) return random.percent(40) ? "" : scope;
    const std::string order = returns
                                  ? random.pick({".relaxed", ".acquire", ".release", ".acq_rel"})
                                  : random.pick({".relaxed", ".release"});
    return order + scope;
}

}  // namespace

/// Emits `red` on words that all threads share, or sometimes an `atom` whose result is unused.
void PtxBody::sums() {
    const bool shared = env_.features.shared_sums && (!env_.features.sums || random_.percent(50));
    if (!shared && !env_.features.sums) return;
    const SumClass& c = kSums[random_.below(std::size(kSums))];
    const std::string type = c.type;
    const bool wide = type.ends_with("64");
    const u32 size = wide ? 8 : 4;
    if (shared && c.first + c.words > 32) return;

    std::string value;
    if (type == "f32" || type == "f64") {  // small integers, whose sums are exact
        const Reg v = text_.make(wide ? RegisterKind::wide : RegisterKind::word);
        const Reg small = emit_to_new_register(RegisterKind::word, "and.b32 $, $, 15",
                                               {pick_register(RegisterKind::word)});
        emit("cvt.rn.$.u32 $, $", {type, v, small});
        value = name_of(v);
    } else if (type == "u32" && (c.operation[0] == 'i' || c.operation[0] == 'd')) {
        value = "12";  // inc and dec need the same limit in all threads
    } else {
        value = name_of(pick_register(wide ? RegisterKind::wide : RegisterKind::word));
    }
    const u32 words = c.words / (size / 4);
    u32 offset = 4 * c.first + size * random_.below(words);
    std::string base = shared ? "sums_here" : name_of(*env_.sums);
    if (words > 1 && (words & (words - 1)) == 0 && random_.percent(50)) {
        const Reg index = index_below(words);
        base = name_of(shared ? array_element("sums_here", scaled(index, size))
                              : indexed_address(*env_.sums, index, size));
        offset = 4 * c.first;
    }
    const std::string address = fill_operands("[$+$]", {base, offset});
    const bool returns = random_.percent(15);
    const std::string modifiers = order_and_scope(random_, env_.features.strong, returns, shared) +
                                  (shared ? ".shared." : ".global.") + c.operation + "." + type;
    const std::string how = random_.percent(30) ? random_guard() : "";
    if (returns)
        emit("$atom$ $, $, $",
             {how, modifiers, text_.make(wide ? RegisterKind::wide : RegisterKind::word), address,
              value});
    else
        emit("$red$ $, $", {how, modifiers, address, value});
}

/// Emits atomics on the thread's own memory. Any operation is allowed, and its result is used.
void PtxBody::own_atomics() {
    static const std::vector<std::string> all = {
        "add.u32", "add.s32",       "add.u64",        "add.f32",         "add.f64",
        "min.u32", "min.s32",       "min.u64",        "min.s64",         "max.u32",
        "max.s32", "max.u64",       "max.s64",        "and.b32",         "and.b64",
        "or.b32",  "or.b64",        "xor.b32",        "xor.b64",         "inc.u32",
        "dec.u32", "exch.b32",      "exch.b64",       "cas.b16",         "cas.b32",
        "cas.b64", "add.noftz.f16", "add.noftz.bf16", "add.noftz.f16x2", "add.noftz.bf16x2"};
    const std::string operation = random_.pick(all);
    const std::string type = operation.substr(operation.rfind('.') + 1);
    const RegisterKind kind = type.ends_with("64") ? RegisterKind::wide
                              : type == "b16" || type == "f16" || type == "bf16"
                                  ? RegisterKind::half
                                  : RegisterKind::word;
    const u32 size = kind == RegisterKind::wide ? 8 : kind == RegisterKind::half ? 2 : 4;
    const bool in_shared = env_.own_shared && random_.percent(50);
    if (!in_shared && !env_.scratch) return;
    const bool generic = env_.features.generic && random_.percent(25);
    const std::string space = generic ? "" : in_shared ? ".shared" : ".global";
    const Reg base = in_shared ? (generic ? *env_.own_shared_generic : *env_.own_shared)
                               : (generic ? *env_.scratch_generic : *env_.scratch);
    const std::string address = fill_operands("[$+$]", {base, size * random_.below(16 / size)});

    Reg value = pick_register(kind);
    if (type[0] == 'f' || (type[0] == 'b' && type[1] == 'f')) {  // sometimes small numbers
        const auto small = [&] {
            const Reg v = text_.make(kind);
            const Reg bits = emit_to_new_register(RegisterKind::word, "and.b32 $, $, 63",
                                                  {pick_register(RegisterKind::word)});
            if (type.ends_with("x2")) {
                const Reg half = text_.make(RegisterKind::half);
                emit("cvt.rn.$.u32 $, $", {type.substr(0, type.size() - 2), half, bits});
                emit("mov.b32 $, {$, $}", {v, half, half});
            } else {
                emit("cvt.rn.$.u32 $, $", {type, v, bits});
            }
            return v;
        };
        emit("st$.b$ $, $", {space, 8 * size, address, small()});
        value = small();
    }
    std::string values = name_of(value);
    if (operation.starts_with("cas")) {
        // In half of all cases, store the compared value first, so that the comparison succeeds.
        if (random_.percent(50)) emit("st$.$ $, $", {space, type, address, values});
        values += ", " + name_of(pick_register(kind));
    }
    const bool may_reduce = !operation.starts_with("exch") && !operation.starts_with("cas");
    const bool returns = !may_reduce || random_.percent(70);
    const std::string modifiers = order_and_scope(random_, env_.features.strong, returns, true) +
                                  space + "." + operation + " ";
    if (!returns) {
        return emit("$red$$, $",
                    {random_.percent(20) ? random_guard() : "", modifiers, address, values});
    }
    const std::optional<Reg> old = random_.percent(20) ? existing_variable(kind) : std::nullopt;
    const std::string how = old ? random_guard() : "";
    emit("$atom$$, $, $", {how, modifiers, old ? *old : pick_destination(kind), address, values});
}

/// Emits instructions that change no value, such as prefetches and fences.
void PtxBody::cache_hints() {
    const auto in = [&] { return fill_operands("[$+$]", {*env_.in, 16 * random_.below(64)}); };
    switch (random_.below(9)) {
        case 0: emit("prefetch.global.L1 $", {in()}); return;
        case 1: emit("prefetch.global.L2 $", {in()}); return;
        case 2: emit("prefetch.global.L2::evict_last $", {in()}); return;
        case 3: emit("prefetchu.L1 [$]", {*env_.in_generic}); return;
        case 4: emit(random_.pick({"membar.cta", "membar.gl", "membar.sys"})); return;
        case 5:
            emit(random_.pick({"fence.sc.cta", "fence.acq_rel.gpu", "fence.sc.sys",
                               "fence.acq_rel.cta", "fence.sc.gpu", "fence.acq_rel.sys"}));
            return;
        case 6: emit("nanosleep.u32 $", {random_.below(40)}); return;
        case 7: emit("applypriority.global.L2::evict_normal [$], 128", {*env_.in}); return;
        default: {
            const Reg d = pick_destination(RegisterKind::word);
            const Reg policy = emit_to_new_register(
                RegisterKind::wide, "createpolicy.fractional.L2::evict_last.b64 $, 0.5");
            emit("ld.global.L2::cache_hint.u32 $, $, $", {d, in(), policy});
        }
    }
}

}  // namespace coalesce::campaign
