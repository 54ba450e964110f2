// What threads do together: shuffles, votes, shared memory behind barriers, atomics. Only where all
// threads of the block are.
#include "learner.h"

namespace coalesce::random_kernels {

namespace {

Value word(const std::string& text) {
    return {text, Type::u32, 0, highest(Type::u32)};
}

void shuffle(Learner& learner, const Place&) {
    const std::string how = learner.random.pick(
        {"__shfl_sync", "__shfl_xor_sync", "__shfl_down_sync", "__shfl_up_sync"});
    const Type type = learner.random.pick({Type::u32, Type::i32, Type::f32, Type::u64, Type::f64});
    const Value value = of_type(learner, type, 2);
    std::string by = learner.number(0, 31);
    if (how == "__shfl_sync" && learner.chance(50)) by = index(learner, 32);
    const std::string width = learner.chance(30) ? learner.random.pick({", 16", ", 8", ", 4"}) : "";
    if (how == "__shfl_xor_sync") by = learner.number(1, width.empty() ? 31 : 3);
    const bool real = is_real(type);
    absorb(learner, {how + "(0xffffffffu, " + value.text + ", " + by + width + ")", type,
                     real ? -1e9 : lowest(type), real ? 1e9 : highest(type)});
}

/// A sum over the warp, step by step.
void reduce_warp(Learner& learner, const Place&) {
    const std::string sum = learner.fresh("sum");
    const bool real = learner.chance(40);
    const Value value =
        real ? converted(learner, whole(learner, 2), Type::i8) : of_type(learner, Type::u32, 2);
    learner.write((real ? "float " : "unsigned ") + sum + " = " + value.text + ";");
    learner.write("for (int by = 16; by > 0; by /= 2) " + sum +
                  " += " + learner.random.pick({"__shfl_down_sync", "__shfl_xor_sync"}) +
                  "(0xffffffffu, " + sum + ", by);");
    absorb(learner, real ? Value{sum, Type::f32, -1e4, 1e4} : word(sum));
}

void vote(Learner& learner, const Place&) {
    const std::string how = learner.random.pick(
        {"__ballot_sync(0xffffffffu, ", "(unsigned)__any_sync(0xffffffffu, ",
         "(unsigned)__all_sync(0xffffffffu, ", "(unsigned)__popc(__ballot_sync(0xffffffffu, "});
    absorb(learner,
           word(how + condition(learner, 2) + (how.find("__popc") != how.npos ? "))" : ")")));
}

void match(Learner& learner, const Place&) {
    const std::string text = of_type(learner, Type::u32, 2).text;
    switch (learner.random.below(3)) {
        case 0: return absorb(learner, word("__match_any_sync(0xffffffffu, " + text + " & 3)"));
        case 1: return absorb(learner, word("__reduce_max_sync(0xffffffffu, " + text + ")"));
        default: return absorb(learner, word("__reduce_add_sync(0xffffffffu, " + text + ")"));
    }
}

/// All write, all wait, all read what others wrote.
void exchange(Learner& learner, const Place&) {
    const int threads = static_cast<int>(learner.launch.threads());
    const Type type = learner.any_type();
    const int bytes = threads * bits_of(type) / 8;
    if (bytes > learner.shared_left) return;
    learner.shared_left -= bytes;
    const std::string tile = learner.fresh("tile"), n = std::to_string(threads);
    const Value value = of_type(learner, type, 2);
    learner.write(std::string("__shared__ ") + name_of(type) + " " + tile + "[" + n + "];\n" +
                  tile + "[tid] = " + value.text + ";\n__syncthreads();");
    const std::string k = learner.random.pick({"1", "2", "3", "7", "16", "32", "33"});
    const bool real = is_real(type);
    const std::string at = learner.chance(60)
                               ? "(tid * " + k + " + " + learner.number(0, 40) + ") % " + n
                               : index(learner, threads, 2);
    absorb(learner,
           {tile + "[" + at + "]", type, real ? -1e9 : lowest(type), real ? 1e9 : highest(type)});
    learner.write("__syncthreads();");
}

/// A square that is written by rows and read by columns, with a padding or without.
void square(Learner& learner, const Place&) {
    if (learner.launch.threads() % 32 != 0) return;
    const int rows = static_cast<int>(learner.launch.threads()) / 32;
    const std::string width = learner.random.pick({"32", "33", "36"}),
                      tile = learner.fresh("square"), r = std::to_string(rows);
    const char* type = learner.random.pick({"float", "unsigned", "float4", "unsigned short"});
    const int each = std::string(type) == "float4" ? 16 : 4;
    if (rows * 36 * each > learner.shared_left) return;
    learner.shared_left -= rows * 36 * each;
    const std::string value = of_type(learner, Type::u32, 2).text;
    const std::string made =
        each == 16 ? "make_float4((float)(" + value + " & 1023), 1.0f, (float)tid, 0.5f)"
                   : "(" + std::string(type) + ")(" + value + " & 0xffff)";
    learner.write(std::string("__shared__ ") + type + " " + tile + "[" + r + "][" + width + "];\n" +
                  tile + "[tid / 32][tid % 32] = " + made + ";\n__syncthreads();");
    const std::string column = "[tid % " + r + "][tid / " + r + "]";
    if (each == 16)
        absorb(learner,
               {tile + column + ".x * 0.5f + " + tile + column + ".z", Type::f32, -1e4, 1e4});
    else
        absorb(learner, word("(unsigned)" + tile + column));
    learner.write("__syncthreads();");
}

/// A sum over the block, in halves.
void reduce_block(Learner& learner, const Place&) {
    const int threads = static_cast<int>(learner.launch.threads());
    if ((threads & (threads - 1)) != 0 || threads * 4 > learner.shared_left) return;
    learner.shared_left -= threads * 4;
    const std::string sums = learner.fresh("sums"), n = std::to_string(threads);
    const std::string value = of_type(learner, Type::u32, 2).text;
    learner.write("__shared__ unsigned " + sums + "[" + n + "];\n" + sums + "[tid] = " + value +
                  ";\n__syncthreads();");
    learner.write("for (unsigned left = " + n + " / 2; left > 0; left /= 2) {\nif (tid < left) " +
                  sums + "[tid] += " + sums + "[tid + left];\n__syncthreads();\n}");
    absorb(learner, word(sums + "[0]"));
    learner.write("__syncthreads();");
}

void histogram(Learner& learner, const Place&) {
    if (learner.shared_left < 64) return;
    learner.shared_left -= 64;
    const std::string bins = learner.fresh("bins");
    const std::string value = of_type(learner, Type::u32, 2).text, bin = index(learner, 16, 2),
                      seen = index(learner, 16);
    const char* how = learner.random.pick({"atomicAdd", "atomicMax", "atomicXor", "atomicOr"});
    learner.write("__shared__ unsigned " + bins + "[16];\nif (tid < 16) " + bins +
                  "[tid] = 0;\n__syncthreads();\n" + how + "(&" + bins + "[" + bin + "], " + value +
                  ");\n__syncthreads();");
    absorb(learner, word(bins + "[" + seen + "]"));
    learner.write("__syncthreads();");
}

void count_votes(Learner& learner, const Place&) {
    const char* how =
        learner.random.pick({"__syncthreads_count(", "__syncthreads_and(", "__syncthreads_or("});
    absorb(learner, word(std::string("(unsigned)") + how + condition(learner, 2) + ")"));
}

/// Words of `sums` that end up the same in whatever order threads come; nobody reads them.
void add_to_sums(Learner& learner, const Place&) {
    if (learner.in_function || learner.next_sum > 60) return;
    const std::string at = std::to_string(learner.next_sum);
    learner.next_sum += 2;
    switch (learner.random.below(6)) {
        case 0:
            return learner.write("atomicAdd(&sums[" + at + "], " +
                                 of_type(learner, Type::u32, 2).text + ");");
        case 1:
            return learner.write("atomicMax((int*)sums + " + at + ", " +
                                 of_type(learner, Type::i32, 2).text + ");");
        case 2:
            return learner.write("atomicMin(&sums[" + at + "], " +
                                 of_type(learner, Type::u32, 2).text + ");");
        case 3:
            return learner.write("atomicXor(&sums[" + at + "], " +
                                 of_type(learner, Type::u32, 2).text + ");");
        case 4:
            return learner.write("atomicAdd((unsigned long long*)(sums + " + at + "), " +
                                 of_type(learner, Type::u64, 2).text + ");");
        default:
            return learner.write("atomicAdd((float*)sums + " + at + ", (float)(" +
                                 of_type(learner, Type::u32, 2).text + " & 15));");
    }
}

}  // namespace

std::vector<Weighted> together_constructs() {
    return {{5, shuffle, true},      {2, reduce_warp, true}, {4, vote, true},
            {2, match, true},        {5, exchange, true},    {3, square, true},
            {2, reduce_block, true}, {2, histogram, true},   {1, count_votes, true},
            {3, add_to_sums, false}};
}

}  // namespace coalesce::random_kernels
