// Generates operations that the lanes of a warp execute together. All lanes of the mask
// participate. A value read from a lane outside the mask is discarded.
#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

constexpr const char* kFullMask = "0xffffffffu";

Type random_shuffle_type(Kernel& kernel) {
    return kernel.random.pick(
        {Type::u32, Type::u32, Type::i32, Type::u64, Type::i64, Type::f32, Type::f64});
}

struct ShufflePattern {
    const char* call_pattern;  ///< a call in which $1 is the mask and $2 the width
    const char* from;          ///< the lane that the value comes from; $2 is the width
};
constexpr ShufflePattern kShufflePatterns[] = {
    {"__shfl_sync($1, @x, (i32)(@by), $2)", "(lane & ~($2 - 1u)) | (@by & ($2 - 1u))"},
    {"__shfl_up_sync($1, @x, @by, $2)", "(lane & ($2 - 1u)) >= @by ? lane - @by : lane"},
    {"__shfl_down_sync($1, @x, @by, $2)", "(lane & ($2 - 1u)) + @by < $2 ? lane + @by : lane"},
    {"__shfl_xor_sync($1, @x, (i32)@by, $2)", "lane ^ @by"}};

void generate_shuffle(Kernel& kernel, StatementPlace& place) {
    Random& random = kernel.random;
    const u32 shuffle_index = random.below(std::size(kShufflePatterns));
    const int width = random.pick({32, 32, 32, 16, 8, 4, 2});
    const Type type = random_shuffle_type(kernel);
    // For `idx`, each lane may read from any other lane. For `up` and `down`, the distance is
    // limited.
    kernel.write("const $1 @x = $2;",
                 {type, random_expression(kernel, type, UniformIn::thread, 2)});
    if (shuffle_index == 0)
        kernel.write("const u32 @by = $u;");
    else
        kernel.write("const u32 @by = ($1) % $2u;",
                     {random_expression(kernel, Type::u32, UniformIn::launch, 1), width});
    const std::vector<PatternArgument> words = {place.lane_mask, width, type};
    kernel.write(
        "const $3 @got = " + std::string(kShufflePatterns[shuffle_index].call_pattern) + ";",
        words);
    if (place.lane_mask == kFullMask) return generate_use_of_pattern(kernel, place, "@got", type);
    kernel.write("const u32 @from = " + std::string(kShufflePatterns[shuffle_index].from) + ";",
                 words);
    generate_use_of_pattern(kernel, place, "(" + place.lane_mask + " >> @from & 1 ? @got : @x)",
                            type);
}

/// Broadcasts a value from the first active lane to all.
void generate_broadcast(Kernel& kernel, StatementPlace& place) {
    const Type type = random_shuffle_type(kernel);
    const std::string text =
        fill_arguments("__shfl_sync($1, $2, __ffs((i32)$1) - 1)",
                       {place.lane_mask, random_expression(kernel, type, UniformIn::thread, 2)});
    const bool is_uniform_in_warp =
        is_uniform_within(place.arriving_together, UniformIn::warp) && kernel.random.percent(50);
    generate_use_of_pattern(kernel, place, text, type,
                            is_uniform_in_warp ? UniformIn::warp : UniformIn::thread);
}

void generate_vote(Kernel& kernel, StatementPlace& place) {
    const char* pattern =
        kernel.random.pick({"__ballot_sync($1, $2)", "(__all_sync($1, $2) ? 5u : 3u)",
                            "(__any_sync($1, $2) ? 9u : 2u)",
                            "(u32)__popc(__ballot_sync($1, $2) & ((1u << lane) - 1))",
                            "(__uni_sync($1, $2) ? 6u : 1u)"});
    // The result of a vote is uniform across the warp, unless the pattern contains the lane.
    const bool is_same_for_all_lanes = std::string(pattern).find("lane") == std::string::npos;
    generate_use_of_pattern(
        kernel, place,
        fill_arguments(pattern, {place.lane_mask, random_condition(kernel, UniformIn::thread, 2)}),
        Type::u32,
        is_same_for_all_lanes && is_uniform_within(place.arriving_together, UniformIn::warp)
            ? UniformIn::warp
            : UniformIn::thread);
}

void generate_match(Kernel& kernel, StatementPlace& place) {
    const char* pattern = kernel.random.pick({"__match_any_sync($1, $u & 3)",
                                              "__match_any_sync($1, $U & 0x100000001ull)",
                                              "__match_any_sync($1, (u32)($i >> 30))"});
    if (kernel.random.percent(70)) {
        return generate_use_of_pattern(
            kernel, place,
            expand_pattern(kernel, pattern, UniformIn::thread, 1, {place.lane_mask}));
    }
    const UniformIn uniform_in = kernel.random.pick({UniformIn::warp, UniformIn::thread});
    kernel.write("int @equal;\nconst u32 @lanes = __match_all_sync($1, (u32)($2), &@equal);",
                 {place.lane_mask, random_expression(kernel, Type::u32, uniform_in, 1)});
    generate_use_of_pattern(kernel, place, "(@equal ? @lanes : 77u)");
}

