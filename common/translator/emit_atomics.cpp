// Atomics: one instruction reads, changes and writes. And fences.
//
// Idea   As the back end does: an update is relaxed, whatever order the IR asks for; a compare-and-swap
//        and a load or store that orders others brings a fence along where it has to.
#include <array>

#include "translator/floats.h"

namespace coalesce::translator {

namespace {

struct Update {
    std::string_view in_ir, in_ptx;
    char type;  ///< b bits, s signed, u unsigned, f floating point
};
constexpr std::array kUpdates = {
    Update{"add", "add", 'u'},  Update{"sub", "add", 'u'},       Update{"and", "and", 'b'},
    Update{"or", "or", 'b'},    Update{"xor", "xor", 'b'},       Update{"xchg", "exch", 'b'},
    Update{"max", "max", 's'},  Update{"min", "min", 's'},       Update{"umax", "max", 'u'},
    Update{"umin", "min", 'u'}, Update{"uinc_wrap", "inc", 'u'}, Update{"udec_wrap", "dec", 'u'},
    Update{"fadd", "add", 'f'}, Update{"fsub", "add", 'f'}};

/// ".cta" for syncscope("block"): who has to see it in order.
std::string scope_of(const Instruction& i) {
    if (i.scope == "block" || i.scope == "cta" || i.scope == "singlethread") return ".cta";
    if (i.scope == "device" || i.scope == "agent" || i.scope == "gpu") return ".gpu";
    if (i.scope == "cluster") return ".cluster";
    return ".sys";
}

std::string place_of(Emitter& e, const Value* pointer, std::string& space) {
    const Emitter::Address address = e.address_of(pointer);
    space = address.space;
    return "[" + address.text + "]";
}

/// The value of an update, negative where it is to be subtracted.
std::string updating_value(Emitter& e, const Instruction& i, const std::string& suffix) {
    const std::string value = e.use_register(i.operands[1]);
    if (i.predicate != "sub" && i.predicate != "fsub") return value;
    const std::string negative = e.fresh(register_of(*i.type));
    e.put("neg." + (i.predicate == "sub" ? "s" + suffix.substr(1) : suffix) + " " + negative +
          ", " + value);
    return negative;
}

bool releases(Ordering o) {
    return o == Ordering::release || o == Ordering::acq_rel;
}
bool acquires(Ordering o) {
    return o == Ordering::acquire || o == Ordering::acq_rel;
}

}  // namespace

void emit_atomicrmw(Emitter& e, const Instruction& i) {
    const Update* update = nullptr;
    for (const Update& u : kUpdates)
        if (u.in_ir == i.predicate) update = &u;
    if (!update) fail(i, "there is no atomic instruction for '" + i.predicate + "'");
    const Type& type = *i.type;
    const u32 bits = register_bits(type);
    if (!type.is_floating() && (type.is(Type::Kind::integer) ? type.bits : bits) < 32)
        fail(i, "there is no atomic instruction for numbers of fewer than 32 bits");
    std::string suffix = update->type + std::to_string(bits);
    if (update->type == 'f') suffix = float_suffix(type);
    std::string space;
    const std::string place = place_of(e, i.operands[0], space);
    const std::string value = updating_value(e, i, suffix);
    const std::string noftz = update->type == 'f' && bits == 16 ? ".noftz" : "";
    const std::string scope = scope_of(i) == ".cta" ? ".cta" : "";
    e.put("atom" + scope + space + "." + std::string(update->in_ptx) + noftz + "." + suffix + " " +
          e.result(i) + ", " + place + ", " + value);
}

/// Gives what was there, and whether it was what was expected.
void emit_cmpxchg(Emitter& e, const Instruction& i) {
    const Type& type = *i.operands[1]->type;
    const u32 bits = register_bits(type);
    if (bits < 32 && !(type.is(Type::Kind::integer) && type.bits == 16))
        fail(i, "there is no compare-and-swap for numbers of 8 bits");
    const std::string scope = scope_of(i), width = "b" + std::to_string(bits);
    std::string space;
    const std::string place = place_of(e, i.operands[0], space);
    const std::string expected = e.use_register(i.operands[1]),
                      wanted = e.use_register(i.operands[2]);
    std::string order = ".relaxed";
    if (i.ordering == Ordering::seq_cst) {
        e.put("fence.sc" + scope);
        order = ".acquire";
    } else if (i.ordering == Ordering::acq_rel) {
        order = ".acq_rel";
    } else if (i.ordering == Ordering::acquire || i.failure_ordering == Ordering::acquire) {
        order = ".acquire";
    } else if (i.ordering == Ordering::release) {
        order = ".release";
    }
    const std::string old = e.result(i, 0);
    e.put("atom" + order + scope + space + ".cas." + width + " " + old + ", " + place + ", " +
          expected + ", " + wanted);
    e.put("setp.eq." + width + " " + e.result(i, 1) + ", " + old + ", " + expected);
}

void emit_fence(Emitter& e, const Instruction& i) {
    const bool is_sequential = i.ordering == Ordering::seq_cst;
    if (is_sequential || acquires(i.ordering) || releases(i.ordering))
        e.put((is_sequential ? "fence.sc" : "fence.acq_rel") + scope_of(i));
}

}  // namespace coalesce::translator
