// Measures how long a warp's instruction occupies a scheduler. Many warps with eight independent
// chains each keep the pipes full, so the time of one instruction is cycles / instructions. One
// warp with one chain gives the latency.
//
// Two registers modify each other in turn, so that the compiler can neither remove an instruction
// nor merge it with the one before.
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

/// Defines the operation NAME, which executes the PTX instructions in TEXT. COUNT is their number.
#define INSTRUCTIONS(NAME, COUNT, TEXT)                             \
    struct NAME {                                                   \
        static constexpr int count = COUNT;                         \
        static __device__ void run_step(unsigned& a, unsigned& b) { \
            asm volatile(TEXT : "+r"(a), "+r"(b));                  \
        }                                                           \
    }
INSTRUCTIONS(Add, 2, "add.u32 %0, %0, %1; add.u32 %1, %1, %0;");
INSTRUCTIONS(Multiply, 2, "mul.lo.u32 %0, %0, %1; mul.lo.u32 %1, %1, %0;");
INSTRUCTIONS(MultiplyAdd, 2, "mad.lo.u32 %0, %0, %1, %1; mad.lo.u32 %1, %1, %0, %0;");
INSTRUCTIONS(AddAndMultiplyAdd, 2, "add.u32 %0, %0, %1; mad.lo.u32 %1, %1, %0, %0;");
INSTRUCTIONS(MultiplyHigh, 2, "mul.hi.u32 %0, %0, %1; mul.hi.u32 %1, %1, %0;");
INSTRUCTIONS(Logic, 2, "xor.b32 %0, %0, %1; or.b32 %1, %1, %0;");
INSTRUCTIONS(Shift, 2, "shl.b32 %0, %0, %1; shr.u32 %1, %1, %0;");
INSTRUCTIONS(Divide, 2, "div.u32 %0, %0, %1; div.u32 %1, %1, %0;");
INSTRUCTIONS(DivideSigned, 2, "div.s32 %0, %0, %1; div.s32 %1, %1, %0;");
INSTRUCTIONS(Remainder, 2, "rem.u32 %0, %0, %1; rem.u32 %1, %1, %0;");
INSTRUCTIONS(DivideAndRemainder, 2, "div.u32 %0, %0, %1; rem.u32 %1, %1, %0;");
INSTRUCTIONS(Minimum, 2, "min.u32 %0, %0, %1; max.u32 %1, %1, %0;");
INSTRUCTIONS(FloatAdd, 2, "add.f32 %0, %0, %1; add.f32 %1, %1, %0;");
INSTRUCTIONS(FloatMultiplyAdd, 2, "fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %1, %1, %0, %0;");
INSTRUCTIONS(CompareAndSelect, 4,
             "{ .reg .pred p; setp.lt.u32 p, %0, %1; selp.u32 %0, %1, %0, p;\n"
             "  setp.gt.u32 p, %1, %0; selp.u32 %1, %0, %1, p; }");
INSTRUCTIONS(Branch, 3,
             "{ .reg .pred p; setp.eq.u32 p, %0, 77777; add.u32 %0, %0, %1;\n"
             "  @p bra.uni $L_end%=; add.u32 %1, %1, %0; $L_end%=: }");
INSTRUCTIONS(FloatMinimum, 2, "min.f32 %0, %0, %1; max.f32 %1, %1, %0;");
INSTRUCTIONS(HalfMultiplyAdd, 2, "fma.rn.f16x2 %0, %0, %1, %1; fma.rn.f16x2 %1, %1, %0, %0;");
INSTRUCTIONS(PopulationCount, 2, "popc.b32 %0, %1; popc.b32 %1, %0;");
INSTRUCTIONS(LeadingZeros, 2, "clz.b32 %0, %1; clz.b32 %1, %0;");
INSTRUCTIONS(ReverseBits, 2, "brev.b32 %0, %1; brev.b32 %1, %0;");
INSTRUCTIONS(Permute, 2, "prmt.b32 %0, %0, %1, 0x5410; prmt.b32 %1, %1, %0, 0x7632;");
INSTRUCTIONS(FloatToInteger, 2, "cvt.rzi.s32.f32 %0, %1; cvt.rzi.s32.f32 %1, %0;");
INSTRUCTIONS(IntegerToFloat, 2, "cvt.rn.f32.s32 %0, %1; cvt.rn.f32.s32 %1, %0;");
INSTRUCTIONS(ByteToFloat, 2,
             "{ .reg .u8 b; cvt.u8.u32 b, %1; cvt.rn.f32.u8 %0, b;\n"
             "  cvt.u8.u32 b, %0; cvt.rn.f32.u8 %1, b; }");
