// Atomics on global memory, whose order makes no difference: each word of `sums` sees one operation.
#include "campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

void add_to_sums(Kernel& kernel, Place& place) {
    static const std::vector<const char*> kWords = {
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
    const int first = kernel.take_sums(2);
    if (first < 0) return;
    if (kernel.random.percent(40)) kernel.write("if ($b)");
    kernel.write(kernel.random.pick(kWords), {std::to_string(first)});
    (void)place;
}

/// One lane adds for all that have the same key.
void add_for_peers(Kernel& kernel, Place& place) {
    const int first = kernel.take_sums(4);
    if (first < 0) return;
    const std::string key = kernel.fresh("key"), peers = kernel.fresh("peers");
    kernel.write(
        "const u32 $1 = $u & 3;\nconst u32 $2 = __match_any_sync($3, $1);\n"
        "if (lane == (u32)__ffs((i32)$2) - 1) atomicAdd(&sums[$4 + $1], (u32)__popc($2) * "
        "$k);\n__syncwarp($3);",
        {key, peers, place.mask, std::to_string(first)});
}

/// The sum of the warp's values, added once.
void add_for_warp(Kernel& kernel, Place& place) {
    const int first = kernel.take_sums(1);
    if (first < 0) return;
    const std::string sum = kernel.fresh("sum");
    kernel.write(
        "const u32 $1 = __reduce_add_sync($2, $u);\nif (lane == (u32)__ffs((i32)$2) - 1) "
        "atomicAdd(sums + $3, $1);",
        {sum, place.mask, std::to_string(first)});
}

/// Multiplication has no atomic of its own.
void multiply_by_exchange(Kernel& kernel, Place& place) {
    const int first = kernel.take_sums(1);
    if (first < 0) return;
    const std::string seen = kernel.fresh("seen"), before = kernel.fresh("before"),
                      factor = kernel.fresh("factor");
    kernel.write(
        "u32 $1 = 0, $2;\nconst u32 $3 = $u * 2 + 1;\ndo {\n$2 = $1;\n"
        "$1 = atomicCAS(sums + $4, $2, ($2 + 1) * $3 - 1);\n} while ($1 != $2);",
        {seen, before, factor, std::to_string(first)});
    (void)place;
}

/// A lock for all blocks.
void lock_for_all(Kernel& kernel, Place& place) {
    const int first = place.turns > 4 ? -1 : kernel.take_sums(2);
    if (first < 0) return;
    const std::string done = kernel.fresh("done"), word = kernel.fresh("word");
    kernel.write(
        "bool $1 = $b;\nconst u32 $2 = $u & 0xffff;\nwhile (!$1) {\nif (atomicCAS(sums + $3, 0u, "
        "1u) == 0) {\n__threadfence();\n"
        "volatile u32* const sum = sums + $3 + 1;\n*sum = *sum + "
        "$2;\n__threadfence();\natomicExch(sums + $3, 0u);\n$1 = true;\n}\n}",
        {done, word, std::to_string(first)});
}

}  // namespace

std::vector<Construct> atomic_constructs() {
    return {{Needs::kernel, false, 6, add_to_sums},
            {Needs::lanes, false, 3, add_for_peers},
            {Needs::lanes, false, 2, add_for_warp},
            {Needs::kernel, false, 1, multiply_by_exchange},
            {Needs::kernel, false, 1, lock_for_all}};
}

}  // namespace coalesce::campaign
