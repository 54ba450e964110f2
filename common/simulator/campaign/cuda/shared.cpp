// Exchanges through shared memory, with barriers of the block.
#include "campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

std::string number(int value) {
    return std::to_string(value);
}

/// A permutation of the block's threads: each place is written once. Some depend on the block.
std::string permuted(Kernel& kernel) {
    Random& random = kernel.random;
    const std::string threads = number(kernel.threads) + "u";
    const bool is_power = (kernel.threads & (kernel.threads - 1)) == 0;
    switch (random.below(is_power ? 7 : 5)) {
        case 0:
        case 1: return "tid";
        case 2: return fill("($1 - 1 - tid)", {threads});
        case 3: return fill("((tid + $2) % $1)", {threads, number(random.between(1, 40))});
        case 4:
            return fill("((tid + blockIdx.x * $2) % $1)", {threads, number(random.between(1, 9))});
        case 5: return fill("(tid ^ $1)", {number(random.between(0, kernel.threads - 1))});
        default:
            return fill("((tid * $2) & ($1 - 1))",
                        {threads, number(random.between(0, 20) * 2 + 1)});
    }
}

/// Any place at all.
std::string anywhere(Kernel& kernel, int count) {
    return fill("(u32)($1) % $2",
                {value(kernel, Type::u32,
                       kernel.random.pick({Same::thread, Same::position, Same::block}), 1),
                 number(count) + "u"});
}

/// Everyone writes one element, and reads another's.
void exchange(Kernel& kernel, Place& place) {
    const Type type = any_type(kernel);
    if (!kernel.take_shared(kernel.threads * bits_of(type) / 8)) return;
    const std::string tile = kernel.fresh("tile"), got = kernel.fresh("got");
    const std::string from =
        kernel.random.percent(50) ? permuted(kernel) : anywhere(kernel, kernel.threads);
    kernel.write("__shared__ $1 $2[$3];\n$2[$4] = $5;\n__syncthreads();",
                 {name_of(type), tile, number(kernel.threads), permuted(kernel),
                  value(kernel, type, Same::thread, 2)});
    kernel.write("const $1 $2 = $3[$4];", {name_of(type), got, tile, from});
    absorb(kernel, place, got, type);
    kernel.write("__syncthreads();");
}

/// Rows in, columns out; with a column of padding or without.
void transpose(Kernel& kernel, Place& place) {
    std::vector<int> widths;
    for (const int width : {2, 4, 7, 8, 11, 16, 32}) {
        if (kernel.threads % width == 0 && kernel.threads > width) widths.push_back(width);
    }
    const Type type = any_type(kernel);
    if (widths.empty() || !kernel.take_shared(kernel.threads * bits_of(type) / 4)) return;
    const int width = kernel.random.pick(widths), height = kernel.threads / width;
    const std::string tile = kernel.fresh("tile"), got = kernel.fresh("got");
    kernel.write("__shared__ $1 $2[$3][$4];\n$2[tid / $5][tid % $5] = $6;\n__syncthreads();",
                 {name_of(type), tile, number(height), number(width + kernel.random.pick({0, 1})),
                  number(width), value(kernel, type, Same::thread, 2)});
    kernel.write("const $1 $2 = $3[tid % $4][tid / $4];",
                 {name_of(type), got, tile, number(height)});
    absorb(kernel, place, got, type);
    kernel.write("__syncthreads();");
}

/// An array of any length, filled in strides.
void fill_in_strides(Kernel& kernel, Place& place) {
    const Type type = any_type(kernel);
    const int count = kernel.random.between(1, 3 * kernel.threads + 5),
              bytes = count * bits_of(type) / 8;
    const std::string array = kernel.fresh("array"), i = kernel.fresh("i");
    if (static_cast<int>(kernel.launch.dynamic_shared) >= bytes)
        kernel.write("$1* const $2 = ($1*)dynamic;", {name_of(type), array});
    else if (kernel.take_shared(bytes))
        kernel.write("__shared__ $1 $2[$3];", {name_of(type), array, number(count)});
    else
        return;
    kernel.write("for (u32 $1 = tid; $1 < $2; $1 += $3) {",
                 {i, number(count), number(kernel.threads)});
    {
        const Scope scope(kernel);
        kernel.declare_constant(i, Type::u32, Same::thread);
        kernel.write("$1[$2] = $3;\n}\n__syncthreads();",
                     {array, i, value(kernel, type, Same::thread, 2)});
    }
    for (int reads = kernel.random.between(1, 3); reads > 0; --reads) {
        absorb(kernel, place, fill("$1[$2]", {array, anywhere(kernel, count)}), type);
    }
    kernel.write("__syncthreads();");
}

