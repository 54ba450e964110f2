// Generates atomics on global memory. Each word of `sums` is used with one kind of operation, so
// that the order does not affect the result.
#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

void generate_atomics_on_sums(Kernel& kernel, StatementPlace&) {
    static const std::vector<const char*> kAtomicStatements = {
        "atomicAdd(sums + $1, $u);",
        "atomicXor(sums + $1, $u);",
        "atomicOr(sums + $1, 1u << ($u & 31));",
        "atomicMax(sums + $1, $u);",
        "atomicMax((i32*)sums + $1, $i);",
        "atomicMin((i32*)sums + $1, $i);",
        "atomicInc(sums + $1, 12u);",
        "atomicDec(sums + $1, 100u);",
        "atomicSub(sums + $1, $u);",
        "atomicAdd((float*)sums + $1, (float)($u & 63));",
        "atomicAnd(sums + $1, $u);",
        "atomicExch(sums + $1, 5u);",
        "atomicAdd((double*)(sums + $1), (double)($u & 4095));",
        "atomicAdd((unsigned long long*)(sums + $1), $U);",
        "atomicMax((unsigned long long*)(sums + $1), $U);",
        "atomicXor((unsigned long long*)(sums + $1), $U);",
        "atomicCAS(sums + $1, 0u, 9u);"};
    const int first_sum_word = kernel.reserve_sum_words(2);
    if (first_sum_word < 0) return;
    if (kernel.random.percent(40)) kernel.write("if ($b)");
    kernel.write(kernel.random.pick(kAtomicStatements), {first_sum_word});
}

/// Generates an atomic addition that one lane performs on behalf of all lanes with the same key.
void generate_atomic_per_key(Kernel& kernel, StatementPlace& place) {
    const int first_sum_word = kernel.reserve_sum_words(4);
    if (first_sum_word < 0) return;
    kernel.write(
        "const u32 @key = $u & 3;\nconst u32 @peers = __match_any_sync($1, @key);\n"
        "if (lane == (u32)__ffs((i32)@peers) - 1) atomicAdd(&sums[$2 + @key], "
        "(u32)__popc(@peers) * $k);\n__syncwarp($1);",
        {place.lane_mask, first_sum_word});
}

/// Generates a sum over the warp that one lane adds atomically.
void generate_atomic_per_warp(Kernel& kernel, StatementPlace& place) {
    const int first_sum_word = kernel.reserve_sum_words(1);
    if (first_sum_word < 0) return;
    kernel.write(
        "const u32 @sum = __reduce_add_sync($1, $u);\n"
        "if (lane == (u32)__ffs((i32)$1) - 1) atomicAdd(sums + $2, @sum);",
        {place.lane_mask, first_sum_word});
}

/// Generates a multiplication as a compare-and-swap loop, because there is no atomic
/// multiplication.
void generate_compare_and_swap_loop(Kernel& kernel, StatementPlace&) {
    const int first_sum_word = kernel.reserve_sum_words(1);
    if (first_sum_word < 0) return;
    kernel.write(
        "u32 @seen = 0, @before;\nconst u32 @factor = $u * 2 + 1;\ndo {\n@before = @seen;\n"
        "@seen = atomicCAS(sums + $1, @before, (@before + 1) * @factor - 1);\n"
        "} while (@seen != @before);",
        {first_sum_word});
}

/// Generates an addition under a lock that all blocks share.
void generate_spin_lock_for_all(Kernel& kernel, StatementPlace& place) {
    const int first_sum_word = place.times_reached > 4 ? -1 : kernel.reserve_sum_words(2);
    if (first_sum_word < 0) return;
    kernel.write(
        "bool @done = $b;\nconst u32 @word = $u & 0xffff;\nwhile (!@done) {\n"
        "if (atomicCAS(sums + $1, 0u, 1u) == 0) {\n__threadfence();\n"
        "volatile u32* const sum = sums + $1 + 1;\n*sum = *sum + @word;\n"
        "__threadfence();\natomicExch(sums + $1, 0u);\n@done = true;\n}\n}",
        {first_sum_word});
}

}  // namespace

std::vector<Construct> atomic_constructs() {
    return {{Requirement::kernel, false, 6, generate_atomics_on_sums},
            {Requirement::lanes, false, 3, generate_atomic_per_key},
            {Requirement::lanes, false, 2, generate_atomic_per_warp},
            {Requirement::kernel, false, 1, generate_compare_and_swap_loop},
            {Requirement::kernel, false, 1, generate_spin_lock_for_all}};
}

}  // namespace coalesce::campaign
