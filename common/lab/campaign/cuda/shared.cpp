// Generates exchanges of data through shared memory, with block-wide barriers.
#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

/// Returns an expression that maps each thread of the block to a different index, so that each
/// element is written once. Some of these permutations depend on the block.
std::string permuted_thread_index(Kernel& kernel) {
    Random& random = kernel.random;
    const bool is_power_of_two = (kernel.threads & (kernel.threads - 1)) == 0;
    switch (random.below(is_power_of_two ? 7 : 5)) {
        case 0:
        case 1: return "tid";
        case 2: return fill_arguments("($1u - 1 - tid)", {kernel.threads});
        case 3:
            return fill_arguments("((tid + $2) % $1u)", {kernel.threads, random.between(1, 40)});
        case 4:
            return fill_arguments("((tid + blockIdx.x * $2) % $1u)",
                                  {kernel.threads, random.between(1, 9)});
        case 5: return fill_arguments("(tid ^ $1)", {random.between(0, kernel.threads - 1)});
        default:
            return fill_arguments("((tid * $2) & ($1u - 1))",
                                  {kernel.threads, random.between(0, 20) * 2 + 1});
    }
}

/// Returns an arbitrary index below `count`.
std::string random_array_index(Kernel& kernel, int count) {
    const UniformIn uniform_in =
        kernel.random.pick({UniformIn::thread, UniformIn::position, UniformIn::block});
    return fill_arguments("(u32)($1) % $2u",
                          {random_expression(kernel, Type::u32, uniform_in, 1), count});
}

/// Generates an exchange in which each thread writes one element and reads another thread's
/// element.
void generate_shared_exchange(Kernel& kernel, StatementPlace& place) {
    const Type type = random_type(kernel);
    if (!kernel.reserve_shared(kernel.threads * bits_of(type) / 8)) return;
    const std::string from = kernel.random.percent(50) ? permuted_thread_index(kernel)
                                                       : random_array_index(kernel, kernel.threads);
    kernel.write("__shared__ $1 @tile[$2];\n@tile[$3] = $4;\n__syncthreads();",
                 {type, kernel.threads, permuted_thread_index(kernel),
                  random_expression(kernel, type, UniformIn::thread, 2)});
    kernel.write("const $1 @got = @tile[$2];", {type, from});
    generate_use_of_pattern(kernel, place, "@got", type);
    kernel.write("__syncthreads();");
}

/// Generates a transpose, which stores rows and loads columns, with or without a column of padding.
void generate_shared_transpose(Kernel& kernel, StatementPlace& place) {
    std::vector<int> possible_widths;
    for (const int width : {2, 4, 7, 8, 11, 16, 32}) {
        if (kernel.threads % width == 0 && kernel.threads > width) possible_widths.push_back(width);
    }
    const Type type = random_type(kernel);
    if (possible_widths.empty() || !kernel.reserve_shared(kernel.threads * bits_of(type) / 4))
        return;
    const int tile_width = kernel.random.pick(possible_widths),
              tile_height = kernel.threads / tile_width;
    kernel.write("__shared__ $1 @tile[$2][$3];\n@tile[tid / $4][tid % $4] = $5;\n__syncthreads();",
                 {type, tile_height, tile_width + kernel.random.pick({0, 1}), tile_width,
                  random_expression(kernel, type, UniformIn::thread, 2)});
    kernel.write("const $1 @got = @tile[tid % $2][tid / $2];", {type, tile_height});
    generate_use_of_pattern(kernel, place, "@got", type);
    kernel.write("__syncthreads();");
}

