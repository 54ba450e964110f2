// Generates a kernel in these steps: draw its shape and the weights of its constructs, write device
// functions, declare variables of every class, write enough statements, and store all variables.
#include "lab/campaign/cuda/cuda_kernels.h"

#include <algorithm>

#include "base/text.h"
#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

constexpr const char* kTypeDefinitions =
    "using u8 = unsigned char; using u16 = unsigned short; using u32 = unsigned; using u64 = "
    "unsigned long long;\n"
    "using i8 = signed char; using i16 = short; using i32 = int; using i64 = long long;\n";

/// Draws the weights of the constructs. The weights differ between kernels, and some kernels
/// consist almost entirely of one construct.
std::vector<Construct> draw_construct_weights(Random& random, bool is_learner) {
    std::vector<std::vector<Construct>> groups = {assignment_constructs(), loop_constructs()};
    const auto add_groups = [&](std::initializer_list<std::vector<Construct>> more_groups) {
        groups.insert(groups.end(), more_groups);
    };
    // Learners do not write loops that are entered in the middle.
    if (!is_learner) add_groups({jump_constructs(), late_assignment_constructs()});
    add_groups({warp_constructs(), shared_constructs(), atomic_constructs(), memory_constructs(),
                function_constructs(), floating_point_constructs()});
    if (is_learner)
        add_groups({learner_constructs()});
    else
        add_groups({toolkit_constructs()});
    std::vector<Construct> all_constructs;
    for (const auto& group : groups) {
        // A weight of 0 leaves out the whole group, and a large weight makes the group frequent.
        const int group_weight = random.pick({0, 1, 1, 2, 4});
        for (Construct construct : group) {
            construct.weight *= group_weight * random.pick({0, 1, 1, 2, 3});
            all_constructs.push_back(construct);
        }
    }
    if (random.percent(25))
        all_constructs[random.below(static_cast<u32>(all_constructs.size()))].weight += 300;
    // The first construct can be used anywhere. Increase its weight, so that there is always a
    // construct to choose.
    all_constructs[0].weight += 4;
    return all_constructs;
}

/// Declares the mask of the lanes that exist in the current thread's warp.
void declare_lane_mask(Kernel& kernel, StatementPlace& place) {
    place.lane_mask = "0xffffffffu";
    if (kernel.threads % 32 == 0) return;
    place.lane_mask = "everyone";
    kernel.write("const u32 everyone = warp < $1 ? 0xffffffffu : (1u << $2) - 1;",
                 {kernel.threads / 32, kernel.threads % 32});
}

void declare_variables(Kernel& kernel) {
    for (const UniformIn same : {UniformIn::launch, UniformIn::block, UniformIn::warp,
                                 UniformIn::position, UniformIn::thread}) {
        const int count =
            same == UniformIn::thread ? kernel.random.between(2, 5) : kernel.random.between(0, 2);
        for (int i = 0; i < count; ++i) {
            const Type type = random_type(kernel);
            kernel.declare(type, same, random_expression(kernel, type, same, 2));
        }
    }
    // Guarantees that there is at least one variable to assign to.
    kernel.declare(Type::u32, UniformIn::thread, "tid * 2654435761u + seed");
}

void generate_statements(Kernel& kernel, StatementPlace& place) {
    const int statements_after_last_barrier =
        kernel.random.percent(40) ? kernel.random.between(0, kernel.remaining_statements) : 0;
    while (kernel.remaining_statements > 0) {
        if (kernel.remaining_statements <=
            statements_after_last_barrier) {  // from here on, no thread waits for another
            place.can_return = true;
            place.are_all_threads_active = false;
            place.lane_mask.clear();
        }
        generate_statement(kernel, place);
    }
}

