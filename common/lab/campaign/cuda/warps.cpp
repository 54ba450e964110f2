// Generates operations that the lanes of a warp execute together. All lanes of the mask
// participate. A value read from a lane outside the mask is discarded.
#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

constexpr const char* kFullMask = "0xffffffffu";

Type random_wide_type(Kernel& kernel) {
    return kernel.random.pick(
        {Type::u32, Type::u32, Type::i32, Type::u64, Type::i64, Type::f32, Type::f64});
}

struct Shuffle {
    const char* call;  ///< a call in which $1 is the mask and $2 the width
    const char* from;  ///< the lane that the value comes from; $2 is the width
};
constexpr Shuffle kShuffles[] = {
    {"__shfl_sync($1, @x, (i32)(@by), $2)", "(lane & ~($2 - 1u)) | (@by & ($2 - 1u))"},
    {"__shfl_up_sync($1, @x, @by, $2)", "(lane & ($2 - 1u)) >= @by ? lane - @by : lane"},
    {"__shfl_down_sync($1, @x, @by, $2)", "(lane & ($2 - 1u)) + @by < $2 ? lane + @by : lane"},
    {"__shfl_xor_sync($1, @x, (i32)@by, $2)", "lane ^ @by"}};

void shuffle(Kernel& kernel, StatementPlace& place) {
    Random& random = kernel.random;
    const u32 which = random.below(std::size(kShuffles));
    const int width = random.pick({32, 32, 32, 16, 8, 4, 2});
    const Type type = random_wide_type(kernel);
    // For `idx`, each lane may read from any other lane. For `up` and `down`, the distance is
    // limited.
    kernel.write("const $1 @x = $2;",
                 {type, random_expression(kernel, type, UniformIn::thread, 2)});
    if (which == 0)
        kernel.write("const u32 @by = $u;");
    else
        kernel.write("const u32 @by = ($1) % $2u;",
                     {random_expression(kernel, Type::u32, UniformIn::launch, 1), width});
    const std::vector<PatternArgument> words = {place.mask, width, type};
    kernel.write("const $3 @got = " + std::string(kShuffles[which].call) + ";", words);
    if (place.mask == kFullMask) return write_use_of(kernel, place, "@got", type);
    kernel.write("const u32 @from = " + std::string(kShuffles[which].from) + ";", words);
    write_use_of(kernel, place, "(" + place.mask + " >> @from & 1 ? @got : @x)", type);
}

/// Broadcasts a value from the first active lane to all.
void broadcast(Kernel& kernel, StatementPlace& place) {
    const Type type = random_wide_type(kernel);
    const std::string text =
        fill_arguments("__shfl_sync($1, $2, __ffs((i32)$1) - 1)",
                       {place.mask, random_expression(kernel, type, UniformIn::thread, 2)});
    const bool is_of_warp =
        is_uniform_within(place.arriving_together, UniformIn::warp) && kernel.random.percent(50);
    write_use_of(kernel, place, text, type, is_of_warp ? UniformIn::warp : UniformIn::thread);
}

void vote(Kernel& kernel, StatementPlace& place) {
    const char* pattern =
        kernel.random.pick({"__ballot_sync($1, $2)", "(__all_sync($1, $2) ? 5u : 3u)",
                            "(__any_sync($1, $2) ? 9u : 2u)",
                            "(u32)__popc(__ballot_sync($1, $2) & ((1u << lane) - 1))",
                            "(__uni_sync($1, $2) ? 6u : 1u)"});
    // The result of a vote is uniform across the warp, unless the pattern contains the lane.
    const bool is_whole = std::string(pattern).find("lane") == std::string::npos;
    write_use_of(
        kernel, place,
        fill_arguments(pattern, {place.mask, random_condition(kernel, UniformIn::thread, 2)}),
        Type::u32,
        is_whole && is_uniform_within(place.arriving_together, UniformIn::warp)
            ? UniformIn::warp
            : UniformIn::thread);
}

void write_match(Kernel& kernel, StatementPlace& place) {
    const char* pattern = kernel.random.pick({"__match_any_sync($1, $u & 3)",
                                              "__match_any_sync($1, $U & 0x100000001ull)",
                                              "__match_any_sync($1, (u32)($i >> 30))"});
    if (kernel.random.percent(70)) {
        return write_use_of(kernel, place,
                            expand_pattern(kernel, pattern, UniformIn::thread, 1, {place.mask}));
    }
    const UniformIn same = kernel.random.pick({UniformIn::warp, UniformIn::thread});
    kernel.write("int @equal;\nconst u32 @lanes = __match_all_sync($1, (u32)($2), &@equal);",
                 {place.mask, random_expression(kernel, Type::u32, same, 1)});
    write_use_of(kernel, place, "(@equal ? @lanes : 77u)");
}