void generate_warp_reduction(Kernel& kernel, StatementPlace& place) {
    const bool may_be_signed = kernel.random.percent(40);
    const char* operation = may_be_signed
                                ? kernel.random.pick({"min", "max", "add"})
                                : kernel.random.pick({"add", "min", "max", "and", "or", "xor"});
    const Type type = may_be_signed ? Type::i32 : Type::u32;
    // Shift the value right, so that the sum of 32 such values does not overflow a signed integer.
    std::string text = random_expression(kernel, type, UniformIn::thread, 2);
    if (may_be_signed) text = "(" + text + " >> 6)";
    generate_use_of_pattern(
        kernel, place,
        fill_arguments("__reduce_$1_sync($2, $3)", {operation, place.lane_mask, text}), type,
        is_uniform_within(place.arriving_together, UniformIn::warp) ? UniformIn::warp
                                                                    : UniformIn::thread);
}

/// Generates a sum over the warp in five steps, either for all lanes or as a prefix sum.
void generate_shuffle_sum(Kernel& kernel, StatementPlace& place) {
    if (place.lane_mask != kFullMask) return generate_warp_reduction(kernel, place);
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
    generate_use_of_pattern(kernel, place, "@sum", type);
}

/// Generates a branch that lanes with the same key take together.
void generate_branch_by_key(Kernel& kernel, StatementPlace& place) {
    kernel.write("const u32 @key = ($u) % 3;\nconst u32 @peers = __match_any_sync($1, @key);",
                 {place.lane_mask});
    StatementPlace body = place.inside_divergence();
    body.lane_mask = kernel.name("peers");
    const Scope scope(kernel);
    kernel.register_constant("key");
    if (kernel.random.percent(50)) kernel.write("if (@key != $1u)", {kernel.random.below(3)});
    generate_scope(kernel, body, kernel.random.between(1, 2));
}

/// Generates a section of code that the lanes execute one after another.
void generate_loop_over_lanes(Kernel& kernel, StatementPlace& place) {
    kernel.write(
        "for (u32 @turn = 0; @turn < 32; @turn += 5) {\nif (lane >= @turn && lane < @turn + 5) {");
    generate_use_of_pattern(kernel, place.inside_divergence(), "$u + @turn");
    kernel.write("}\n__syncwarp($1);\n}", {place.lane_mask});
}

/// Generates a loop in which all lanes of a warp work together on one lane's task after another.
void generate_loop_serving_lanes(Kernel& kernel, StatementPlace& place) {
    kernel.write(
        "const u32 @mine = $u;\n"
        "for (u32 @left = __ballot_sync($1, ($u & 7) < 2); @left != 0; @left &= @left - 1) {\n"
        "const i32 @leader = __ffs((i32)@left) - 1;\n"
        "const u32 @task = __shfl_sync($1, @mine, @leader);",
        {place.lane_mask});
    const Scope scope(kernel);
    kernel.register_constant("task");
    generate_use_of_pattern(kernel, place,
                            "__reduce_add_sync(" + place.lane_mask + ", @task ^ $u)");
    kernel.write("}");
}

/// Generates an exchange of values through shared memory that belongs to the warp, without a
/// block-wide barrier.
void generate_exchange_within_warp(Kernel& kernel, StatementPlace& place) {
    const Type type = random_type(kernel);
    if (!kernel.reserve_shared(kernel.threads * bits_of(type) / 8))
        return generate_shuffle(kernel, place);
    kernel.write("__shared__ $1 @slots[$2];\n@slots[tid] = $3;\n__syncwarp($4);",
                 {type, kernel.threads, random_expression(kernel, type, UniformIn::thread, 2),
                  place.lane_mask});
    kernel.write(
        "const u32 @from = ($u + lane * $k) & 31;\n"
        "const $1 @got = @slots[$2 >> @from & 1 ? tid - lane + @from : tid];\n__syncwarp($2);",
        {type, place.lane_mask});
    generate_use_of_pattern(kernel, place, "@got", type);
}

}  // namespace

std::vector<Construct> warp_constructs() {
    return {{Requirement::lanes, false, 8, generate_shuffle},
            {Requirement::lanes, false, 3, generate_broadcast},
            {Requirement::lanes, false, 6, generate_vote},
            {Requirement::lanes, false, 4, generate_match},
            {Requirement::lanes, false, 4, generate_warp_reduction},
            {Requirement::lanes, false, 4, generate_shuffle_sum},
            {Requirement::lanes, true, 4, generate_branch_by_key},
            {Requirement::lanes, false, 2, generate_loop_over_lanes},
            {Requirement::lanes, false, 3, generate_loop_serving_lanes},
            {Requirement::lanes, false, 4, generate_exchange_within_warp}};
}

}  // namespace coalesce::campaign