/// Stores the bits of each variable. Clears the sign of floating-point zeros, which fmin() leaves
/// unspecified. If there are more variables than words of `out`, several variables share a word.
void store_variables(Kernel& kernel) {
    const int end = std::min(16, kernel.lowest_reserved_out_word);
    int word = 0;
    bool do_variables_share_words = false;
    for (const Variable& variable : kernel.variables) {
        const bool is_64_bits = bits_of(variable.type) == 64;
        if (is_64_bits) word = (word + 1) / 2 * 2;
        if (word + 2 > end) {
            word = 0;
            do_variables_share_words = true;
        }
        std::string bits = variable.name;
        if (variable.type == Type::f32)
            bits = fill_arguments("__float_as_uint(__fadd_rn($1, 0.0f))", {bits});
        if (variable.type == Type::f64)
            bits = fill_arguments("__double_as_longlong(__dadd_rn($1, 0.0))", {bits});
        kernel.write(is_64_bits ? "*(u64*)(out + $1) $2 (u64)$3;" : "out[$1] $2 (u32)$3;",
                     {word, do_variables_share_words ? "^=" : "=", bits});
        word += is_64_bits ? 2 : 1;
    }
}

/// Stores up to 16 variables so that neighbouring threads write to neighbouring words. Together,
/// these words fill the first half of every thread's share of `out`, in a different order.
void store_interleaved(Kernel& kernel) {
    kernel.write(
        "const u32 all = gridDim.x * $1u, me = blockIdx.x * $1u + tid;\nunsigned* const begin = "
        "out - me * 32;\n"
        "const auto word = [&](u32 k) -> unsigned& { const u32 n = k * all + me; return begin[n / "
        "16 * 32 + n % 16]; };",
        {kernel.threads});
    int k = 0;
    for (const Variable& variable : kernel.variables) {
        const char* bits = variable.type == Type::f32 ? "__float_as_uint($2 + 0.0f)"
                           : variable.type == Type::f64
                               ? "(u32)(__double_as_longlong($2 + 0.0) >> 9)"
                           : bits_of(variable.type) == 64 ? "(u32)($2 ^ $2 >> 32)"
                                                          : "(u32)$2";
        kernel.write(std::string("word($1) = ") + bits + ";", {k, variable.name});
        if (++k == 16) break;
    }
}

std::string generate_kernel_header(Kernel& kernel) {
    std::string text = fill_arguments(kernel.random.percent(30)
                                          ? "extern \"C\" __global__ void __launch_bounds__($1)\n"
                                          : "extern \"C\" __global__ void ",
                                      {kernel.threads});
    text += fill_arguments(
        "kernel(const unsigned* $1in, unsigned* $1out, unsigned* sums, unsigned char* scratch, "
        "unsigned seed) {\n",
        {kernel.random.percent(30) ? "__restrict__ " : ""});
    text += fill_arguments(
        "const u32 tid = threadIdx.x + $1 * (threadIdx.y + $2 * threadIdx.z);\nconst u32 lane = "
        "tid & 31, warp = tid >> 5;\n"
        "out += (blockIdx.x * $3 + tid) * 32;\nscratch += (blockIdx.x * $3 + tid) * 64;\n",
        {kernel.launch.threads_x, kernel.launch.threads_y, kernel.threads});
    if (kernel.launch.dynamic_shared_bytes > 0)
        text += "extern __shared__ __align__(16) unsigned char dynamic[];\n";
    return text;
}

}  // namespace

std::string generate_cuda(u64 seed, KernelStyle style) {
    const bool is_learner = style == KernelStyle::learner;
    Kernel kernel(is_learner ? seed ^ 0x6c6561726e6572 : seed);
    kernel.is_learner = is_learner;
    kernel.constructs = draw_construct_weights(kernel.random, is_learner);
    generate_functions(kernel);
    kernel.body = generate_kernel_header(kernel);
    StatementPlace place;
    declare_lane_mask(kernel, place);
    declare_variables(kernel);
    generate_statements(kernel, place);
    if (is_learner && kernel.random.percent(50))
        store_interleaved(kernel);
    else
        store_variables(kernel);
    kernel.body += "}\n";
    return format_launch_line(kernel.launch) + kTypeDefinitions +
           indented(kernel.global_definitions) + indented(kernel.body);
}

}  // namespace coalesce::campaign
