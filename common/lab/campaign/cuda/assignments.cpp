// Generates constructs that assign values, compute conditions, and choose between values.
#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

void write_plain_assignment(Kernel& kernel, StatementPlace& place) {
    const Variable to = random_assignable_variable(kernel, place);
    std::string text =
        random_expression(kernel, to.type, to.uniform_in, kernel.random.between(1, 3));
    if (is_real(to.type))
        text = converted_expression(kernel, text, to.type == Type::f32 ? Type::f64 : Type::f32,
                                    to.type);
    kernel.write("$1 = $2;", {to.name, text});
}

void add_to_variable(Kernel& kernel, StatementPlace& place) {
    const Type type = random_type(kernel);
    const UniformIn same = random_uniform_scope(kernel);
    write_use_of(kernel, place, random_expression(kernel, type, same, kernel.random.between(1, 2)),
                 type, same);
}

void declare_another(Kernel& kernel, StatementPlace&) {
    const Type type = random_type(kernel);
    const UniformIn same = random_uniform_scope(kernel);
    kernel.declare(type, same, random_expression(kernel, type, same, 2));
}

/// Generates an expression that combines values of different classes, to check that the simulator
/// does not confuse values computed per launch, per block and per position in the block.
void write_mixed_uniformity(Kernel& kernel, StatementPlace& place) {
    const auto term = [&](UniformIn same) { return random_expression(kernel, Type::u32, same, 1); };
    write_use_of(
        kernel, place,
        fill_arguments("(($1) * ($2) + ($3))", {term(UniformIn::launch), term(UniformIn::block),
                                                term(UniformIn::position)}));
}

/// Generates predicates that stay live across several statements and are combined with each other.
void write_live_predicates(Kernel& kernel, StatementPlace& place) {
    kernel.write("bool @p = $b, @q = $b;\nif (@p) @q = !@q || $b;");
    if (kernel.random.percent(50)) kernel.write("@p ^= @q & $b;");
    write_use_of(kernel, place, "(@p ? $u : @q ? $u : 7u)");
    kernel.write("if (@p && !@q) {");
    write_use_of(kernel, place.inside_divergence(), "$u");
    kernel.write("}");
}

/// Generates an if with an else. If the lanes diverge, the code in a branch may use the mask of the
/// lanes that take this branch.
void write_if_else(Kernel& kernel, StatementPlace& place) {
    const UniformIn same = random_uniform_scope(kernel);
    std::string test = random_condition(kernel, same, 2);
    StatementPlace yes = place.inside_block(same), no = yes;
    if (!is_uniform_within(same, UniformIn::warp) && !place.mask.empty() &&
        kernel.random.percent(60)) {
        kernel.write("const u32 @chosen = __ballot_sync($1, $2);", {place.mask, test});
        yes.mask = kernel.name("chosen");
        no.mask = fill_arguments("($1 & ~$2)", {place.mask, yes.mask});
        test = fill_arguments("($1 >> lane & 1) != 0", {yes.mask});
    }
    kernel.write("if ($1)", {test});
    write_scope(kernel, yes, kernel.random.between(1, 3));
    if (kernel.random.percent(45)) {
        kernel.write("else");
        write_scope(kernel, no, kernel.random.between(1, 2));
    }
}

}  // namespace

std::vector<Construct> assignment_constructs() {
    return {{Requirement::nothing, false, 10, write_plain_assignment},
            {Requirement::nothing, false, 8, add_to_variable},
            {Requirement::nothing, false, 4, declare_another},
            {Requirement::kernel, false, 5, write_mixed_uniformity},
            {Requirement::nothing, false, 2, write_live_predicates},
            {Requirement::nothing, true, 14, write_if_else}};
}

}  // namespace coalesce::campaign