/// Generates a strided loop that fills an array of any length.
void generate_strided_fill(Kernel& kernel, StatementPlace& place) {
    const Type type = random_type(kernel);
    const int count = kernel.random.between(1, 3 * kernel.threads + 5),
              bytes = count * bits_of(type) / 8;
    if (static_cast<int>(kernel.launch.dynamic_shared_bytes) >= bytes)
        kernel.write("$1* const @array = ($1*)dynamic;", {type});
    else if (kernel.reserve_shared(bytes))
        kernel.write("__shared__ $1 @array[$2];", {type, count});
    else
        return;
    kernel.write("for (u32 @i = tid; @i < $1; @i += $2) {", {count, kernel.threads});
    {
        const Scope scope(kernel);
        kernel.register_constant("i");
        kernel.write("@array[@i] = $1;\n}\n__syncthreads();",
                     {random_expression(kernel, type, UniformIn::thread, 2)});
    }
    for (int remaining_reads = kernel.random.between(1, 3); remaining_reads > 0; --remaining_reads)
        generate_use_of_pattern(kernel, place, "@array[" + random_array_index(kernel, count) + "]",
                                type);
    kernel.write("__syncthreads();");
}

/// Generates an exchange of vectors with several elements.
void generate_vector_exchange(Kernel& kernel, StatementPlace& place) {
    if (!kernel.reserve_shared(kernel.threads * 16)) return;
    kernel.write(
        "__shared__ uint4 @tile[$1];\n@tile[$2] = make_uint4($u, $u, $u, $u);\n__syncthreads();",
        {kernel.threads, permuted_thread_index(kernel)});
    const char* read_pattern = kernel.random.pick(
        {"(@tile[$1].y)", "(((const uint2*)@tile)[$1].x)", "(((const u16*)@tile)[$1])",
         "(((const u8*)@tile)[$1])", "(@tile[$1].w ^ @tile[$2].x)"});
    generate_use_of_pattern(
        kernel, place,
        expand_pattern(kernel, read_pattern, UniformIn::thread, 1,
                       {permuted_thread_index(kernel), permuted_thread_index(kernel)}));
    kernel.write("__syncthreads();");
}

void generate_barrier_vote(Kernel& kernel, StatementPlace& place) {
    const char* pattern =
        kernel.random.pick({"(u32)__syncthreads_count($1)", "(__syncthreads_and($1) ? 3u : 8u)",
                            "(__syncthreads_or($1) ? 4u : 1u)"});
    generate_use_of_pattern(
        kernel, place, fill_arguments(pattern, {random_condition(kernel, UniformIn::thread, 2)}),
        Type::u32, UniformIn::block);
}

/// Generates a sum over the block in several steps, with a barrier inside a loop.
void generate_block_reduction(Kernel& kernel, StatementPlace& place) {
    if (!kernel.reserve_shared(kernel.threads * 4)) return;
    int half_of_threads = 1;
    while (half_of_threads * 2 < kernel.threads) half_of_threads *= 2;
    kernel.write(
        "__shared__ u32 @parts[$1];\n@parts[tid] = $u;\n__syncthreads();\n"
        "for (u32 half = $2; half > 0; half /= 2) {\n"
        "if (tid < half && tid + half < $1) @parts[tid] += @parts[tid + half];\n"
        "__syncthreads();\n}",
        {kernel.threads, half_of_threads});
    generate_use_of_pattern(kernel, place, "@parts[0]", Type::u32, UniformIn::block);
    kernel.write("__syncthreads();");
}

/// Generates a loop that alternates between two halves of a buffer. Each iteration reads one half,
/// writes the other, and has one barrier.
void generate_double_buffered_loop(Kernel& kernel, StatementPlace& place) {
    if (!kernel.reserve_shared(kernel.threads * 8)) return;
    kernel.write(
        "__shared__ u32 @halves[2][$1];\n@halves[0][tid] = $u;\n__syncthreads();\n"
        "for (u32 @i = 0; @i < $2; ++@i) {\n"
        "@halves[~@i & 1][tid] = @halves[@i & 1][$3] * 5 + $4;\n__syncthreads();\n}",
        {kernel.threads,
         random_iteration_count(kernel, UniformIn::block, place.times_reached > 20 ? 1 : 5),
         permuted_thread_index(kernel),
         random_expression(kernel, Type::u32, UniformIn::thread, 1)});
    generate_use_of_pattern(kernel, place, "(@halves[0][tid])");
    kernel.write("__syncthreads();");
}