/// Several elements at once.
void exchange_vectors(Kernel& kernel, Place& place) {
    if (!kernel.take_shared(kernel.threads * 16)) return;
    const std::string tile = kernel.fresh("tile");
    kernel.write("__shared__ uint4 $1[$2];\n$1[$3] = make_uint4($u, $u, $u, $u);\n__syncthreads();",
                 {tile, number(kernel.threads), permuted(kernel)});
    const char* read =
        kernel.random.pick({"$1[$2].y", "((const uint2*)$1)[$2].x", "((const u16*)$1)[$2]",
                            "((const u8*)$1)[$2]", "$1[$2].w ^ $1[$3].x"});
    absorb(kernel, place, "(" + fill(read, {tile, permuted(kernel), permuted(kernel)}) + ")");
    kernel.write("__syncthreads();");
}

void barrier_vote(Kernel& kernel, Place& place) {
    const char* pattern =
        kernel.random.pick({"(u32)__syncthreads_count($1)", "(__syncthreads_and($1) ? 3u : 8u)",
                            "(__syncthreads_or($1) ? 4u : 1u)"});
    absorb(kernel, place, fill(pattern, {condition(kernel, Same::thread, 2)}), Type::u32,
           Same::block);
}

/// A sum over the block in steps, with a barrier in a loop.
void reduce_block(Kernel& kernel, Place& place) {
    if (!kernel.take_shared(kernel.threads * 4)) return;
    int half = 1;
    while (half * 2 < kernel.threads) half *= 2;
    const std::string parts = kernel.fresh("parts");
    kernel.write(
        "__shared__ u32 $1[$2];\n$1[tid] = $u;\n__syncthreads();\n"
        "for (u32 half = $3; half > 0; half /= 2) {\nif (tid < half && tid + half < $2) $1[tid] += "
        "$1[tid + half];\n"
        "__syncthreads();\n}",
        {parts, number(kernel.threads), number(half)});
    absorb(kernel, place, parts + "[0]", Type::u32, Same::block);
    kernel.write("__syncthreads();");
}

/// Two halves that are read and written in turn: one barrier per turn.
void ping_pong(Kernel& kernel, Place& place) {
    if (!kernel.take_shared(kernel.threads * 8)) return;
    const std::string halves = kernel.fresh("halves"), i = kernel.fresh("i");
    kernel.write(
        "__shared__ u32 $1[2][$2];\n$1[0][tid] = $u;\n__syncthreads();\n"
        "for (u32 $3 = 0; $3 < $4; ++$3) {\n$1[~$3 & 1][tid] = $1[$3 & 1][$5] * 5 + "
        "$6;\n__syncthreads();\n}",
        {halves, number(kernel.threads), i, turns(kernel, Same::block, place.turns > 20 ? 1 : 5),
         permuted(kernel), value(kernel, Type::u32, Same::thread, 1)});
    absorb(kernel, place, fill("($1[0][$2])", {halves, "tid"}));
    kernel.write("__syncthreads();");
}

/// Counts, sums, least and greatest ones in shared memory: their order makes no difference.
void shared_atomics(Kernel& kernel, Place& place) {
    struct Kind {
        const char* type;
        const char* start;
        const char* change;  ///< $1 the word
    };
    static constexpr Kind kKinds[] = {
        {"u32", "0", "atomicAdd(&$1, $u);"},
        {"u32", "0", "atomicAdd(&$1, 1u);"},
        {"u64", "5", "atomicAdd((unsigned long long*)&$1, $U);"},
        {"u32", "0xffffffffu", "atomicMin(&$1, $u);"},
        {"i32", "-2147483647", "atomicMax(&$1, $i);"},
        {"u32", "0xffffffffu", "atomicAnd(&$1, $u | 0xfffff0u);"},
        {"u32", "0", "atomicOr(&$1, 1u << ($u & 31));"},
        {"u32", "0", "atomicXor(&$1, $u);"},
        {"u32", "0", "atomicInc(&$1, 6u);"},
        {"u32", "3", "atomicDec(&$1, 9u);"},
        {"float", "0.0f", "atomicAdd(&$1, (float)($u & 255));"},
        {"u32", "1",
         "{ u32 seen = *(volatile u32*)&$1, before; do { before = seen; seen = atomicCAS(&$1, "
         "before, "
         "before * (W | 1)); } while (seen != before); }"},
    };
    if (!kernel.take_shared(64)) return;
    const Kind& kind = kKinds[kernel.random.below(std::size(kKinds))];
    const std::string bins = kernel.fresh("bins"), bin = kernel.fresh("bin"),
                      word = kernel.fresh("word");
    kernel.write(
        "__shared__ $1 $2[8];\nfor (u32 i = tid; i < 8; i += $3) $2[i] = $4;\n__syncthreads();\n"
        "const u32 $5 = $u & 7;\nconst u32 $6 = $u;",
        {kind.type, bins, number(kernel.threads), kind.start, bin, word});
    std::string change = kind.change;
    if (const auto at = change.find('W'); at != std::string::npos) change.replace(at, 1, word);
    const std::string guard = kernel.random.percent(50) ? "if ($b) " : "";
    kernel.write(guard + change, {fill("$1[$2]", {bins, bin})});
    kernel.write("__syncthreads();");
    const Type type = kind.type == std::string("float") ? Type::f32 : Type::u64;
    absorb(kernel, place, fill("$1[tid & 7]", {bins}), type);
    kernel.write("__syncthreads();");
}

