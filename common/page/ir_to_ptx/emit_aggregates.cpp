// Emits values with several parts: selects, and accesses to elements whose index is known only at
// run time. All other operations on aggregates emit nothing and only rename registers
// (renamed.cpp).
#include "page/ir_to_ptx/elements.h"

namespace coalesce::translator {

namespace {

/// Emits d = condition ? a : b for predicates.
void emit_predicate_select(Emitter& e, const std::string& d, const std::string& condition,
                           const Value* a, const Value* b, std::size_t part) {
    i64 number = 0;
    if (is_number(b, number) && number == 0) {
        return e.emit_ptx("and.pred " + d + ", " + condition + ", " + e.format_operand(a, part));
    }
    if (is_number(a, number) && number != 0) {
        return e.emit_ptx("or.pred " + d + ", " + condition + ", " + e.format_operand(b, part));
    }
    const std::string other = e.make_register(Register::predicate),
                      yes = e.make_register(Register::predicate),
                      no = e.make_register(Register::predicate);
    e.emit_ptx("and.pred " + yes + ", " + condition + ", " + e.format_operand(a, part));
    e.emit_ptx("not.pred " + other + ", " + condition);
    e.emit_ptx("and.pred " + no + ", " + other + ", " + e.format_operand(b, part));
    e.emit_ptx("or.pred " + d + ", " + yes + ", " + no);
}

/// Returns a predicate register that is true if the operand with index `operand` equals `k`.
std::string emit_index_test(Emitter& e, const Instruction& i, std::size_t operand, std::size_t k) {
    const std::string d = e.make_register(Register::predicate);
    const Type& type = *i.operands[operand]->type;
    e.emit_ptx("setp.eq.b" + std::to_string(register_bits(type)) + " " + d + ", " +
               e.extend_operand(i.operands[operand], false) + ", " + std::to_string(k));
    return d;
}

}  // namespace

void emit_select(Emitter& e, const Instruction& i) {
    const auto families = register_families(*i.type);
    const bool is_elementwise = i.operands[0]->type->has_kind(Type::Kind::vector);
    for (std::size_t part = 0; part < families.size(); ++part) {
        const std::size_t registers_per_element =
            is_elementwise ? register_count(*i.type->element()) : families.size();
        const std::string condition =
            e.format_operand(i.operands[0], is_elementwise ? part / registers_per_element : 0);
        const std::string d = e.result_register(i, part);
        if (families[part] == Register::predicate) {
            emit_predicate_select(e, d, condition, i.operands[1], i.operands[2], part);
            continue;
        }
        const std::string a = e.format_operand_bits(i.operands[1], part),
                          b = e.format_operand_bits(i.operands[2], part);
        e.emit_ptx("selp.b" + std::to_string(bits_of(families[part])) + " " + d + ", " + a + ", " +
                   b + ", " + condition);
    }
}

void emit_extractelement(Emitter& e, const Instruction& i) {
    const auto families = register_families(*i.type);
    const u64 count = i.operands[0]->type->count;
    for (std::size_t part = 0; part < families.size(); ++part) {
        if (families[part] == Register::predicate)
            fail(i, "a non-constant index into a vector of bools is not supported");
        std::string selected = e.format_operand_bits(i.operands[0], part);
        for (u64 k = 1; k < count; ++k) {
            const std::string condition = emit_index_test(e, i, 1, k),
                              next = e.make_register(families[part]);
            e.emit_ptx("selp.b" + std::to_string(bits_of(families[part])) + " " + next + ", " +
                       e.format_operand_bits(i.operands[0], k * families.size() + part) + ", " +
                       selected + ", " + condition);
            selected = next;
        }
        e.emit_ptx("mov.b" + std::to_string(bits_of(families[part])) + " " +
                   e.result_register(i, part) + ", " + selected);
    }
}

void emit_insertelement(Emitter& e, const Instruction& i) {
    const auto families = register_families(*i.operands[1]->type);
    for (u64 k = 0; k < i.type->count; ++k) {
        const std::string condition = emit_index_test(e, i, 2, k);
        for (std::size_t part = 0; part < families.size(); ++part) {
            if (families[part] == Register::predicate)
                fail(i, "a non-constant index into a vector of bools is not supported");
            e.emit_ptx("selp.b" + std::to_string(bits_of(families[part])) + " " +
                       e.result_register(i, k * families.size() + part) + ", " +
                       e.format_operand_bits(i.operands[1], part) + ", " +
                       e.format_operand_bits(i.operands[0], k * families.size() + part) + ", " +
                       condition);
        }
    }
}

// Emit nothing, because these instructions only rename registers. See fold.h and renamed.cpp.
void emit_extractvalue(Emitter&, const Instruction&) {}
void emit_insertvalue(Emitter&, const Instruction&) {}
void emit_shufflevector(Emitter&, const Instruction&) {}

}  // namespace coalesce::translator