/// Generates counts, sums, minima and maxima in shared memory with atomics whose order does not
/// matter.
void generate_shared_atomics(Kernel& kernel, StatementPlace& place) {
    struct SharedAtomicKind {
        const char* type;
        const char* initial_value;
        const char* atomic_statement;
    };
    static constexpr SharedAtomicKind kSharedAtomicKinds[] = {
        {"u32", "0", "atomicAdd(&@bins[@bin], $u);"},
        {"u32", "0", "atomicAdd(&@bins[@bin], 1u);"},
        {"u64", "5", "atomicAdd((unsigned long long*)&@bins[@bin], $U);"},
        {"u32", "0xffffffffu", "atomicMin(&@bins[@bin], $u);"},
        {"i32", "-2147483647", "atomicMax(&@bins[@bin], $i);"},
        {"u32", "0xffffffffu", "atomicAnd(&@bins[@bin], $u | 0xfffff0u);"},
        {"u32", "0", "atomicOr(&@bins[@bin], 1u << ($u & 31));"},
        {"u32", "0", "atomicXor(&@bins[@bin], $u);"},
        {"u32", "0", "atomicInc(&@bins[@bin], 6u);"},
        {"u32", "3", "atomicDec(&@bins[@bin], 9u);"},
        {"float", "0.0f", "atomicAdd(&@bins[@bin], (float)($u & 255));"},
        {"u32", "1",
         "{ u32 seen = *(volatile u32*)&@bins[@bin], before; do { before = seen; seen = "
         "atomicCAS(&@bins[@bin], before, before * (@word | 1)); } while (seen != before); }"},
    };
    if (!kernel.reserve_shared(64)) return;
    const SharedAtomicKind& kind =
        kSharedAtomicKinds[kernel.random.below(std::size(kSharedAtomicKinds))];
    kernel.write(
        "__shared__ $1 @bins[8];\nfor (u32 i = tid; i < 8; i += $2) @bins[i] = $3;\n"
        "__syncthreads();\nconst u32 @bin = $u & 7;\nconst u32 @word = $u;",
        {kind.type, kernel.threads, kind.initial_value});
    kernel.write((kernel.random.percent(50) ? "if ($b) " : "") +
                 std::string(kind.atomic_statement));
    kernel.write("__syncthreads();");
    const Type type = kind.type == std::string("float") ? Type::f32 : Type::u64;
    generate_use_of_pattern(kernel, place, "@bins[tid & 7]", type);
    kernel.write("__syncthreads();");
}

/// Generates an addition under a lock, without an atomic addition.
void generate_spin_lock(Kernel& kernel, StatementPlace& place) {
    if (place.times_reached > 8 || !kernel.reserve_shared(8))
        return generate_barrier_vote(kernel, place);
    kernel.write(
        "__shared__ u32 @lock, @sum;\nif (tid == 0) {\n@lock = 0;\n@sum = 7;\n}\n"
        "__syncthreads();\nbool @done = $b;\nwhile (!@done) {\n"
        "if (atomicCAS(&@lock, 0u, 1u) == 0) {\n__threadfence_block();\n"
        "*(volatile u32*)&@sum = *(volatile u32*)&@sum + ($u & 0xffff);\n"
        "__threadfence_block();\natomicExch(&@lock, 0u);\n@done = true;\n}\n}\n"
        "__syncthreads();");
    generate_use_of_pattern(kernel, place, "@sum", Type::u32, UniformIn::block);
    kernel.write("__syncthreads();");
}

