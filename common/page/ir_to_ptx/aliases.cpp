#include "page/ir_to_ptx/aliases.h"

#include <numeric>

#include "page/ir_to_ptx/layout.h"

namespace coalesce::translator {

namespace {

/// The kind of object that an address points into.
enum class BaseKind { local, variable, no_alias_argument, argument, other };

BaseKind kind_of_base(const Value& base) {
    if (base.has_kind(Value::Kind::variable)) return BaseKind::variable;
    if (base.has_kind(Value::Kind::argument)) {
        const auto& argument = static_cast<const Argument&>(base);
        return argument.is_no_alias || argument.by_value ? BaseKind::no_alias_argument
                                                         : BaseKind::argument;
    }
    const Instruction* i = as_instruction(&base);
    return i && i->op == Op::alloca ? BaseKind::local : BaseKind::other;
}

/// Reports whether an object of this kind can be accessed only through addresses that are derived
/// from the object.
bool is_identified(BaseKind object) {
    return object <= BaseKind::no_alias_argument;
}
bool belongs_to_function(BaseKind object) {
    return object == BaseKind::local || object == BaseKind::no_alias_argument;
}

bool are_bases_distinct(const Value& a, const Value& b) {
    const BaseKind kind_a = kind_of_base(a), kind_b = kind_of_base(b);
    if (is_identified(kind_a) && is_identified(kind_b)) return true;
    return (belongs_to_function(kind_a) && kind_b == BaseKind::argument) ||
           (belongs_to_function(kind_b) && kind_a == BaseKind::argument);
}

/// Reports whether two accesses to the same object may overlap.
bool may_overlap(const Access& a, const Access& b) {
    if (a.bytes < 0 || b.bytes < 0) return true;
    const i64 distance = b.address.offset - a.address.offset;
    // The distance between the accesses is a constant plus an unknown multiple of `step`.
    u64 step = 0;
    auto terms = a.address.terms;
    for (const auto& [term, scale] : b.address.terms) terms[term] -= scale;
    for (const auto& [term, scale] : terms)
        step = std::gcd(step, static_cast<u64>(scale < 0 ? -scale : scale));
    if (step == 0) return distance < a.bytes && -distance < b.bytes;
    step &= ~step + 1;  // sums wrap around at a power of two
    const i64 remainder = static_cast<i64>(static_cast<u64>(distance) & (step - 1));
    return remainder < a.bytes || static_cast<i64>(step) - remainder < b.bytes;
}

bool is_constant_memory(const Access& access) {
    if (access.space == Space::constant || access.space == Space::param) return true;
    const Value& base = *access.address.base;
    return base.has_kind(Value::Kind::variable) &&
           static_cast<const Variable&>(base).is_constant_data;
}

Access access_at(const Value* pointer, i64 bytes) {
    return {linear_address(pointer), pointer->type->space, bytes};
}

/// Reports whether a memcpy or memset may write the accessed bytes or, if `includes_reads` is set,
/// read them.
bool may_copy_change(const Instruction& call, const std::string& name, const Access& access,
                     bool includes_reads) {
    i64 bytes = -1;
    if (call.operands.size() < 3 || !is_number(call.operands[2], bytes)) bytes = -1;
    if (may_alias(access_at(call.operands[0], bytes), access)) return true;
    return includes_reads && !name.starts_with("llvm.memset") &&
           may_alias(access_at(call.operands[1], bytes), access);
}

bool may_call_change(const Instruction& call, const Access& access, bool includes_reads) {
    const Function* function = called_function(call);
    if (!function || !function->name.starts_with("llvm.")) return true;
    const std::string& name = function->name;
    if (name.starts_with("llvm.mem") && call.operands.size() >= 3)
        return may_copy_change(call, name, access, includes_reads);
    if (name.starts_with("llvm.lifetime."))
        return may_alias(access_at(call.operands.back(), -1), access);
    // A call that always returns can only compute a value or read a special register, so it does
    // not change memory. Atomics are the exception.
    return !always_continues(call) || name.find(".atomic.") != name.npos;
}

}  // namespace

Access find_access(const Instruction& i) {
    const Value* pointer = i.op == Op::store ? i.operands[1] : i.operands[0];
    const Type& type = i.op == Op::store ? *i.operands[0]->type : *i.type;
    return {linear_address(pointer), pointer->type->space, static_cast<i64>(store_size(type))};
}

bool may_alias(const Access& a, const Access& b) {
    if (a.space != Space::generic && b.space != Space::generic && a.space != b.space) return false;
    if (a.address.base == b.address.base) return may_overlap(a, b);
    return !are_bases_distinct(*a.address.base, *b.address.base);
}

bool may_change(const Instruction& i, const Access& access, bool includes_reads) {
    if (is_constant_memory(access)) return false;
    switch (i.op) {
        case Op::load:
            if (i.has_flag(flag::is_volatile) || i.ordering > Ordering::unordered) return true;
            return includes_reads && !i.has_flag(flag::invariant) &&
                   may_alias(find_access(i), access);
        case Op::store:
            if (i.has_flag(flag::is_volatile) || i.ordering > Ordering::unordered) return true;
            return may_alias(find_access(i), access);
        case Op::atomicrmw:
        case Op::cmpxchg:
        case Op::fence: return true;
        case Op::call: return may_call_change(i, access, includes_reads);
        default: return false;
    }
}

bool always_continues(const Instruction& i) {
    if (i.op == Op::store) return !i.has_flag(flag::is_volatile);
    if (i.op != Op::call) return true;
    const Function* function = called_function(i);
    return function && function->attributes.count("willreturn") != 0 &&
           function->attributes.count("nounwind") != 0;
}

}  // namespace coalesce::translator