/// Whoever holds the lock adds, as no atomic is needed then.
void spin_lock(Kernel& kernel, Place& place) {
    if (place.turns > 8 || !kernel.take_shared(8)) return barrier_vote(kernel, place);
    const std::string lock = kernel.fresh("lock"), sum = kernel.fresh("sum"),
                      done = kernel.fresh("done");
    kernel.write(
        "__shared__ u32 $1, $2;\nif (tid == 0) {\n$1 = 0;\n$2 = 7;\n}\n__syncthreads();\nbool $3 = "
        "$b;\n"
        "while (!$3) {\nif (atomicCAS(&$1, 0u, 1u) == 0) {\n__threadfence_block();\n"
        "*(volatile u32*)&$2 = *(volatile u32*)&$2 + ($u & "
        "0xffff);\n__threadfence_block();\natomicExch(&$1, 0u);\n$3 = true;\n}\n}\n"
        "__syncthreads();",
        {lock, sum, done});
    absorb(kernel, place, sum, Type::u32, Same::block);
    kernel.write("__syncthreads();");
}

/// Bytes of global memory of the block's own, seen by all of it after a barrier.
void exchange_through_scratch(Kernel& kernel, Place& place) {
    const std::string from = kernel.fresh("from");
    const Type type = any_integer(kernel);
    const std::string at = number(kernel.random.between(0, 63) / (bits_of(type) / 8));
    kernel.write("(($1*)scratch)[$2] = $3;\n__syncthreads();\nconst u32 $4 = $5;",
                 {name_of(type), at, value(kernel, type, Same::thread, 2), from, permuted(kernel)});
    absorb(
        kernel, place,
        fill("((const $1*)(scratch + ((i64)$2 - (i64)tid) * 64))[$3]", {name_of(type), from, at}),
        type);
    kernel.write("__syncthreads();");
}

/// Barriers of their own number; those of half the warps where the others only arrive.
void named_barrier(Kernel& kernel, Place& place) {
    if (kernel.threads % 32 != 0 || !kernel.take_shared(kernel.threads * 4))
        return barrier_vote(kernel, place);
    const std::string tile = kernel.fresh("tile");
    kernel.write(
        "__shared__ u32 $1[$2];\nif (warp < $3) {\n$1[tid] = $u;\nasm volatile(\"bar.arrive 3, "
        "$2;\" ::: \"memory\");\n"
        "} else {\nasm volatile(\"bar.sync 3, $2;\" ::: \"memory\");",
        {tile, number(kernel.threads), number((kernel.threads / 32 + 1) / 2)});
    absorb(kernel, place.scattered(),
           fill("$1[tid % $2]", {tile, number((kernel.threads / 32 + 1) / 2 * 32)}));
    kernel.write("}\n__syncthreads();");
}

/// Copies that finish later.
void copy_asynchronously(Kernel& kernel, Place& place) {
    const int words = kernel.random.pick({1, 2, 4});
    if (!kernel.take_shared(kernel.threads * 4 * words)) return;
    const std::string staged = kernel.fresh("staged");
    kernel.write(
        "__shared__ __align__(16) u32 $1[$2];\nasm volatile(\"cp.async.$3.shared.global [%0], "
        "[%1], $4;\" :: "
        "\"r\"((u32)__cvta_generic_to_shared(&$1[$5 * $6])), \"l\"(__cvta_generic_to_global(in + "
        "($u & 255) * $6)) : \"memory\");",
        {staged, number(kernel.threads * words),
         words == 4 ? kernel.random.pick({"cg", "ca"}) : "ca", number(words * 4), permuted(kernel),
         number(words)});
    if (kernel.random.percent(50)) absorb(kernel, place, expand(kernel, "$u", Same::thread, 2));
    kernel.write(kernel.random.pick({"asm volatile(\"cp.async.wait_all;\" ::: \"memory\");",
                                     "asm volatile(\"cp.async.commit_group;\" ::: \"memory\");\n"
                                     "asm volatile(\"cp.async.wait_group 0;\" ::: \"memory\");"}));
    kernel.write("__syncthreads();");
    absorb(kernel, place, fill("$1[$2]", {staged, anywhere(kernel, kernel.threads * words)}));
    kernel.write("__syncthreads();");
}

}  // namespace

std::vector<Construct> shared_constructs() {
    return {{Needs::barrier, false, 6, exchange},
            {Needs::barrier, false, 5, transpose},
            {Needs::barrier, false, 5, fill_in_strides},
            {Needs::barrier, false, 3, exchange_vectors},
            {Needs::barrier, false, 4, barrier_vote},
            {Needs::barrier, false, 3, reduce_block},
            {Needs::barrier, false, 3, ping_pong},
            {Needs::barrier, false, 5, shared_atomics},
            {Needs::barrier, false, 2, spin_lock},
            {Needs::barrier, false, 3, exchange_through_scratch},
            {Needs::barrier, false, 2, named_barrier},
            {Needs::barrier, false, 3, copy_asynchronously}};
}

}  // namespace coalesce::campaign