/// Generates an exchange of bytes through the block's scratch memory, which all of its threads can
/// read after a barrier.
void generate_exchange_through_scratch(Kernel& kernel, StatementPlace& place) {
    const Type type = random_integer_type(kernel);
    const u32 scratch_index = kernel.random.between(0, 63) / (bits_of(type) / 8);
    kernel.write("(($1*)scratch)[$2] = $3;\n__syncthreads();\nconst u32 @from = $4;",
                 {type, scratch_index, random_expression(kernel, type, UniformIn::thread, 2),
                  permuted_thread_index(kernel)});
    generate_use_of_pattern(
        kernel, place,
        expand_pattern(kernel, "((const $1*)(scratch + ((i64)@from - (i64)tid) * 64))[$2]",
                       UniformIn::thread, 1, {type, scratch_index}),
        type);
    kernel.write("__syncthreads();");
}

/// Generates an exchange with a named barrier. Half of the warps write and only arrive at the
/// barrier. The other half wait at the barrier and then read.
void generate_named_barrier(Kernel& kernel, StatementPlace& place) {
    if (kernel.threads % 32 != 0 || !kernel.reserve_shared(kernel.threads * 4))
        return generate_barrier_vote(kernel, place);
    const int writing_warps = (kernel.threads / 32 + 1) / 2;
    kernel.write(
        "__shared__ u32 @tile[$1];\nif (warp < $2) {\n@tile[tid] = $u;\n"
        "asm volatile(\"bar.arrive 3, $1;\" ::: \"memory\");\n"
        "} else {\nasm volatile(\"bar.sync 3, $1;\" ::: \"memory\");",
        {kernel.threads, writing_warps});
    generate_use_of_pattern(kernel, place.inside_divergence(),
                            "@tile[tid % " + std::to_string(writing_warps * 32) + "]");
    kernel.write("}\n__syncthreads();");
}

/// Generates an asynchronous copy from global to shared memory.
void generate_asynchronous_copy(Kernel& kernel, StatementPlace& place) {
    const int words = kernel.random.pick({1, 2, 4});
    if (!kernel.reserve_shared(kernel.threads * 4 * words)) return;
    kernel.write(
        "__shared__ __align__(16) u32 @staged[$1];\n"
        "asm volatile(\"cp.async.$2.shared.global [%0], [%1], $3;\" :: "
        "\"r\"((u32)__cvta_generic_to_shared(&@staged[$4 * $5])), "
        "\"l\"(__cvta_generic_to_global(in + ($u & 255) * $5)) : \"memory\");",
        {kernel.threads * words, words == 4 ? kernel.random.pick({"cg", "ca"}) : "ca", words * 4,
         permuted_thread_index(kernel), words});
    if (kernel.random.percent(50))
        generate_use_of_pattern(kernel, place, expand_pattern(kernel, "$u", UniformIn::thread, 2));
    kernel.write(kernel.random.pick({"asm volatile(\"cp.async.wait_all;\" ::: \"memory\");",
                                     "asm volatile(\"cp.async.commit_group;\" ::: \"memory\");\n"
                                     "asm volatile(\"cp.async.wait_group 0;\" ::: \"memory\");"}));
    kernel.write("__syncthreads();");
    generate_use_of_pattern(kernel, place,
                            "@staged[" + random_array_index(kernel, kernel.threads * words) + "]");
    kernel.write("__syncthreads();");
}

}  // namespace

std::vector<Construct> shared_constructs() {
    return {{Requirement::barrier, false, 6, generate_shared_exchange},
            {Requirement::barrier, false, 5, generate_shared_transpose},
            {Requirement::barrier, false, 5, generate_strided_fill},
            {Requirement::barrier, false, 3, generate_vector_exchange},
            {Requirement::barrier, false, 4, generate_barrier_vote},
            {Requirement::barrier, false, 3, generate_block_reduction},
            {Requirement::barrier, false, 3, generate_double_buffered_loop},
            {Requirement::barrier, false, 5, generate_shared_atomics},
            {Requirement::barrier, false, 2, generate_spin_lock},
            {Requirement::barrier, false, 3, generate_exchange_through_scratch},
            {Requirement::barrier, false, 2, generate_named_barrier},
            {Requirement::barrier, false, 3, generate_asynchronous_copy}};
}

}  // namespace coalesce::campaign