INSTRUCTIONS(ShuffleDown, 2,
             "shfl.sync.down.b32 %0, %0, 1, 0x1f, 0xffffffff;\n"
             "shfl.sync.bfly.b32 %1, %0, 1, 0x1f, 0xffffffff;");
INSTRUCTIONS(Vote, 2,
             "{ .reg .pred p; setp.lt.u32 p, %0, %1;\n"
             "  vote.sync.ballot.b32 %0, p, 0xffffffff; }");
INSTRUCTIONS(Exponential, 2, "ex2.approx.ftz.f32 %0, %1; ex2.approx.ftz.f32 %1, %0;");
INSTRUCTIONS(Logarithm, 2, "lg2.approx.ftz.f32 %0, %1; lg2.approx.ftz.f32 %1, %0;");
INSTRUCTIONS(ReciprocalRoot, 2, "rsqrt.approx.ftz.f32 %0, %1; rsqrt.approx.ftz.f32 %1, %0;");
INSTRUCTIONS(ReciprocalRootOfAny, 2, "rsqrt.approx.f32 %0, %1; rsqrt.approx.f32 %1, %0;");
INSTRUCTIONS(Sine, 2, "sin.approx.ftz.f32 %0, %1; cos.approx.ftz.f32 %1, %0;");
INSTRUCTIONS(Reciprocal, 2, "rcp.approx.ftz.f32 %0, %1; rcp.approx.ftz.f32 %1, %0;");
INSTRUCTIONS(ReciprocalRounded, 2, "rcp.rn.f32 %0, %1; rcp.rn.f32 %1, %0;");
INSTRUCTIONS(RootRounded, 2, "sqrt.rn.f32 %0, %1; sqrt.rn.f32 %1, %0;");
INSTRUCTIONS(FloatDivide, 2, "div.rn.f32 %0, %0, %1; div.rn.f32 %1, %1, %0;");
INSTRUCTIONS(SpecialAndMultiplyAdd, 5,
             "rsqrt.approx.ftz.f32 %0, %1; fma.rn.f32 %1, %1, %0, %0; fma.rn.f32 %0, %1, %1, %0;\n"
             "fma.rn.f32 %1, %1, %0, %0; fma.rn.f32 %0, %1, %1, %0;");
#undef INSTRUCTIONS

/// 64-bit address arithmetic: sums, and 32-bit products with a 64-bit result.
struct AddLong {
    static constexpr int count = 1;
    static __device__ void run_step(unsigned long long& a, unsigned long long& b) {
        asm volatile("add.u64 %0, %0, %1;" : "+l"(a), "+l"(b));
    }
};
struct MultiplyWide {
    static constexpr int count = 1;
    static __device__ void run_step(unsigned long long& a, unsigned long long& b) {
        asm volatile("{ .reg .u32 low; cvt.u32.u64 low, %0; mad.wide.u32 %0, low, 36, %1; }"
                     : "+l"(a), "+l"(b));
    }
};

/// Like INSTRUCTIONS, but defines an operation on 64-bit registers.
#define LONG_INSTRUCTIONS(NAME, COUNT, TEXT)                                            \
    struct NAME {                                                                       \
        static constexpr int count = COUNT;                                             \
        static __device__ void run_step(unsigned long long& a, unsigned long long& b) { \
            asm volatile(TEXT : "+l"(a), "+l"(b));                                      \
        }                                                                               \
    }
