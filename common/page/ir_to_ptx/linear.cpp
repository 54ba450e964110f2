#include "page/ir_to_ptx/linear.h"

#include "page/ir_to_ptx/layout.h"

namespace coalesce::translator {

namespace {

/// The maximum nesting depth of a sum. A deeper sum is treated as a single value.
constexpr int kMaxDepth = 12;

class LinearSumBuilder {
public:
    explicit LinearSumBuilder(Linear& to) : sum_(to) {}

    /// Adds `factor` times the value. The value is first extended to 64 bits.
    void add(const Value* value, Extension extension, i64 factor, int depth) {
        if (i64 number = 0; is_number(value, number)) {
            sum_.offset += factor * extend_number(number, *value->type, extension);
            return;
        }
        const Instruction* i = as_instruction(value);
        if (!i || depth > kMaxDepth || !add_operation(*i, extension, factor, depth + 1))
            add_term(value, extension, factor);
    }

private:
    static i64 extend_number(i64 number, const Type& type, Extension extension) {
        if (extension != Extension::zero || type.bits >= 64) return number;
        return static_cast<i64>(static_cast<u64>(number) & ((u64{1} << type.bits) - 1));
    }

    void add_term(const Value* value, Extension extension, i64 factor) {
        i64& scale = sum_.terms[{value, extension}];
        scale += factor;
        if (scale == 0) sum_.terms.erase({value, extension});
    }

    /// Reports whether the operation gives the same result if its operands are extended before the
    /// operation. The results may differ if the operation can overflow.
    static bool commutes_with_extension(const Instruction& i, Extension extension) {
        switch (extension) {
            case Extension::none: return true;
            case Extension::sign: return i.has_flag(flag::nsw);
            default: return i.has_flag(flag::nuw);
        }
    }

    bool add_operation(const Instruction& i, Extension extension, i64 factor, int depth) {
        const auto& operands = i.operands;
        i64 number = 0;
        switch (i.op) {
            case Op::or_:
                if (!i.has_flag(flag::disjoint)) return false;
                add(operands[0], extension, factor, depth);
                add(operands[1], extension, factor, depth);
                return true;
            case Op::add:
                if (!commutes_with_extension(i, extension)) return false;
                add(operands[0], extension, factor, depth);
                add(operands[1], extension, factor, depth);
                return true;
            case Op::sub:
                if (!commutes_with_extension(i, extension)) return false;
                add(operands[0], extension, factor, depth);
                add(operands[1], extension, -factor, depth);
                return true;
            case Op::mul:
                if (!commutes_with_extension(i, extension) || !is_number(operands[1], number))
                    return false;
                add(operands[0], extension, factor * extend_number(number, *i.type, extension),
                    depth);
                return true;
            case Op::shl:
                if (!commutes_with_extension(i, extension) || !is_number(operands[1], number) ||
                    number < 0 || number > 62)
                    return false;
                add(operands[0], extension, static_cast<i64>(static_cast<u64>(factor) << number),
                    depth);
                return true;
            case Op::sext:
                return add_extended(operands[0], Extension::sign, extension, factor, depth);
            case Op::zext:
                return add_extended(operands[0],
                                    i.has_flag(flag::nneg) ? Extension::sign : Extension::zero,
                                    extension, factor, depth);
            case Op::freeze: return false;
            default: return false;
        }
    }

    /// Adds a value that is extended twice. Returns false for a sign extension followed by a zero
    /// extension, because these cannot be combined.
    bool add_extended(const Value* value, Extension inner, Extension outer, i64 factor, int depth) {
        if (outer == Extension::zero && inner == Extension::sign) return false;
        add(value, inner, factor, depth);
        return true;
    }

    Linear& sum_;
};

}  // namespace

Linear linear_address(const Value* pointer) {
    Linear linear;
    LinearSumBuilder sum(linear);
    for (const Operation* o = as_operation(pointer); o; o = as_operation(pointer)) {
        if (o->op == Op::addrspacecast ||
            (o->op == Op::bitcast && o->type->has_kind(Type::Kind::pointer))) {
            pointer = o->operands[0];
        } else if (o->op == Op::getelementptr) {
            const AddressTerms steps = address_terms(*o);
            linear.offset += steps.offset;
            for (const AddressTerms::Term& term : steps.terms) {
                const Extension extension =
                    term.index->type->bits < 64 ? Extension::sign : Extension::none;
                sum.add(term.index, extension, static_cast<i64>(term.scale), 0);
            }
            pointer = steps.base;
        } else {
            break;
        }
    }
    linear.base = pointer;
    return linear;
}

}  // namespace coalesce::translator
