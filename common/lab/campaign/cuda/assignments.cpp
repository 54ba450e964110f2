// Generates constructs that assign values, compute conditions, and choose between values.
#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

void generate_plain_assignment(Kernel& kernel, StatementPlace& place) {
    const Variable assigned_variable = random_assignable_variable(kernel, place);
    std::string text = random_expression(kernel, assigned_variable.type,
                                         assigned_variable.uniform_in, kernel.random.between(1, 3));
    if (is_real(assigned_variable.type))
        text = convert_expression(kernel, text,
                                  assigned_variable.type == Type::f32 ? Type::f64 : Type::f32,
                                  assigned_variable.type);
    kernel.write("$1 = $2;", {assigned_variable.name, text});
}

void add_to_variable(Kernel& kernel, StatementPlace& place) {
    const Type type = random_type(kernel);
    const UniformIn uniform_in = random_uniform_scope(kernel);
    generate_use_of_pattern(
        kernel, place, random_expression(kernel, type, uniform_in, kernel.random.between(1, 2)),
        type, uniform_in);
}

void declare_random_variable(Kernel& kernel, StatementPlace&) {
    const Type type = random_type(kernel);
    const UniformIn uniform_in = random_uniform_scope(kernel);
    kernel.declare(type, uniform_in, random_expression(kernel, type, uniform_in, 2));
}

/// Generates an expression that combines values of different classes, to check that the simulator
/// does not confuse values computed per launch, per block and per position in the block.
void generate_mixed_uniformity(Kernel& kernel, StatementPlace& place) {
    const auto random_term = [&](UniformIn uniform_in) {
        return random_expression(kernel, Type::u32, uniform_in, 1);
    };
    generate_use_of_pattern(
        kernel, place,
        fill_arguments("(($1) * ($2) + ($3))",
                       {random_term(UniformIn::launch), random_term(UniformIn::block),
                        random_term(UniformIn::position)}));
}

/// Generates predicates that stay live across several statements and are combined with each other.
void generate_live_predicates(Kernel& kernel, StatementPlace& place) {
    kernel.write("bool @p = $b, @q = $b;\nif (@p) @q = !@q || $b;");
    if (kernel.random.percent(50)) kernel.write("@p ^= @q & $b;");
    generate_use_of_pattern(kernel, place, "(@p ? $u : @q ? $u : 7u)");
    kernel.write("if (@p && !@q) {");
    generate_use_of_pattern(kernel, place.inside_divergence(), "$u");
    kernel.write("}");
}

/// Generates an if with an else. If the lanes diverge, the code in a branch may use the mask of the
/// lanes that take this branch.
void generate_if_else(Kernel& kernel, StatementPlace& place) {
    const UniformIn uniform_in = random_uniform_scope(kernel);
    std::string condition = random_condition(kernel, uniform_in, 2);
    StatementPlace then_place = place.inside_block(uniform_in), else_place = then_place;
    if (!is_uniform_within(uniform_in, UniformIn::warp) && !place.lane_mask.empty() &&
        kernel.random.percent(60)) {
        kernel.write("const u32 @chosen = __ballot_sync($1, $2);", {place.lane_mask, condition});
        then_place.lane_mask = kernel.name("chosen");
        else_place.lane_mask =
            fill_arguments("($1 & ~$2)", {place.lane_mask, then_place.lane_mask});
        condition = fill_arguments("($1 >> lane & 1) != 0", {then_place.lane_mask});
    }
    kernel.write("if ($1)", {condition});
    generate_scope(kernel, then_place, kernel.random.between(1, 3));
    if (kernel.random.percent(45)) {
        kernel.write("else");
        generate_scope(kernel, else_place, kernel.random.between(1, 2));
    }
}

}  // namespace

std::vector<Construct> assignment_constructs() {
    return {{Requirement::nothing, false, 10, generate_plain_assignment},
            {Requirement::nothing, false, 8, add_to_variable},
            {Requirement::nothing, false, 4, declare_random_variable},
            {Requirement::kernel, false, 5, generate_mixed_uniformity},
            {Requirement::nothing, false, 2, generate_live_predicates},
            {Requirement::nothing, true, 14, generate_if_else}};
}

}  // namespace coalesce::campaign