void write_warp_reduction(Kernel& kernel, StatementPlace& place) {
    const bool is_signed_too = kernel.random.percent(40);
    const char* operation = is_signed_too
                                ? kernel.random.pick({"min", "max", "add"})
                                : kernel.random.pick({"add", "min", "max", "and", "or", "xor"});
    const Type type = is_signed_too ? Type::i32 : Type::u32;
    // Shift the value right, so that the sum of 32 such values does not overflow a signed integer.
    std::string text = random_expression(kernel, type, UniformIn::thread, 2);
    if (is_signed_too) text = "(" + text + " >> 6)";
    write_use_of(kernel, place,
                 fill_arguments("__reduce_$1_sync($2, $3)", {operation, place.mask, text}), type,
                 is_uniform_within(place.arriving_together, UniformIn::warp) ? UniformIn::warp
                                                                             : UniformIn::thread);
}

/// Generates a sum over the warp in five steps, either for all lanes or as a prefix sum.
void shuffle_sum(Kernel& kernel, StatementPlace& place) {
    if (place.mask != kFullMask) return write_warp_reduction(kernel, place);
    const Type type = kernel.random.pick({Type::u32, Type::u64, Type::u32});
    kernel.write("$1 @sum = $2;", {type, random_expression(kernel, type, UniformIn::thread, 2)});
    kernel.write(
        kernel.random.pick(
            {"for (u32 by = 16; by > 0; by /= 2) @sum += __shfl_xor_sync(0xffffffffu, @sum, "
             "(i32)by);",
             "for (u32 by = 16; by > 0; by >>= 1) @sum ^= __shfl_down_sync(0xffffffffu, @sum, by);",
             "for (u32 by = 1; by < 32; by *= 2) {\n"
             "const $1 below = __shfl_up_sync(0xffffffffu, @sum, by);\n"
             "if (lane >= by) @sum += below;\n}"}),
        {type});
    write_use_of(kernel, place, "@sum", type);
}

/// Generates a branch that lanes with the same key take together.
void branch_by_key(Kernel& kernel, StatementPlace& place) {
    kernel.write("const u32 @key = ($u) % 3;\nconst u32 @peers = __match_any_sync($1, @key);",
                 {place.mask});
    StatementPlace body = place.inside_divergence();
    body.mask = kernel.name("peers");
    const Scope scope(kernel);
    kernel.declare_constant("key");
    if (kernel.random.percent(50)) kernel.write("if (@key != $1u)", {kernel.random.below(3)});
    write_scope(kernel, body, kernel.random.between(1, 2));
}

/// Generates a section of code that the lanes execute one after another.
void visit_lanes_in_turn(Kernel& kernel, StatementPlace& place) {
    kernel.write(
        "for (u32 @turn = 0; @turn < 32; @turn += 5) {\nif (lane >= @turn && lane < @turn + 5) {");
    write_use_of(kernel, place.inside_divergence(), "$u + @turn");
    kernel.write("}\n__syncwarp($1);\n}", {place.mask});
}

/// Generates a loop in which all lanes of a warp work together on one lane's task after another.
void serve_lanes_in_turn(Kernel& kernel, StatementPlace& place) {
    kernel.write(
        "const u32 @mine = $u;\n"
        "for (u32 @left = __ballot_sync($1, ($u & 7) < 2); @left != 0; @left &= @left - 1) {\n"
        "const i32 @leader = __ffs((i32)@left) - 1;\n"
        "const u32 @task = __shfl_sync($1, @mine, @leader);",
        {place.mask});
    const Scope scope(kernel);
    kernel.declare_constant("task");
    write_use_of(kernel, place, "__reduce_add_sync(" + place.mask + ", @task ^ $u)");
    kernel.write("}");
}

/// Generates an exchange of values through shared memory that belongs to the warp, without a
/// block-wide barrier.
void exchange_within_warp(Kernel& kernel, StatementPlace& place) {
    const Type type = random_type(kernel);
    if (!kernel.reserve_shared(kernel.threads * bits_of(type) / 8)) return shuffle(kernel, place);
    kernel.write(
        "__shared__ $1 @slots[$2];\n@slots[tid] = $3;\n__syncwarp($4);",
        {type, kernel.threads, random_expression(kernel, type, UniformIn::thread, 2), place.mask});
    kernel.write(
        "const u32 @from = ($u + lane * $k) & 31;\n"
        "const $1 @got = @slots[$2 >> @from & 1 ? tid - lane + @from : tid];\n__syncwarp($2);",
        {type, place.mask});
    write_use_of(kernel, place, "@got", type);
}

}  // namespace

std::vector<Construct> warp_constructs() {
    return {{Requirement::lanes, false, 8, shuffle},
            {Requirement::lanes, false, 3, broadcast},
            {Requirement::lanes, false, 6, vote},
            {Requirement::lanes, false, 4, write_match},
            {Requirement::lanes, false, 4, write_warp_reduction},
            {Requirement::lanes, false, 4, shuffle_sum},
            {Requirement::lanes, true, 4, branch_by_key},
            {Requirement::lanes, false, 2, visit_lanes_in_turn},
            {Requirement::lanes, false, 3, serve_lanes_in_turn},
            {Requirement::lanes, false, 4, exchange_within_warp}};
}

}  // namespace coalesce::campaign
