// Emits memcpy, memmove and memset, and handles lifetime markers.
#include "page/ir_to_ptx/intrinsics.h"

namespace coalesce::translator {

namespace {

/// Operations on more bytes than this become a loop.
constexpr u64 kMaxUnrolledBytes = 256;

bool is_number_of_bytes(const Value* value, u64& bytes) {
    i64 number = 0;
    if (!is_number(value, number)) return false;
    bytes = static_cast<u64>(number);
    return true;
}

/// Returns the alignment in bytes that the object under `pointer` guarantees for this address.
u64 pointer_alignment(const Value* pointer) {
    u64 step = 16;
    for (;;) {
        if (const Instruction* i = as_instruction(pointer); i && i->op == Op::alloca) {
            return std::min<u64>(step, i->align ? i->align : 1);
        }
        if (pointer->has_kind(Value::Kind::variable)) {
            return std::min<u64>(step, static_cast<const Variable*>(pointer)->align);
        }
        if (pointer->has_kind(Value::Kind::argument)) {
            return std::min<u64>(step, std::max(1u, static_cast<const Argument*>(pointer)->align));
        }
        const Operation* step_of = as_operation(pointer);
        if (!step_of || (step_of->op != Op::getelementptr && step_of->op != Op::addrspacecast))
            return 1;
        if (step_of->op == Op::getelementptr) {
            const AddressTerms steps = address_terms(*step_of);
            if (!steps.terms.empty()) return 1;
            while (steps.offset % static_cast<i64>(step) != 0) step /= 2;
        }
        pointer = step_of->operands[0];
    }
}

/// Returns the alignment in bytes of a call's pointer operand: the alignment that the call
/// specifies or that of the variable, whichever is larger.
u64 pointer_alignment(const Instruction& call, std::size_t operand) {
    return std::max<u64>(pointer_alignment(call.operands[operand]),
                         call.by_value_align.at(operand));
}

Register family_of(u64 bytes) {
    return bytes <= 2 ? Register::b16 : bytes == 4 ? Register::b32 : Register::b64;
}

std::string load_bytes(Emitter& e, const Emitter::Address& address, u64 bytes) {
    const std::string d = e.make_register(family_of(bytes));
    e.emit_ptx("ld" + address.space + ".b" + std::to_string(8 * bytes) + " " + d + ", [" +
               address.text + "]");
    return d;
}

void store(Emitter& e, const Emitter::Address& address, u64 bytes, const std::string& value) {
    e.emit_ptx("st" + address.space + ".b" + std::to_string(8 * bytes) + " [" + address.text +
               "], " + value);
}

u64 next_copy_bytes(u64 bytes_left, u64 align) {
    u64 piece_bytes = std::min<u64>(8, std::max<u64>(1, align));
    while (piece_bytes > bytes_left) piece_bytes /= 2;
    return piece_bytes;
}

/// Emits a copy that reads all bytes before it writes any, so that it is also correct for memmove.
void copy_unrolled(Emitter& e, const Instruction& i, u64 bytes, u64 align) {
    std::vector<std::string> loaded;
    for (u64 copy_offset = 0; copy_offset < bytes;
         copy_offset += next_copy_bytes(bytes - copy_offset, align)) {
        loaded.push_back(load_bytes(e,
                                    e.format_address(i.operands[1], static_cast<i64>(copy_offset)),
                                    next_copy_bytes(bytes - copy_offset, align)));
    }
    std::size_t k = 0;
    for (u64 copy_offset = 0; copy_offset < bytes;
         copy_offset += next_copy_bytes(bytes - copy_offset, align)) {
        store(e, e.format_address(i.operands[0], static_cast<i64>(copy_offset)),
              next_copy_bytes(bytes - copy_offset, align), loaded[k++]);
    }
}

/// Emits for (index = first; index != end; index += step) body(index).
template <class Body>
void emit_loop(Emitter& e, const std::string& first, const std::string& end, i64 step, Body body) {
    const std::string loop_label = e.make_label(), done_label = e.make_label();
    const std::string index = e.make_register(Register::b64),
                      is_done = e.make_register(Register::predicate);
    e.emit_ptx("mov.b64 " + index + ", " + first);
    e.emit_label(loop_label);
    e.emit_ptx("setp.eq.b64 " + is_done + ", " + index + ", " + end);
    e.emit_ptx("@" + is_done + " bra " + done_label);
    if (step < 0) e.emit_ptx("add.s64 " + index + ", " + index + ", " + std::to_string(step));
    body(index);
    if (step > 0) e.emit_ptx("add.s64 " + index + ", " + index + ", " + std::to_string(step));
    e.emit_ptx("bra.uni " + loop_label);
    e.emit_label(done_label);
}

Emitter::Address at_index(Emitter& e, const std::string& base, const std::string& space,
                          const std::string& index) {
    const std::string d = e.make_register(Register::b64);
    e.emit_ptx("add.s64 " + d + ", " + base + ", " + index);
    return {d, space};
}

std::string length(Emitter& e, const Instruction& i) {
    const std::string text = e.format_operand(i.operands[2]);
    if (text[0] != '%' || i.operands[2]->type->is_integer(64)) return text;
    const std::string wide_register = e.make_register(Register::b64);
    e.emit_ptx("cvt.u64.u32 " + wide_register + ", " + text);
    return wide_register;
}

void copy_in_loop(Emitter& e, const Instruction& i, i64 step, bool from_end) {
    const std::string to = e.format_register_operand(i.operands[0]),
                      from = e.format_register_operand(i.operands[1]);
    const std::string to_space = e.format_address(i.operands[0]).space,
                      from_space = e.format_address(i.operands[1]).space, count = length(e, i);
    const auto bytes = static_cast<u64>(step);
    emit_loop(e, from_end ? count : "0", from_end ? "0" : count, from_end ? -step : step,
              [&](const std::string& index) {
                  const std::string value =
                      load_bytes(e, at_index(e, from, from_space, index), bytes);
                  store(e, at_index(e, to, to_space, index), bytes, value);
              });
}

void emit_copy(Emitter& e, const Instruction& i) {
    u64 bytes = 0;
    const u64 align = std::min(pointer_alignment(i, 0), pointer_alignment(i, 1));
    const bool is_known = is_number_of_bytes(i.operands[2], bytes);
    if (is_known && bytes <= kMaxUnrolledBytes) return copy_unrolled(e, i, bytes, align);
    const bool may_overlap = called_function(i)->name.starts_with("llvm.memmove");
    if (!may_overlap) {
        const u64 step = is_known ? std::min<u64>(8, align) : 1;
        return copy_in_loop(e, i, bytes % step == 0 ? static_cast<i64>(step) : 1, false);
    }
    // If the destination is at a higher address, copy from the end to the beginning, so that no
    // byte is overwritten before it is read.
    const std::string is_upwards = e.make_register(Register::predicate),
                      backwards_label = e.make_label(), done_label = e.make_label();
    e.emit_ptx("setp.lt.u64 " + is_upwards + ", " + e.format_register_operand(i.operands[1]) +
               ", " + e.format_register_operand(i.operands[0]));
    e.emit_ptx("@" + is_upwards + " bra " + backwards_label);
    copy_in_loop(e, i, 1, false);
    e.emit_ptx("bra.uni " + done_label);
    e.emit_label(backwards_label);
    copy_in_loop(e, i, 1, true);
    e.emit_label(done_label);
}

/// Returns a word that repeats the byte.
std::string repeat_byte(Emitter& e, const Value* byte, u64 bytes) {
    i64 number = 0;
    if (is_number(byte, number)) {
        const u64 repeated = (static_cast<u64>(number) & 0xFF) * 0x0101010101010101u;
        return std::to_string(bytes == 8
                                  ? static_cast<i64>(repeated)
                                  : static_cast<i64>(repeated & ((u64{1} << (8 * bytes)) - 1)));
    }
    const std::string wide_register = e.make_register(Register::b64),
                      repeated = e.make_register(Register::b64);
    e.emit_ptx("cvt.u64.u8 " + wide_register + ", " + e.format_register_operand(byte));
    e.emit_ptx("mul.lo.s64 " + repeated + ", " + wide_register + ", 72340172838076673");
    if (bytes == 8) return repeated;
    const std::string part = e.make_register(family_of(bytes));
    e.emit_ptx(std::string(bytes == 4 ? "cvt.u32.u64 " : "cvt.u16.u64 ") + part + ", " + repeated);
    return part;
}

void emit_set(Emitter& e, const Instruction& i) {
    u64 bytes = 0;
    const u64 align = pointer_alignment(i, 0);
    const bool is_known = is_number_of_bytes(i.operands[2], bytes);
    if (is_known && bytes <= kMaxUnrolledBytes) {
        for (u64 copy_offset = 0; copy_offset < bytes;
             copy_offset += next_copy_bytes(bytes - copy_offset, align)) {
            const u64 piece_bytes = next_copy_bytes(bytes - copy_offset, align);
            store(e, e.format_address(i.operands[0], static_cast<i64>(copy_offset)), piece_bytes,
                  repeat_byte(e, i.operands[1], piece_bytes));
        }
        return;
    }
    const u64 max_piece_bytes = is_known ? std::min<u64>(8, align) : 1;
    const u64 step = bytes % max_piece_bytes == 0 ? max_piece_bytes : 1;
    const std::string value = repeat_byte(e, i.operands[1], step),
                      to = e.format_register_operand(i.operands[0]);
    const std::string space = e.format_address(i.operands[0]).space;
    emit_loop(e, "0", length(e, i), static_cast<i64>(step), [&](const std::string& index) {
        store(e, at_index(e, to, space, index), step, value);
    });
}

/// Emits llvm.objectsize, the number of bytes after a pointer. The result is always the value for
/// "unknown".
void emit_objectsize(Emitter& e, const Instruction& i) {
    e.emit_ptx("mov.b" + std::to_string(register_bits(*i.type)) + " " + e.result_register(i) +
               ", -1");
}

void emit_no_hint(Emitter&, const Instruction&) {}

constexpr Intrinsic kMemoryIntrinsics[] = {
    {"memcpy.*", emit_copy},      {"memmove.*", emit_copy},
    {"memset.*", emit_set},       {"objectsize.*", emit_objectsize},
    {"lifetime.*", emit_no_hint}, {"invariant.end.*", emit_no_hint},
    {"prefetch.*", emit_no_hint},
};

}  // namespace

std::span<const Intrinsic> memory_intrinsics() {
    return kMemoryIntrinsics;
}

}  // namespace coalesce::translator
