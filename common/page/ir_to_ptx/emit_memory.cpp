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
std::vector<MemoryAccess> accesses(const Type& type, u32 align) {
    const std::vector<ScalarPart> parts = list_scalar_parts(type);
    const bool is_together =
        type.has_kind(Type::Kind::vector) || type.has_kind(Type::Kind::integer);
    std::vector<MemoryAccess> all;
    for (std::size_t k = 0; k < parts.size();) {
        const u64 bytes = parts[k].bytes;
        std::size_t count = 1;
        for (std::size_t more = kMaxAccessBytes / bytes; is_together && more > 1; more /= 2) {
            const u64 whole = more * bytes;
            if (k + more > parts.size() || align % whole != 0 || parts[k].offset % whole != 0)
                continue;
            if (parts[k + more - 1].bytes != bytes) continue;
            count = more;
            break;
        }
        all.push_back({k, count, parts[k].offset, bytes});
        k += count;
    }
    return all;
}

std::string brace_list(const std::vector<std::string>& all) {
    if (all.size() == 1) return all[0];
    std::string text = "{";
    for (const std::string& one : all) text += (text.size() > 1 ? ", " : "") + one;
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
    AccessRegisters words;
    words.bytes = access.bytes;
    if (access.count <= 4) return words;
    words.elements_per_register = 4 / access.bytes;
    words.bytes = 4;
    for (std::size_t k = 0; k < access.count / words.elements_per_register; ++k) {
        words.registers.push_back(e.make_register(Register::b32));
    }
    return words;
}

void unpack_access_registers(Emitter& e, const Instruction& i, const MemoryAccess& access,
                             const AccessRegisters& words) {
    for (std::size_t k = 0; k < words.registers.size(); ++k) {
        std::vector<std::string> pieces;
        for (std::size_t m = 0; m < words.elements_per_register; ++m) {
            pieces.push_back(
                e.result_register(i, access.first + k * words.elements_per_register + m));
        }
        if (access.bytes == 2) {
            e.emit_ptx("mov.b32 " + brace_list(pieces) + ", " + words.registers[k]);
            continue;
        }
        for (std::size_t m = 0; m < words.elements_per_register; ++m) {
            const std::string moved = e.make_register(Register::b32);
            e.emit_ptx("shr.u32 " + moved + ", " + words.registers[k] + ", " +
                       std::to_string(8 * m));
            e.emit_ptx("cvt.u16.u32 " + pieces[m] + ", " + moved);
        }
    }
}