LONG_INSTRUCTIONS(DoubleMultiplyAdd, 2, "fma.rn.f64 %0, %0, %1, %1; fma.rn.f64 %1, %1, %0, %0;");
LONG_INSTRUCTIONS(DoubleAdd, 2, "add.rn.f64 %0, %0, %1; add.rn.f64 %1, %1, %0;");
LONG_INSTRUCTIONS(DoubleDivide, 2, "div.rn.f64 %0, %0, %1; div.rn.f64 %1, %1, %0;");
LONG_INSTRUCTIONS(DoubleRoot, 2, "sqrt.rn.f64 %0, %1; sqrt.rn.f64 %1, %0;");
LONG_INSTRUCTIONS(MultiplyLong, 2, "mul.lo.u64 %0, %0, %1; mul.lo.u64 %1, %1, %0;");
LONG_INSTRUCTIONS(LongToDouble, 2, "cvt.rn.f64.s64 %0, %1; cvt.rzi.s64.f64 %1, %0;");
LONG_INSTRUCTIONS(FloatToDouble, 2, "{ .reg .f32 f; cvt.rn.f32.f64 f, %1; cvt.f64.f32 %0, f; }");
LONG_INSTRUCTIONS(ShiftLong, 2, "shl.b64 %0, %0, 3; shr.u64 %1, %0, 5;");
#undef LONG_INSTRUCTIONS

constexpr int turns = 64;

/// Runs CHAINS independent chains per thread, with STEPS steps of each chain per loop iteration.
template <class Op, class Register, int CHAINS, int STEPS>
__global__ void __launch_bounds__(1024)
    issue_repeatedly(Register chain_seed_a, Register seed_b, std::uint64_t* result_counters) {
    Register a[CHAINS], b[CHAINS];
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) {
        a[k] = chain_seed_a + threadIdx.x + static_cast<Register>(k);
        b[k] = seed_b + 3 * static_cast<Register>(k);
    }
    long long cycles = 0;
    for (int time = 0; time < 2; ++time) {
        __syncthreads();
        const long long start = cycles_now();
#pragma unroll 1
        for (int i = 0; i < turns; ++i) {
#pragma unroll
            for (int step = 0; step < STEPS; ++step) {
#pragma unroll
                for (int k = 0; k < CHAINS; ++k) Op::run_step(a[k], b[k]);
            }
        }
        __syncthreads();
        cycles = cycles_now() - start;
    }
    if (threadIdx.x == 0) result_counters[0] = static_cast<std::uint64_t>(cycles);
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) sum ^= static_cast<unsigned>(a[k] ^ b[k]);
    result_counters[1 + threadIdx.x] = sum;
}

template <class Op, class Register, int CHAINS, int STEPS>
double measure_cycles_per_instruction(Bench& bench, int threads) {
    issue_repeatedly<Op, Register, CHAINS, STEPS>
        <<<1, threads>>>(1234567, 7654321, bench.result_counters());
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    const double instructions = double{Op::count} * CHAINS * STEPS * turns;
    return static_cast<double>(bench.read_result_counters(1)[0]) / instructions;
}

template <class Op, class Register = unsigned, int CHAINS = 8, int STEPS = 4>
void measure(Bench& bench, RawMeasurements& raw, const char* name) {
    const double latency_cycles = measure_cycles_per_instruction<Op, Register, 1, STEPS>(bench, 32);
    for (const int threads : {256, 1024}) {
        // Four schedulers share the warps.
        const double cycles =
            measure_cycles_per_instruction<Op, Register, CHAINS, STEPS>(bench, threads);
        raw.issue_costs.push_back({name, threads, cycles / (threads / 128.0), latency_cycles});
    }
}

/// Measures an operation that compiles to twenty or more instructions. The measurement uses fewer
/// chains, so that the loop fits in the L1 instruction cache.
template <class Op>
void measure_long_sequence(Bench& bench, RawMeasurements& raw, const char* instruction) {
    measure<Op, unsigned, 2, 1>(bench, raw, instruction);
}

