// Emits conversions between integer widths and between the address spaces of pointers.
#include "page/ir_to_ptx/elements.h"
#include "page/ir_to_ptx/names.h"

namespace coalesce::translator {

namespace {

void move(Emitter& e, const std::string& to, const std::string& from, const Type& type) {
    e.emit_ptx("mov.b" + std::to_string(register_bits(type)) + " " + to + ", " + from);
}

bool is_register_width(u32 bits) {
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

}  // namespace

void emit_trunc(Emitter& e, const Instruction& i) {
    const Type &to = element_of(*i.type), &from = element_of(*i.operands[0]->type);
    const u32 from_bits = register_bits(from), to_bits = register_bits(to);
    for_each_element(*i.operands[0]->type, [&](std::size_t part) {
        const std::string value = e.format_register_operand(i.operands[0], part);
        const std::string d =
            e.result_register(i, part / register_count(from) * register_count(to));
        if (register_count(to) == 2) {
            move(e, d, value, to);
            return move(e, e.result_register(i, part + 1),
                        e.format_register_operand(i.operands[0], part + 1), to);
        }
        if (to.bits == 1) {
            const std::string low = e.make_register(register_family(from)),
                              bits = std::to_string(from_bits);
            e.emit_ptx("and.b" + bits + " " + low + ", " + value + ", 1");
            e.emit_ptx("setp.ne.b" + bits + " " + d + ", " + low + ", 0");
        } else if (to_bits == from_bits) {
            move(e, d, value, to);
        } else {
            e.emit_ptx("cvt.u" + std::to_string(to_bits) + ".u" + std::to_string(from_bits) + " " +
                       d + ", " + value);
        }
    });
}

namespace {

/// Emits an extension to a type that fits into one register.
void emit_extension(Emitter& e, const Instruction& i, std::size_t from_part, const std::string& d,
                    u32 to_bits) {
    const Type& from = element_of(*i.operands[0]->type);
    const bool is_signed = i.op == Op::sext;
    const std::string sign = is_signed ? "s" : "u", to = std::to_string(to_bits);
    if (from.bits == 1) {
        e.emit_ptx("selp.b" + to + " " + d + (is_signed ? ", -1, 0, " : ", 1, 0, ") +
                   e.format_operand(i.operands[0], from_part));
        return;
    }
    const u32 source_bits = register_bits(from);
    if (is_register_width(from.bits) && from.bits < to_bits) {
        e.emit_ptx("cvt." + sign + to + "." + sign + std::to_string(from.bits) + " " + d + ", " +
                   e.format_register_operand(i.operands[0], from_part));
        return;
    }
    const std::string value = e.extend_operand(i.operands[0], is_signed, from_part);
    if (source_bits == to_bits) return e.emit_ptx("mov.b" + to + " " + d + ", " + value);
    e.emit_ptx("cvt." + sign + to + "." + sign + std::to_string(source_bits) + " " + d + ", " +
               value);
}

}  // namespace

void emit_extend(Emitter& e, const Instruction& i) {
    const Type& to = element_of(*i.type);
    for_each_element(*i.type, [&](std::size_t part) {
        const std::string d = e.result_register(i, part);
        if (register_count(to) == 1) return emit_extension(e, i, part, d, register_bits(to));
        const std::string low = e.make_register(Register::b64),
                          high = e.result_register(i, part + 1);
        if (register_count(element_of(*i.operands[0]->type)) == 2) {
            const std::string upper_half =
                e.extend_operand(i.operands[0], i.op == Op::sext, part + 1);
            e.emit_ptx("mov.b64 " + low + ", " + e.format_operand(i.operands[0], part));
            e.emit_ptx("mov.b64 " + high + ", " + upper_half);
            return e.emit_ptx("mov.b64 " + d + ", " + low);
        }
        emit_extension(e, i, part / 2, low, 64);
        e.emit_ptx("mov.b64 " + d + ", " + low);
        e.emit_ptx(i.op == Op::zext ? "mov.b64 " + high + ", 0"
                                    : "shr.s64 " + high + ", " + low + ", 63");
    });
}

/// Emits ptrtoint and inttoptr for integers whose width differs from that of a pointer. fold.h
/// handles integers with the width of a pointer.
void emit_pointer_integer_cast(Emitter& e, const Instruction& i) {
    const u32 from = register_bits(*i.operands[0]->type), to = register_bits(*i.type);
    e.emit_ptx("cvt.u" + std::to_string(to) + ".u" + std::to_string(from) + " " +
               e.result_register(i) + ", " + e.format_register_operand(i.operands[0]));
}

namespace {

/// Emits a bitcast between <4 x i8> and i32, or <8 x i1> and i8. Each element is shifted to or from
/// its position.
void bitcast_bytes(Emitter& e, const Instruction& i) {
    const Type &from = *i.operands[0]->type, &to = *i.type;
    const bool is_packing = from.has_kind(Type::Kind::vector);
    const Type &scalar = is_packing ? to : from, &vector_type = is_packing ? from : to;
    if (scalar.has_kind(Type::Kind::vector) || register_count(scalar) != 1 ||
        register_bits(scalar) == 1) {
        fail(i, "a bitcast between these types is not supported");
    }
    const Register family = register_family(scalar);
    const std::string bits = std::to_string(register_bits(scalar));
    const u32 step = vector_type.element()->bits,
              piece_bits = register_bits(*vector_type.element());
    std::string sum = "0";
    for (u32 k = 0; k < vector_type.count; ++k) {
        const std::string shift = std::to_string(k * step), shifted = e.make_register(family);
        if (!is_packing) {
            e.emit_ptx("shr.u" + bits + " " + shifted + ", " +
                       e.format_register_operand(i.operands[0]) + ", " + shift);
            const std::string d = e.result_register(i, k);
            if (piece_bits == 1) {
                const std::string low = e.make_register(family);
                e.emit_ptx("and.b" + bits + " " + low + ", " + shifted + ", 1");
                e.emit_ptx("setp.ne.b" + bits + " " + d + ", " + low + ", 0");
            } else {
                e.emit_ptx("cvt.u" + std::to_string(piece_bits) + ".u" + bits + " " + d + ", " +
                           shifted);
            }
            continue;
        }
        const std::string wide_piece = e.make_register(family), combined = e.make_register(family);
        const std::string piece = e.format_register_operand(i.operands[0], k);
        if (piece_bits == 1) {
            e.emit_ptx("selp.b" + bits + " " + wide_piece + ", 1, 0, " + piece);
        } else {
            e.emit_ptx("cvt.u" + bits + ".u" + std::to_string(step) + " " + wide_piece + ", " +
                       piece);
        }
        e.emit_ptx("shl.b" + bits + " " + shifted + ", " + wide_piece + ", " + shift);
        e.emit_ptx("or.b" + bits + " " + combined + ", " + shifted + ", " + sum);
        sum = combined;
    }
    if (is_packing) e.emit_ptx("mov.b" + bits + " " + e.result_register(i) + ", " + sum);
}

}  // namespace

/// Emits a bitcast between types that occupy different numbers of registers. mov packs and unpacks
/// two or four registers.
void emit_bitcast(Emitter& e, const Instruction& i) {
    const auto from = register_families(*i.operands[0]->type), to = register_families(*i.type);
    // A 128-bit integer already consists of two halves. All other sizes are powers of two.
    const auto format_list = [](const std::vector<std::string>& texts) {
        std::string text;
        for (const std::string& register_text : texts)
            text += (text.empty() ? "{" : ", ") + register_text;
        return text + "}";
    };
    const auto source_parts = list_scalar_parts(*i.operands[0]->type),
               result_parts = list_scalar_parts(*i.type);
    const bool has_bytes =
        store_size(*source_parts[0].type) == 1 || store_size(*result_parts[0].type) == 1;
    if (has_bytes || from[0] == Register::predicate || to[0] == Register::predicate) {
        return bitcast_bytes(e, i);
    }
    const std::size_t larger_count = std::max(from.size(), to.size()),
                      smaller_count = std::min(from.size(), to.size());
    const bool is_packing = from.size() == larger_count;
    const std::string op = "mov.b" + std::to_string(bits_of(is_packing ? to[0] : from[0])) + " ";
    for (std::size_t k = 0; k < smaller_count; ++k) {
        std::vector<std::string> piece_registers;
        for (std::size_t m = k * (larger_count / smaller_count);
             m < (k + 1) * (larger_count / smaller_count); ++m) {
            piece_registers.push_back(is_packing ? e.format_register_operand(i.operands[0], m)
                                                 : e.result_register(i, m));
        }
        if (is_packing) {
            e.emit_ptx(op + e.result_register(i, k) + ", " + format_list(piece_registers));
        } else {
            e.emit_ptx(op + format_list(piece_registers) + ", " +
                       e.format_register_operand(i.operands[0], k));
        }
    }
}

void emit_addrspacecast(Emitter& e, const Instruction& i) {
    const Space from = i.operands[0]->type->space, to = i.type->space;
    const std::string value = e.format_register_operand(i.operands[0]), d = e.result_register(i);
    if (to == Space::generic) {
        e.emit_ptx("cvta" + space_text(from) + ".u64 " + d + ", " + value);
    } else if (from == Space::generic) {
        e.emit_ptx("cvta.to" + space_text(to) + ".u64 " + d + ", " + value);
    } else {
        fail(i, "a pointer cannot be converted from one specific address space to another");
    }
}

}  // namespace coalesce::translator