void pack(Emitter& e, const Value* value, const MemoryAccess& access,
          const AccessRegisters& words) {
    for (std::size_t k = 0; k < words.registers.size(); ++k) {
        const std::size_t first = access.first + k * words.elements_per_register;
        if (access.bytes == 2) {
            e.emit_ptx("mov.b32 " + words.registers[k] + ", " +
                       brace_list({e.format_register_operand(value, first),
                                   e.format_register_operand(value, first + 1)}));
            continue;
        }
        std::string sum = "0";
        for (std::size_t m = 0; m < words.elements_per_register; ++m) {
            const std::string wide = e.make_register(Register::b32),
                              moved = e.make_register(Register::b32);
            e.emit_ptx("cvt.u32.u8 " + wide + ", " + e.format_register_operand(value, first + m));
            e.emit_ptx("shl.b32 " + moved + ", " + wide + ", " + std::to_string(8 * m));
            const std::string all = m + 1 < words.elements_per_register
                                        ? e.make_register(Register::b32)
                                        : words.registers[k];
            e.emit_ptx("or.b32 " + all + ", " + moved + ", " + sum);
            sum = all;
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
std::string format_access(const Instruction& i, const Emitter::Address& at, u64 bytes) {
    return order_text(i) + at.space + ".b" + std::to_string(8 * bytes) + " ";
}

/// Emits code that loads the bytes [from, to) of a part to their positions in a register. Each half
/// of the bytes is loaded separately. The loads are in the same order as in the back end, because
/// their order determines how often a warp waits.
std::string load_bytes(Emitter& e, const Instruction& i, const ScalarPart& part, u64 from, u64 to,
                       u64 piece) {
    const std::string bits = ".b" + std::to_string(register_bits(*part.type)) + " ";
    const std::string all = e.make_register_for(*part.type);
    if (to - from == piece) {
        const auto at = e.format_address(i.operands[0], static_cast<i64>(part.offset + from));
        e.emit_ptx("ld" + format_access(i, at, piece) + all + ", [" + at.text + "]");
        if (from == 0) return all;
        const std::string moved = e.make_register_for(*part.type);
        e.emit_ptx("shl" + bits + moved + ", " + all + ", " + std::to_string(8 * from));
        return moved;
    }
    u64 half = piece;
    while (2 * half < to - from) half *= 2;
    const std::string low = load_bytes(e, i, part, from, from + half, piece);
    const std::string high = load_bytes(e, i, part, from + half, to, piece);
    e.emit_ptx("or" + bits + all + ", " + high + ", " + low);
    return all;
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
        const std::string moved = e.make_register_for(*part.type),
                          piece = e.make_register(register_for(bytes));
        e.emit_ptx("shr.u" + bits + " " + moved + ", " + value + ", " + std::to_string(8 * k));
        e.emit_ptx(to + bits + " " + piece + ", " + moved);
        const auto at = e.format_address(i.operands[1], static_cast<i64>(part.offset + k));
        e.emit_ptx("st" + format_access(i, at, bytes) + "[" + at.text + "], " + piece);
    }
}

/// Reports whether the load may use the read-only cache (.nc), because the memory that it reads
/// does not change while the kernel runs.
bool is_read_only(const Emitter& e, const Instruction& load) {
    if (load.has_flag(flag::is_volatile) || load.has_flag(flag::is_atomic)) return false;
    const Value* at = load.operands[0];
    if (at->type->space != Space::global) return false;
    if (load.has_flag(flag::invariant)) return true;
    for (const Operation* step = as_operation(at); step; step = as_operation(at)) {
        if (step->op != Op::getelementptr && step->op != Op::addrspacecast) return false;
        at = step->operands[0];
    }
    if (at->has_kind(Value::Kind::variable))
        return static_cast<const Variable*>(at)->is_constant_data;
    if (!at->has_kind(Value::Kind::argument) || !e.function.is_kernel) return false;
    const auto* argument = static_cast<const Argument*>(at);
    return argument->is_read_only && argument->is_no_alias;
}

void load_predicate(Emitter& e, const Instruction& i, const MemoryAccess& access,
                    const std::string& to) {
    const auto at = e.format_address(i.operands[0], static_cast<i64>(access.offset));
    const std::string byte = e.make_register(Register::b16), low = e.make_register(Register::b16);
    e.emit_ptx("ld" + format_access(i, at, 1) + byte + ", [" + at.text + "]");
    e.emit_ptx("and.b16 " + low + ", " + byte + ", 1");
    e.emit_ptx("setp.ne.b16 " + to + ", " + low + ", 0");
}

/// Provides a register for each part of a load. With several accesses, an early access must not
/// overwrite the address of a later one. If a register of the result contains the address, this
/// register is therefore set last.
class LoadTargets {
public:
    LoadTargets(Emitter& e, const Instruction& load, bool is_in_one) : e_(e), load_(load) {
        const std::string at = e.format_address(load.operands[0]).text;
        const std::string base = at.substr(0, at.find_first_of("+-"));
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
    const std::vector<MemoryAccess> all = accesses(*i.type, align);
    const LoadTargets targets(e, i, all.size() == 1);
    for (const MemoryAccess& access : all) {
        const ScalarPart& part = parts[access.first];
        if (register_bits(*part.type) == 1) {
            load_predicate(e, i, access, targets[access.first]);
        } else if (const u64 piece = access_bytes_for_part(access, align); piece < access.bytes) {
            load_part_in_pieces(e, i, part, targets[access.first], piece);
        } else {
            AccessRegisters words = plan_access_registers(e, access);
            std::vector<std::string> to = words.registers;
            for (std::size_t k = 0; words.elements_per_register == 1 && k < access.count; ++k) {
                to.push_back(targets[access.first + k]);
            }
            const auto at = e.format_address(i.operands[0], static_cast<i64>(access.offset));
            e.emit_ptx("ld" + order + at.space + cache + vector_text(to.size()) + ".b" +
                       std::to_string(8 * words.bytes) + " " + brace_list(to) + ", [" + at.text +
                       "]");
            unpack_access_registers(e, i, access, words);
        }
    }
    targets.set_postponed_target();
}

void emit_store(Emitter& e, const Instruction& i) {
    const Value* value = i.operands[0];
    const std::vector<ScalarPart> parts = list_scalar_parts(*value->type);
    if (i.has_flag(flag::is_atomic) && i.ordering == Ordering::seq_cst) e.emit_ptx("fence.sc.sys");
    const u32 align = i.align ? i.align : abi_alignment(*value->type);
    for (const MemoryAccess& access : accesses(*value->type, align)) {
        const ScalarPart& part = parts[access.first];
        if (const u64 piece = access_bytes_for_part(access, align); piece < access.bytes) {
            store_part_in_pieces(e, i, part, access.first, piece);
            continue;
        }
        AccessRegisters words = plan_access_registers(e, access);
        std::vector<std::string> sources = words.registers;
        if (words.elements_per_register > 1) pack(e, value, access, words);
        for (std::size_t k = 0; words.elements_per_register == 1 && k < access.count; ++k) {
            std::string text = e.format_operand_bits(value, access.first + k);
            if (register_bits(*part.type) == 1) {
                const std::string byte = e.make_register(Register::b16);
                e.emit_ptx("selp.b16 " + byte + ", 1, 0, " + text);
                text = byte;
            }
            sources.push_back(text);
        }
        const auto at = e.format_address(i.operands[1], static_cast<i64>(access.offset));
        e.emit_ptx("st" + order_text(i) + at.space + vector_text(sources.size()) + ".b" +
                   std::to_string(8 * words.bytes) + " [" + at.text + "], " + brace_list(sources));
    }
}

/// Emits a getelementptr with a single step. addresses.cpp has split every getelementptr into such
/// steps.
void emit_getelementptr(Emitter& e, const Instruction& i) {
    const AddressTerms steps = address_terms(i);
    std::string at = e.format_register_operand(steps.base);
    for (const AddressTerms::Term& term : steps.terms) {
        std::string bytes = e.format_operand(term.index);
        if (term.scale != 1) {
            const std::string scaled = e.make_register(Register::b64);
            e.emit_ptx("mul.lo.s64 " + scaled + ", " + bytes + ", " + std::to_string(term.scale));
            bytes = scaled;
        }
        const bool is_last = &term == &steps.terms.back() && steps.offset == 0;
        const std::string next = is_last ? e.result_register(i) : e.make_register(Register::b64);
        e.emit_ptx("add.s64 " + next + ", " + at + ", " + bytes);
        at = next;
    }
    if (steps.offset != 0 || steps.terms.empty()) {
        e.emit_ptx("add.s64 " + e.result_register(i) + ", " + at + ", " +
                   std::to_string(steps.offset));
    }
}

/// Emits nothing. Emitter::name_locals() declares the local variable.
void emit_alloca(Emitter&, const Instruction&) {}

}  // namespace coalesce::translator
