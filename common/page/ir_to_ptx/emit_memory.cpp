// Emits loads and stores. Several elements of a vector share one access if their alignment allows
// it, as in the NVPTX back end. The simulator's counters depend on the number of accesses.
#include <algorithm>
#include <bit>
#include <optional>

#include "page/ir_to_ptx/elements.h"

namespace coalesce::translator {

namespace {

constexpr u64 kMaxAccessBytes = 16;

/// A memory access to `count` parts of `bytes` bytes each, starting with part `first`.
struct MemoryAccess {
    std::size_t first, count;
    u64 offset, bytes;
};

/// Divides a value into as few accesses as its alignment allows. Only elements of a vector, and the
/// halves of an i128, may share an access.
std::vector<MemoryAccess> plan_accesses(const Type& type, u32 align) {
    const std::vector<ScalarPart> parts = list_scalar_parts(type);
    const bool is_together =
        type.has_kind(Type::Kind::vector) || type.has_kind(Type::Kind::integer);
    std::vector<MemoryAccess> accesses_in_order;
    for (std::size_t k = 0; k < parts.size();) {
        const u64 bytes = parts[k].bytes;
        std::size_t count = 1;
        for (std::size_t run_length = kMaxAccessBytes / bytes; is_together && run_length > 1;
             run_length /= 2) {
            const u64 run_bytes = run_length * bytes;
            if (k + run_length > parts.size() || align % run_bytes != 0 ||
                parts[k].offset % run_bytes != 0)
                continue;
            if (parts[k + run_length - 1].bytes != bytes) continue;
            count = run_length;
            break;
        }
        accesses_in_order.push_back({k, count, parts[k].offset, bytes});
        k += count;
    }
    return accesses_in_order;
}

std::string brace_list(const std::vector<std::string>& texts) {
    if (texts.size() == 1) return texts[0];
    std::string text = "{";
    for (const std::string& register_text : texts)
        text += (text.size() > 1 ? ", " : "") + register_text;
    return text + "}";
}

std::string vector_text(std::size_t count) {
    return count == 1 ? "" : ".v" + std::to_string(count);
}

/// Returns the ordering qualifiers of an access, such as ".volatile", ".relaxed.gpu" or
/// ".acquire.sys".
std::string order_text(const Instruction& i) {
    // Local memory is not visible to other threads, and PTX has no ordering qualifiers for it.
    if (i.operands[i.op == Op::load ? 0 : 1]->type->space == Space::local) return "";
    if (i.has_flag(flag::is_atomic)) {
        const std::string scope = i.scope == "block"     ? ".cta"
                                  : i.scope == "cluster" ? ".cluster"
                                  : i.scope == "device"  ? ".gpu"
                                                         : ".sys";
        const bool is_load = i.op == Op::load;
        const bool is_strong = i.ordering >= Ordering::acquire;
        return (is_strong ? (is_load ? ".acquire" : ".release") : ".relaxed") + scope;
    }
    return i.has_flag(flag::is_volatile) ? ".volatile" : "";
}

/// The registers for one access. If a vector has more than four elements, each register contains
/// several elements.
struct AccessRegisters {
    std::vector<std::string> registers;
    std::size_t elements_per_register = 1;  ///< elements per register
    u64 bytes = 0;
};

AccessRegisters plan_access_registers(Emitter& e, const MemoryAccess& access) {
    AccessRegisters access_registers;
    access_registers.bytes = access.bytes;
    if (access.count <= 4) return access_registers;
    access_registers.elements_per_register = 4 / access.bytes;
    access_registers.bytes = 4;
    for (std::size_t k = 0; k < access.count / access_registers.elements_per_register; ++k) {
        access_registers.registers.push_back(e.make_register(Register::b32));
    }
    return access_registers;
}

void unpack_access_registers(Emitter& e, const Instruction& i, const MemoryAccess& access,
                             const AccessRegisters& access_registers) {
    for (std::size_t k = 0; k < access_registers.registers.size(); ++k) {
        std::vector<std::string> element_registers;
        for (std::size_t m = 0; m < access_registers.elements_per_register; ++m) {
            element_registers.push_back(e.result_register(
                i, access.first + k * access_registers.elements_per_register + m));
        }
        if (access.bytes == 2) {
            e.emit_ptx("mov.b32 " + brace_list(element_registers) + ", " +
                       access_registers.registers[k]);
            continue;
        }
        for (std::size_t m = 0; m < access_registers.elements_per_register; ++m) {
            const std::string shifted = e.make_register(Register::b32);
            e.emit_ptx("shr.u32 " + shifted + ", " + access_registers.registers[k] + ", " +
                       std::to_string(8 * m));
            e.emit_ptx("cvt.u16.u32 " + element_registers[m] + ", " + shifted);
        }
    }
}

void pack_registers(Emitter& e, const Value* value, const MemoryAccess& access,
                    const AccessRegisters& access_registers) {
    for (std::size_t k = 0; k < access_registers.registers.size(); ++k) {
        const std::size_t first = access.first + k * access_registers.elements_per_register;
        if (access.bytes == 2) {
            e.emit_ptx("mov.b32 " + access_registers.registers[k] + ", " +
                       brace_list({e.format_register_operand(value, first),
                                   e.format_register_operand(value, first + 1)}));
            continue;
        }
        std::string sum = "0";
        for (std::size_t m = 0; m < access_registers.elements_per_register; ++m) {
            const std::string wide_element = e.make_register(Register::b32),
                              shifted = e.make_register(Register::b32);
            e.emit_ptx("cvt.u32.u8 " + wide_element + ", " +
                       e.format_register_operand(value, first + m));
            e.emit_ptx("shl.b32 " + shifted + ", " + wide_element + ", " + std::to_string(8 * m));
            const std::string next_sum = m + 1 < access_registers.elements_per_register
                                             ? e.make_register(Register::b32)
                                             : access_registers.registers[k];
            e.emit_ptx("or.b32 " + next_sum + ", " + shifted + ", " + sum);
            sum = next_sum;
        }
    }
}

/// Returns the number of bytes per access to a part: the size of the part or the alignment of its
/// address, whichever is smaller. Integers of 3, 5, 6 or 7 bytes are accessed byte by byte.
u64 access_bytes_for_part(const MemoryAccess& access, u32 align) {
    const u64 bytes = access.count * access.bytes;
    if (!std::has_single_bit(bytes)) return 1;
    u64 piece = bytes;
    while (piece > 1 && (align % piece != 0 || access.offset % piece != 0)) piece /= 2;
    return piece;
}

Register register_for(u64 bytes) {
    return bytes == 8 ? Register::b64 : bytes == 4 ? Register::b32 : Register::b16;
}

/// Returns the qualifiers, the space and the type of one access, such as ".global.b8 ".
std::string format_access(const Instruction& i, const Emitter::Address& address, u64 bytes) {
    return order_text(i) + address.space + ".b" + std::to_string(8 * bytes) + " ";
}

/// Emits code that loads the bytes [from, to) of a part to their positions in a register. Each half
/// of the bytes is loaded separately. The loads are in the same order as in the back end, because
/// their order determines how often a warp waits.
std::string load_bytes(Emitter& e, const Instruction& i, const ScalarPart& part, u64 from, u64 to,
                       u64 piece) {
    const std::string bits = ".b" + std::to_string(register_bits(*part.type)) + " ";
    const std::string loaded_value = e.make_register_for(*part.type);
    if (to - from == piece) {
        const auto address = e.format_address(i.operands[0], static_cast<i64>(part.offset + from));
        e.emit_ptx("ld" + format_access(i, address, piece) + loaded_value + ", [" + address.text +
                   "]");
        if (from == 0) return loaded_value;
        const std::string shifted = e.make_register_for(*part.type);
        e.emit_ptx("shl" + bits + shifted + ", " + loaded_value + ", " + std::to_string(8 * from));
        return shifted;
    }
    u64 half_bytes = piece;
    while (2 * half_bytes < to - from) half_bytes *= 2;
    const std::string low = load_bytes(e, i, part, from, from + half_bytes, piece);
    const std::string high = load_bytes(e, i, part, from + half_bytes, to, piece);
    e.emit_ptx("or" + bits + loaded_value + ", " + high + ", " + low);
    return loaded_value;
}

void load_part_in_pieces(Emitter& e, const Instruction& i, const ScalarPart& part,
                         const std::string& to, u64 piece) {
    const std::string sum = load_bytes(e, i, part, 0, part.bytes, piece);
    e.emit_ptx("mov.b" + std::to_string(register_bits(*part.type)) + " " + to + ", " + sum);
}

void store_part_in_pieces(Emitter& e, const Instruction& i, const ScalarPart& part,
                          std::size_t index, u64 bytes) {
    const std::string bits = std::to_string(register_bits(*part.type));
    const std::string to = "cvt.u" + std::to_string(bytes == 4 ? 32 : 16) + ".u";
    const std::string value = e.format_register_operand(i.operands[0], index);
    for (u64 k = 0; k < part.bytes; k += bytes) {
        const std::string shifted = e.make_register_for(*part.type),
                          piece_register = e.make_register(register_for(bytes));
        e.emit_ptx("shr.u" + bits + " " + shifted + ", " + value + ", " + std::to_string(8 * k));
        e.emit_ptx(to + bits + " " + piece_register + ", " + shifted);
        const auto address = e.format_address(i.operands[1], static_cast<i64>(part.offset + k));
        e.emit_ptx("st" + format_access(i, address, bytes) + "[" + address.text + "], " +
                   piece_register);
    }
}

/// Reports whether the load may use the read-only cache (.nc), because the memory that it reads
/// does not change while the kernel runs.
bool is_read_only(const Emitter& e, const Instruction& load) {
    if (load.has_flag(flag::is_volatile) || load.has_flag(flag::is_atomic)) return false;
    const Value* pointer = load.operands[0];
    if (pointer->type->space != Space::global) return false;
    if (load.has_flag(flag::invariant)) return true;
    for (const Operation* step = as_operation(pointer); step; step = as_operation(pointer)) {
        if (step->op != Op::getelementptr && step->op != Op::addrspacecast) return false;
        pointer = step->operands[0];
    }
    if (pointer->has_kind(Value::Kind::variable))
        return static_cast<const Variable*>(pointer)->is_constant_data;
    if (!pointer->has_kind(Value::Kind::argument) || !e.function.is_kernel) return false;
    const auto* argument = static_cast<const Argument*>(pointer);
    return argument->is_read_only && argument->is_no_alias;
}

void load_predicate(Emitter& e, const Instruction& i, const MemoryAccess& access,
                    const std::string& to) {
    const auto address = e.format_address(i.operands[0], static_cast<i64>(access.offset));
    const std::string byte = e.make_register(Register::b16), low = e.make_register(Register::b16);
    e.emit_ptx("ld" + format_access(i, address, 1) + byte + ", [" + address.text + "]");
    e.emit_ptx("and.b16 " + low + ", " + byte + ", 1");
    e.emit_ptx("setp.ne.b16 " + to + ", " + low + ", 0");
}

/// Provides a register for each part of a load. With several accesses, an early access must not
/// overwrite the address of a later one. If a register of the result contains the address, this
/// register is therefore set last.
class LoadTargets {
public:
    LoadTargets(Emitter& e, const Instruction& load, bool is_in_one) : e_(e), load_(load) {
        const std::string address_text = e.format_address(load.operands[0]).text;
        const std::string base = address_text.substr(0, address_text.find_first_of("+-"));
        const std::vector<Register> families = register_families(*load.type);
        for (std::size_t k = 0; k < families.size(); ++k) {
            registers_.push_back(e.result_register(load, k));
            if (is_in_one || registers_[k] != base) continue;
            postponed_part_ = k;
            registers_[k] = e.make_register(families[k]);
        }
    }
    const std::string& operator[](std::size_t part) const { return registers_[part]; }
    void set_postponed_target() const {
        if (!postponed_part_) return;
        e_.emit_ptx("mov.b64 " + e_.result_register(load_, *postponed_part_) + ", " +
                    registers_[*postponed_part_]);
    }

private:
    Emitter& e_;
    const Instruction& load_;
    std::vector<std::string> registers_;
    std::optional<std::size_t> postponed_part_;
};

}  // namespace

void emit_load(Emitter& e, const Instruction& i) {
    const std::vector<ScalarPart> parts = list_scalar_parts(*i.type);
    const std::string order = order_text(i), cache = is_read_only(e, i) ? ".nc" : "";
    if (i.has_flag(flag::is_atomic) && i.ordering == Ordering::seq_cst) e.emit_ptx("fence.sc.sys");
    const u32 align = i.align ? i.align : abi_alignment(*i.type);
    const std::vector<MemoryAccess> memory_accesses = plan_accesses(*i.type, align);
    const LoadTargets targets(e, i, memory_accesses.size() == 1);
    for (const MemoryAccess& access : memory_accesses) {
        const ScalarPart& part = parts[access.first];
        if (register_bits(*part.type) == 1) {
            load_predicate(e, i, access, targets[access.first]);
        } else if (const u64 piece = access_bytes_for_part(access, align); piece < access.bytes) {
            load_part_in_pieces(e, i, part, targets[access.first], piece);
        } else {
            AccessRegisters access_registers = plan_access_registers(e, access);
            std::vector<std::string> to = access_registers.registers;
            for (std::size_t k = 0; access_registers.elements_per_register == 1 && k < access.count;
                 ++k) {
                to.push_back(targets[access.first + k]);
            }
            const auto address = e.format_address(i.operands[0], static_cast<i64>(access.offset));
            e.emit_ptx("ld" + order + address.space + cache + vector_text(to.size()) + ".b" +
                       std::to_string(8 * access_registers.bytes) + " " + brace_list(to) + ", [" +
                       address.text + "]");
            unpack_access_registers(e, i, access, access_registers);
        }
    }
    targets.set_postponed_target();
}

void emit_store(Emitter& e, const Instruction& i) {
    const Value* value = i.operands[0];
    const std::vector<ScalarPart> parts = list_scalar_parts(*value->type);
    if (i.has_flag(flag::is_atomic) && i.ordering == Ordering::seq_cst) e.emit_ptx("fence.sc.sys");
    const u32 align = i.align ? i.align : abi_alignment(*value->type);
    for (const MemoryAccess& access : plan_accesses(*value->type, align)) {
        const ScalarPart& part = parts[access.first];
        if (const u64 piece = access_bytes_for_part(access, align); piece < access.bytes) {
            store_part_in_pieces(e, i, part, access.first, piece);
            continue;
        }
        AccessRegisters access_registers = plan_access_registers(e, access);
        std::vector<std::string> sources = access_registers.registers;
        if (access_registers.elements_per_register > 1)
            pack_registers(e, value, access, access_registers);
        for (std::size_t k = 0; access_registers.elements_per_register == 1 && k < access.count;
             ++k) {
            std::string text = e.format_operand_bits(value, access.first + k);
            if (register_bits(*part.type) == 1) {
                const std::string byte = e.make_register(Register::b16);
                e.emit_ptx("selp.b16 " + byte + ", 1, 0, " + text);
                text = byte;
            }
            sources.push_back(text);
        }
        const auto address = e.format_address(i.operands[1], static_cast<i64>(access.offset));
        e.emit_ptx("st" + order_text(i) + address.space + vector_text(sources.size()) + ".b" +
                   std::to_string(8 * access_registers.bytes) + " [" + address.text + "], " +
                   brace_list(sources));
    }
}

/// Emits a getelementptr with a single step. addresses.cpp has split every getelementptr into such
/// steps.
void emit_getelementptr(Emitter& e, const Instruction& i) {
    const AddressTerms steps = address_terms(i);
    std::string address = e.format_register_operand(steps.base);
    for (const AddressTerms::Term& term : steps.terms) {
        std::string bytes = e.format_operand(term.index);
        if (term.scale != 1) {
            const std::string scaled_bytes = e.make_register(Register::b64);
            e.emit_ptx("mul.lo.s64 " + scaled_bytes + ", " + bytes + ", " +
                       std::to_string(term.scale));
            bytes = scaled_bytes;
        }
        const bool is_last = &term == &steps.terms.back() && steps.offset == 0;
        const std::string next_address =
            is_last ? e.result_register(i) : e.make_register(Register::b64);
        e.emit_ptx("add.s64 " + next_address + ", " + address + ", " + bytes);
        address = next_address;
    }
    if (steps.offset != 0 || steps.terms.empty()) {
        e.emit_ptx("add.s64 " + e.result_register(i) + ", " + address + ", " +
                   std::to_string(steps.offset));
    }
}

/// Emits nothing. Emitter::name_locals() declares the local variable.
void emit_alloca(Emitter&, const Instruction&) {}

}  // namespace coalesce::translator