void measure_special_functions(Bench& bench, RawMeasurements& raw) {
    measure<Exponential>(bench, raw, "exponential");
    measure<Logarithm>(bench, raw, "logarithm");
    measure<ReciprocalRoot>(bench, raw, "reciprocal root");
    measure<ReciprocalRootOfAny>(bench, raw, "reciprocal root, small numbers too");
    measure<Sine>(bench, raw, "sine");
    measure<Reciprocal>(bench, raw, "reciprocal");
    measure_long_sequence<ReciprocalRounded>(bench, raw, "reciprocal, rounded");
    measure_long_sequence<RootRounded>(bench, raw, "root, rounded");
    measure_long_sequence<FloatDivide>(bench, raw, "float divide");
    measure<SpecialAndMultiplyAdd>(bench, raw, "reciprocal root, four multiply-adds");
}

void measure_rare_instructions(Bench& bench, RawMeasurements& raw) {
    measure<FloatMinimum>(bench, raw, "float minimum");
    measure<HalfMultiplyAdd>(bench, raw, "half multiply-add, two at a time");
    measure<PopulationCount>(bench, raw, "population count");
    measure<LeadingZeros>(bench, raw, "leading zeros");
    measure<ReverseBits>(bench, raw, "reverse bits");
    measure<Permute>(bench, raw, "permute bytes");
    measure<FloatToInteger>(bench, raw, "float to integer");
    measure<IntegerToFloat>(bench, raw, "integer to float");
    measure<ByteToFloat>(bench, raw, "byte to float");
    measure<ShuffleDown>(bench, raw, "shuffle");
    measure<Vote>(bench, raw, "compare, vote");
    using UnsignedLong = unsigned long long;
    measure<DoubleMultiplyAdd, UnsignedLong, 4>(bench, raw, "double multiply-add");
    measure<DoubleAdd, UnsignedLong, 4>(bench, raw, "double add");
    measure<DoubleDivide, UnsignedLong, 2, 1>(bench, raw, "double divide");
    measure<DoubleRoot, UnsignedLong, 2, 1>(bench, raw, "double root");
    measure<MultiplyLong, UnsignedLong, 4>(bench, raw, "multiply of 64 bits");
    measure<LongToDouble, UnsignedLong, 4>(bench, raw, "integer to double and back");
    measure<FloatToDouble, UnsignedLong, 4>(bench, raw, "double to float and back");
    measure<ShiftLong, UnsignedLong, 4>(bench, raw, "shift of 64 bits");
}

}  // namespace

void measure_issue(Bench& bench, RawMeasurements& raw) {
    measure<Add>(bench, raw, "add");
    measure<Multiply>(bench, raw, "multiply");
    measure<MultiplyAdd>(bench, raw, "multiply-add");
    measure<AddAndMultiplyAdd>(bench, raw, "add, multiply-add");
    measure<MultiplyHigh>(bench, raw, "multiply high");
    measure<Logic>(bench, raw, "logic");
    measure<Shift>(bench, raw, "shift");
    measure<Minimum>(bench, raw, "minimum");
    measure<CompareAndSelect>(bench, raw, "compare, select");
    measure<Branch>(bench, raw, "compare, add, branch not taken");
    measure_long_sequence<Divide>(bench, raw, "divide");
    measure_long_sequence<DivideSigned>(bench, raw, "divide signed");
    measure_long_sequence<Remainder>(bench, raw, "remainder");
    measure_long_sequence<DivideAndRemainder>(bench, raw, "divide, remainder");
    measure<FloatAdd>(bench, raw, "float add");
    measure<FloatMultiplyAdd>(bench, raw, "float multiply-add");
    measure<AddLong, unsigned long long>(bench, raw, "add of 64 bits");
    measure<MultiplyWide, unsigned long long>(bench, raw, "multiply-add wide");
    measure_special_functions(bench, raw);
    measure_rare_instructions(bench, raw);
}

}  // namespace coalesce::timing
