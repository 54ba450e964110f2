// Generates constructs that assign values, compute conditions, and choose between values.
#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

void assign(Kernel& kernel, StatementPlace& place) {
    const Variable to = target(kernel, place);
    std::string text = value(kernel, to.type, to.uniform_in, kernel.random.between(1, 3));
    if (is_real(to.type))
        text = convert(kernel, text, to.type == Type::f32 ? Type::f64 : Type::f32, to.type);
    kernel.write("$1 = $2;", {to.name, text});
}

void add_to_variable(Kernel& kernel, StatementPlace& place) {
    const Type type = random_type(kernel);
    const UniformIn same = random_sharing(kernel);
    absorb(kernel, place, value(kernel, type, same, kernel.random.between(1, 2)), type, same);
}

void declare_another(Kernel& kernel, StatementPlace&) {
    const Type type = random_type(kernel);
    const UniformIn same = random_sharing(kernel);
    kernel.declare(type, same, value(kernel, type, same, 2));
}

/// Generates an expression that combines values of different classes, to check that the simulator
/// does not confuse values computed per launch, per block and per position in the block.
void mix_classes(Kernel& kernel, StatementPlace& place) {
    const auto term = [&](UniformIn same) { return value(kernel, Type::u32, same, 1); };
    absorb(kernel, place,
           fill("(($1) * ($2) + ($3))",
                {term(UniformIn::launch), term(UniformIn::block), term(UniformIn::position)}));
}

/// Generates predicates that stay live across several statements and are combined with each other.
void predicates(Kernel& kernel, StatementPlace& place) {
    kernel.write("bool @p = $b, @q = $b;\nif (@p) @q = !@q || $b;");
    if (kernel.random.percent(50)) kernel.write("@p ^= @q & $b;");
    absorb(kernel, place, "(@p ? $u : @q ? $u : 7u)");
    kernel.write("if (@p && !@q) {");
    absorb(kernel, place.inside_divergence(), "$u");
    kernel.write("}");
}

/// Generates an if with an else. If the lanes diverge, the code in a branch may use the mask of the
/// lanes that take this branch.
void write_if_else(Kernel& kernel, StatementPlace& place) {
    const UniformIn same = random_sharing(kernel);
    std::string test = condition(kernel, same, 2);
    StatementPlace yes = place.inside_block(same), no = yes;
    if (!is_uniform_within(same, UniformIn::warp) && !place.mask.empty() &&
        kernel.random.percent(60)) {
        kernel.write("const u32 @chosen = __ballot_sync($1, $2);", {place.mask, test});
        yes.mask = kernel.name("chosen");
        no.mask = fill("($1 & ~$2)", {place.mask, yes.mask});
        test = fill("($1 >> lane & 1) != 0", {yes.mask});
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
    return {{Requirement::nothing, false, 10, assign},
            {Requirement::nothing, false, 8, add_to_variable},
            {Requirement::nothing, false, 4, declare_another},
            {Requirement::kernel, false, 5, mix_classes},
            {Requirement::nothing, false, 2, predicates},
            {Requirement::nothing, true, 14, write_if_else}};
}

}  // namespace coalesce::campaign
