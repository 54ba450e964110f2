// Emits atomics, which read, modify and write in one instruction, and fences.
//
// Idea   As in LLVM's back end, an update is always relaxed, even if the IR specifies a different
//        ordering. A compare-and-swap, and a load or store with an ordering, gets a fence if
//        necessary. An update for which there is no instruction becomes a loop: load, compute,
//        compare-and-swap, and repeat if another thread has changed the value. Values of 8 and 16
//        bits are updated within the aligned word that contains them.
#include <array>

#include "page/ir_to_ptx/floats.h"

namespace coalesce::translator {

namespace {

struct AtomicUpdate {
    std::string_view ir_name, ptx_name;
    char type;  ///< b: bits, s: signed, u: unsigned, f: floating point
};
constexpr std::array kAtomicUpdates = {
    AtomicUpdate{"add", "add", 'u'},       AtomicUpdate{"sub", "add", 'u'},
    AtomicUpdate{"and", "and", 'b'},       AtomicUpdate{"or", "or", 'b'},
    AtomicUpdate{"xor", "xor", 'b'},       AtomicUpdate{"xchg", "exch", 'b'},
    AtomicUpdate{"max", "max", 's'},       AtomicUpdate{"min", "min", 's'},
    AtomicUpdate{"umax", "max", 'u'},      AtomicUpdate{"umin", "min", 'u'},
    AtomicUpdate{"uinc_wrap", "inc", 'u'}, AtomicUpdate{"udec_wrap", "dec", 'u'},
    AtomicUpdate{"fadd", "add", 'f'},      AtomicUpdate{"fsub", "add", 'f'}};

/// Returns the scope, such as ".cta" for syncscope("block").
std::string ptx_scope(const Instruction& i) {
    if (i.scope == "block" || i.scope == "cta" || i.scope == "singlethread") return ".cta";
    if (i.scope == "device" || i.scope == "agent" || i.scope == "gpu") return ".gpu";
    if (i.scope == "cluster") return ".cluster";
    return ".sys";
}

std::string byte_position(Emitter& e, const Value* pointer, std::string& space) {
    const Emitter::Address address = e.format_address(pointer);
    space = address.space;
    return "[" + address.text + "]";
}

/// Returns the operand of an update, negated for a subtraction.
std::string update_operand(Emitter& e, const Instruction& i, const std::string& suffix) {
    const std::string value = e.format_register_operand(i.operands[1]);
    if (i.predicate != "sub" && i.predicate != "fsub") return value;
    const std::string negated = e.make_register(register_family(*i.type));
    e.emit_ptx("neg." + (i.predicate == "sub" ? "s" + suffix.substr(1) : suffix) + " " + negated +
               ", " + value);
    return negated;
}

bool has_release(Ordering o) {
    return o == Ordering::release || o == Ordering::acq_rel;
}
bool has_acquire(Ordering o) {
    return o == Ordering::acquire || o == Ordering::acq_rel;
}

/// A value in memory, and the aligned word that contains it.
struct ContainingWord {
    std::string space, word_address;  ///< the word's space ".global" and address "[%rd4]"
    /// The shift and the masks that select the value in the word. All are "" if the value is the
    /// whole word.
    std::string shift, mask, outside_mask;
    u32 bits;  ///< the width of the word
};

ContainingWord find_containing_word(Emitter& e, const Value* pointer, const Type& type) {
    ContainingWord word;
    word.bits = std::max(32u, register_bits(type));
    if (type.bits >= 32 || !type.has_kind(Type::Kind::integer)) {
        word.word_address = byte_position(e, pointer, word.space);
        return word;
    }
    const auto emit_new_register = [&](Register family, const std::string& op,
                                       const std::string& operands) {
        const std::string d = e.make_register(family);
        e.emit_ptx(op + " " + d + ", " + operands);
        return d;
    };
    const auto [text, space] = e.format_address(pointer);
    word.space = space;
    // An address that begins with a variable's name, with or without an offset, can be moved to a
    // register directly. If it begins with a register, the offset must be added first.
    const std::size_t sign_position = text.find_first_of("+-");
    std::string address = text;
    if (text[0] != '%') {
        address = emit_new_register(Register::b64, "mov.b64", text);
    } else if (sign_position != std::string::npos) {
        const std::size_t digits = text[sign_position] == '+' ? sign_position + 1 : sign_position;
        address = emit_new_register(Register::b64, "add.s64",
                                    text.substr(0, sign_position) + ", " + text.substr(digits));
    }
    word.word_address = "[" + emit_new_register(Register::b64, "and.b64", address + ", -4") + "]";
    const std::string low = emit_new_register(Register::b32, "cvt.u32.u64", address);
    const std::string byte = emit_new_register(Register::b32, "and.b32", low + ", 3");
    word.shift = emit_new_register(Register::b32, "shl.b32", byte + ", 3");
    const std::string unshifted_mask =
        emit_new_register(Register::b32, "mov.b32", type.bits == 8 ? "255" : "65535");
    word.mask = emit_new_register(Register::b32, "shl.b32", unshifted_mask + ", " + word.shift);
    word.outside_mask = emit_new_register(Register::b32, "not.b32", word.mask);
    return word;
}

/// Extracts the value from the word that was loaded into the register `from`.
void extract_value(Emitter& e, const ContainingWord& word, const std::string& from,
                   const std::string& to) {
    if (word.shift.empty())
        return e.emit_ptx("mov.b" + std::to_string(word.bits) + " " + to + ", " + from);
    const std::string low = e.make_register(Register::b32);
    e.emit_ptx("shr.u32 " + low + ", " + from + ", " + word.shift);
    e.emit_ptx("cvt.u16.u32 " + to + ", " + low);
}

/// Returns a word that contains the value at its position in memory, and zeros elsewhere.
std::string shift_into_position(Emitter& e, const ContainingWord& word, const std::string& number) {
    const std::string wide_value = e.make_register(Register::b32),
                      shifted_value = e.make_register(Register::b32),
                      masked_value = e.make_register(Register::b32);
    e.emit_ptx("cvt.u32.u16 " + wide_value + ", " + number);
    e.emit_ptx("shl.b32 " + shifted_value + ", " + wide_value + ", " + word.shift);
    e.emit_ptx("and.b32 " + masked_value + ", " + shifted_value + ", " + word.mask);
    return masked_value;
}

/// Emits the instructions for an update ("nand", "max", "xchg") of the value `old_value`, and
/// returns the new value.
const Value* emit_updated_value(Emitter& e, const Instruction& i, Value* old_value) {
    Module& module = e.module;
    Value* operand = i.operands[1];
    const auto emit_new_instruction = [&](Op op, const Type* type, std::vector<Value*> operands,
                                          const std::string& predicate = "") {
        Instruction* new_instruction = module.instruction(op, type, std::move(operands), i);
        new_instruction->predicate = predicate;
        emit_instruction(e, *new_instruction);
        return new_instruction;
    };
    const std::string& name = i.predicate;
    if (name == "xchg") return operand;
    for (const Op op : {Op::add, Op::sub, Op::and_, Op::or_, Op::xor_})
        if (name_of(op) == name) return emit_new_instruction(op, i.type, {old_value, operand});
    if (name == "nand") {
        Value* intersection = emit_new_instruction(Op::and_, i.type, {old_value, operand});
        return emit_new_instruction(Op::xor_, i.type,
                                    {intersection, module.number(i.type, ~u64{0})});
    }
    if ((name == "fmax" || name == "fmin") && register_bits(*i.type) >= 32) {
        Instruction* new_instruction = module.instruction(Op::fadd, i.type, {}, i);
        e.emit_ptx(name.substr(1) + "." + float_suffix(*i.type) + " " +
                   e.result_register(*new_instruction) + ", " +
                   e.format_register_operand(old_value) + ", " +
                   e.format_register_operand(operand));
        return new_instruction;
    }
    const bool is_unsigned = name.starts_with('u'), is_max = name.ends_with("max");
    const bool is_choice = is_max || name.ends_with("min");
    if (!is_choice || !i.type->has_kind(Type::Kind::integer))
        fail(i, "there is no atomic operation '" + name + "' for this type");
    Value* is_old =
        emit_new_instruction(Op::icmp, module.types.integer(1), {old_value, operand},
                             std::string(is_unsigned ? "u" : "s") + (is_max ? "gt" : "lt"));
    return emit_new_instruction(Op::select, i.type, {is_old, old_value, operand});
}

void emit_update_loop(Emitter& e, const Instruction& i) {
    const ContainingWord word = find_containing_word(e, i.operands[0], *i.type);
    const std::string bits = std::to_string(word.bits);
    const Register family = word.bits == 64 ? Register::b64 : Register::b32;
    const std::string old_word = e.make_register(family), actual_word = e.make_register(family),
                      retry_label = e.make_label();
    const std::string has_changed = e.make_register(Register::predicate);
    e.emit_ptx("ld.relaxed" + ptx_scope(i) + word.space + ".b" + bits + " " + old_word + ", " +
               word.word_address);
    e.emit_label(retry_label);
    Instruction* old_value = e.module.instruction(Op::load, i.type, {}, i);
    extract_value(e, word, old_word, e.result_register(*old_value));
    std::string new_word = e.format_register_operand(emit_updated_value(e, i, old_value));
    if (!word.shift.empty()) {
        const std::string shifted_value = shift_into_position(e, word, new_word),
                          other_bits = e.make_register(Register::b32);
        e.emit_ptx("and.b32 " + other_bits + ", " + old_word + ", " + word.outside_mask);
        new_word = e.make_register(Register::b32);
        e.emit_ptx("or.b32 " + new_word + ", " + other_bits + ", " + shifted_value);
    }
    e.emit_ptx("atom.relaxed" + ptx_scope(i) + word.space + ".cas.b" + bits + " " + actual_word +
               ", " + word.word_address + ", " + old_word + ", " + new_word);
    e.emit_ptx("setp.ne.b" + bits + " " + has_changed + ", " + actual_word + ", " + old_word);
    e.emit_ptx("mov.b" + bits + " " + old_word + ", " + actual_word);
    e.emit_ptx("@" + has_changed + " bra " + retry_label);
    extract_value(e, word, old_word, e.result_register(i));
}

/// Emits a compare-and-swap of 1 or 2 bytes as a loop. The loop repeats the compare-and-swap if it
/// has failed only because other bytes of the word have changed.
void emit_cmpxchg_loop(Emitter& e, const Instruction& i, const std::string& order) {
    const ContainingWord word = find_containing_word(e, i.operands[0], *i.operands[1]->type);
    const std::string expected =
                          shift_into_position(e, word, e.format_register_operand(i.operands[1])),
                      new_word =
                          shift_into_position(e, word, e.format_register_operand(i.operands[2]));
    const auto make_word_register = [&] { return e.make_register(Register::b32); };
    const std::string old_word = make_word_register(), other_bits = make_word_register(),
                      from = make_word_register(), to = make_word_register(),
                      actual_word = make_word_register(), other_bits_after = make_word_register(),
                      is_equal = e.make_register(Register::predicate),
                      has_changed = e.make_register(Register::predicate);
    const std::string retry_label = e.make_label(), done_label = e.make_label();
    e.emit_ptx("ld.relaxed" + ptx_scope(i) + word.space + ".b32 " + old_word + ", " +
               word.word_address);
    e.emit_ptx("and.b32 " + other_bits + ", " + old_word + ", " + word.outside_mask);
    e.emit_label(retry_label);
    e.emit_ptx("or.b32 " + from + ", " + other_bits + ", " + expected);
    e.emit_ptx("or.b32 " + to + ", " + other_bits + ", " + new_word);
    e.emit_ptx("atom" + order + ptx_scope(i) + word.space + ".cas.b32 " + actual_word + ", " +
               word.word_address + ", " + from + ", " + to);
    e.emit_ptx("setp.eq.b32 " + is_equal + ", " + actual_word + ", " + from);
    e.emit_ptx("@" + is_equal + " bra " + done_label);
    e.emit_ptx("and.b32 " + other_bits_after + ", " + actual_word + ", " + word.outside_mask);
    e.emit_ptx("setp.ne.b32 " + has_changed + ", " + other_bits_after + ", " + other_bits);
    e.emit_ptx("mov.b32 " + other_bits + ", " + other_bits_after);
    e.emit_ptx("@" + has_changed + " bra " + retry_label);
    e.emit_label(done_label);
    extract_value(e, word, actual_word, e.result_register(i, 0));
    e.emit_ptx("setp.eq.b32 " + e.result_register(i, 1) + ", " + actual_word + ", " + from);
}

}  // namespace

void emit_atomicrmw(Emitter& e, const Instruction& i) {
    const AtomicUpdate* update = nullptr;
    for (const AtomicUpdate& u : kAtomicUpdates)
        if (u.ir_name == i.predicate) update = &u;
    const bool is_small = i.type->has_kind(Type::Kind::integer) && i.type->bits < 32;
    if (!update || is_small) return emit_update_loop(e, i);
    const Type& type = *i.type;
    const u32 bits = register_bits(type);
    std::string suffix = update->type + std::to_string(bits);
    if (update->type == 'f') suffix = float_suffix(type);
    std::string space;
    const std::string memory_operand = byte_position(e, i.operands[0], space);
    const std::string value = update_operand(e, i, suffix);
    const std::string ftz_suffix = update->type == 'f' && bits == 16 ? ".noftz" : "";
    const std::string scope = ptx_scope(i) == ".cta" ? ".cta" : "";
    e.emit_ptx("atom" + scope + space + "." + std::string(update->ptx_name) + ftz_suffix + "." +
               suffix + " " + e.result_register(i) + ", " + memory_operand + ", " + value);
}

/// Emits a compare-and-swap. It has two results: the old value, and whether the old value was the
/// expected one.
void emit_cmpxchg(Emitter& e, const Instruction& i) {
    const Type& type = *i.operands[1]->type;
    const std::string scope = ptx_scope(i), width = "b" + std::to_string(register_bits(type));
    std::string order = ".relaxed";
    if (i.ordering == Ordering::seq_cst) {
        e.emit_ptx("fence.sc" + scope);
        order = ".acquire";
    } else if (i.ordering == Ordering::acq_rel) {
        order = ".acq_rel";
    } else if (i.ordering == Ordering::acquire || i.failure_ordering == Ordering::acquire) {
        order = ".acquire";
    } else if (i.ordering == Ordering::release) {
        order = ".release";
    }
    if (type.is_integer(8)) return emit_cmpxchg_loop(e, i, order);
    std::string space;
    const std::string memory_operand = byte_position(e, i.operands[0], space);
    const std::string expected = e.format_register_operand(i.operands[1]),
                      new_word = e.format_register_operand(i.operands[2]);
    const std::string old_value = e.result_register(i, 0);
    e.emit_ptx("atom" + order + scope + space + ".cas." + width + " " + old_value + ", " +
               memory_operand + ", " + expected + ", " + new_word);
    e.emit_ptx("setp.eq." + width + " " + e.result_register(i, 1) + ", " + old_value + ", " +
               expected);
}

void emit_fence(Emitter& e, const Instruction& i) {
    const bool is_sequential = i.ordering == Ordering::seq_cst;
    if (is_sequential || has_acquire(i.ordering) || has_release(i.ordering))
        e.emit_ptx((is_sequential ? "fence.sc" : "fence.acq_rel") + ptx_scope(i));
}

}  // namespace coalesce::translator
