// Tests inline assembly, atomics, and operations that several threads execute together.
#include <doctest/doctest.h>

#include "page/ir_to_ptx/translate.h"
#include "run.h"

using namespace coalesce::translator;
using namespace coalesce::translator::tests;

TEST_CASE("inline assembly may have several outputs, tied inputs, braces and immediates") {
    const std::string ir = kernel(R"(
  %x = load i32, ptr %in, align 4
  %p = call { i32, i32 } asm "{ .reg .u32 t; add.u32 t, $2, $3; mov.u32 $0, t; sub.u32 $1, $2, $3; }", "=r,=r,r,r"(i32 %x, i32 3)
  %a = extractvalue { i32, i32 } %p, 0
  %b = extractvalue { i32, i32 } %p, 1
  %c = call i32 asm sideeffect "mad.lo.u32 $0, $0, $2, 0x10;", "=r,0,n,~{memory}"(i32 %a, i32 5)
  %w = zext i32 %c to i64
  %v = zext i32 %b to i64
  store i64 %w, ptr %out, align 8
  %q = getelementptr i64, ptr %out, i64 1
  store i64 %v, ptr %q, align 8
  ret void)");
    CHECK(run(ir, {10}, {.words = 2}) == std::vector<u64>{13 * 5 + 16, 7});
}

TEST_CASE("inline assembly with an unused result is removed, unless it has side effects") {
    const auto with = [](const std::string& how) {
        return translate_ir_to_ptx(
            kernel("  %x = load float, ptr %in, align 4\n  %s = call float asm " + how +
                   "\"sin.approx.f32 $0, $1;\", \"=f,f\"(float %x)\n  ret void"));
    };
    CHECK(count(with(""), "sin.approx") == 0);
    CHECK(count(with(""), "ld.global") == 0);
    CHECK(count(with("sideeffect "), "sin.approx") == 1);
}

TEST_CASE("inline assembly can load, multiply and store warp-level matrices") {
    const std::string tid = "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
    const std::string begin = "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n", end = R"(
  %w = zext i32 %r to i64
  %p = getelementptr i64, ptr %out, i32 %t
  store i64 %w, ptr %p, align 8
  ret void)";
    const std::string product = kernel(begin + R"(
  %d = call { i32, i32 } asm sideeffect "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {$0, $1}, {$2}, {$3}, {$4, $5};", "=r,=r,r,r,r,r"(i32 16843009, i32 16843009, i32 %t, i32 7)
  %a = extractvalue { i32, i32 } %d, 0
  %b = extractvalue { i32, i32 } %d, 1
  %r = mul i32 %a, %b)" + end,
                                       tid);
    std::vector<u64> sums, turned;
    for (u64 lane = 0; lane < 32; ++lane) sums.push_back((16 + lane) * (16 + 7));
    CHECK(run(product, {}, {.threads = 32, .words = 32}) == sums);

    const std::string moved =
        kernel(begin + R"(
  %n = and i32 %t, 7
  %o = shl i32 %n, 4
  %s = ptrtoint ptr addrspace(3) @tile to i32
  %at = add i32 %s, %o
  call void asm sideeffect "stmatrix.sync.aligned.m8n8.x1.shared.b16 [$0], {$1};", "r,r,~{memory}"(i32 %at, i32 %t)
  %r = call i32 asm sideeffect "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {$0}, [$1];", "=r,r,~{memory}"(i32 %at))" +
                   end,
               tid + "@tile = internal addrspace(3) global [64 x i16] undef, align 16\n");
    // In a row of eight elements, every other element is the index of the lane that stored it. The
    // remaining elements are 0.
    const auto element = [](u64 row, u64 col) { return col % 2 ? 0 : 4 * row + col / 2; };
    for (u64 lane = 0; lane < 32; ++lane) {
        const u64 row = lane % 4 * 2, col = lane / 4;
        turned.push_back(element(row, col) | element(row + 1, col) << 16);
    }
    CHECK(run(moved, {}, {.threads = 32, .words = 32}) == turned);
}

TEST_CASE("clang's own matrix intrinsics are rejected with an error that names them") {
    const std::string name = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3";
    CHECK_THROWS_WITH_AS(translate_ir_to_ptx(kernel(
                             "  %x = call i32 @" + name +
                                 "(ptr addrspace(3) null)\n  store i32 %x, ptr %out\n  ret void",
                             "declare i32 @" + name + "(ptr addrspace(3))\n")),
                         ("the operation " + name + " is not supported").c_str(), Untranslated);
}

TEST_CASE("invalid inline assembly is rejected with a reason") {
    CHECK_THROWS_WITH_AS(
        translate_ir_to_ptx(kernel("  %x = call i32 asm \"mov.u32 $0, 1;\", \"=x\"()\n  store "
                                   "i32 %x, ptr %out\n  ret void")),
        "inline assembly does not support the constraint \"x\" here", Untranslated);
}

namespace {

/// Returns `out` after 64 threads have updated it. `out` initially contains zeros. Thread k updates
/// the element of the given type at index k % 4.
std::vector<u64> by_all(const std::string& type, const std::string& update) {
    return run(kernel("  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %k = and i32 %t, 3\n"
                      "  %p = getelementptr " +
                          type + ", ptr %out, i32 %k\n  %v = trunc i32 %t to " + type + "\n" +
                          update + "  ret void",
                      "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"),
               {}, {.threads = 64});
}
std::string update(const std::string& what, const std::string& type) {
    return "  %old = atomicrmw " + what + " ptr %p, " + type + " %v monotonic, align 1\n";
}

}  // namespace

TEST_CASE("8-bit and 16-bit atomics do not change adjacent bytes, even with many threads") {
    // The expected sums, minima and maxima of the values k, k + 4, ..., k + 60.
    u64 sums = 0, least = 0, most = 0, sums_16 = 0, most_16 = 0;
    for (u64 k = 0; k < 4; ++k) {
        const u64 sum = 16 * k + 4 * 120;
        sums |= (sum & 0xFF) << 8 * k;
        least |= ((256 - sum) & 0xFF) << 8 * k;
        most |= (60 + k) << 8 * k;
        sums_16 |= sum << 16 * k;
        most_16 |= (60 + k) << 16 * k;
    }
    CHECK(by_all("i8", update("add", "i8")).at(0) == sums);
    CHECK(by_all("i8", update("sub", "i8")).at(0) == least);
    CHECK(by_all("i8", update("umax", "i8")).at(0) == most);
    CHECK(by_all("i8", update("max", "i8")).at(0) == most);
    CHECK(by_all("i16", update("add", "i16")).at(0) == sums_16);
    CHECK(by_all("i16", update("umax", "i16")).at(0) == most_16);
    CHECK(by_all("i8", update("umin", "i8")).at(0) == 0);
    CHECK(by_all("i8", update("or", "i8")).at(0) == 0x3F3E3D3C);
    CHECK(by_all("i8", update("and", "i8")).at(0) == 0);
    CHECK(by_all("i16", update("xor", "i16")).at(0) == 0);
    // Without atomics, the threads race, and the simulator reports the race.
    CHECK_THROWS(
        by_all("i8", "  %x = load i8, ptr %p\n  %y = add i8 %x, %v\n  store i8 %y, ptr %p\n"));
}

TEST_CASE("8-bit and 16-bit atomics return the old value") {
    const std::string ir = kernel(R"(
  %p = getelementptr i8, ptr %out, i64 3
  %a = atomicrmw xchg ptr %p, i8 -7 seq_cst, align 1
  %b = atomicrmw min ptr %p, i8 5 seq_cst, align 1
  %c = atomicrmw nand ptr %p, i8 15 seq_cst, align 1
  %x = cmpxchg ptr %p, i8 -10, i8 33 seq_cst monotonic, align 1
  %x0 = extractvalue { i8, i1 } %x, 0
  %x1 = extractvalue { i8, i1 } %x, 1
  %y = cmpxchg ptr %p, i8 34, i8 99 acq_rel acquire, align 1
  %y0 = extractvalue { i8, i1 } %y, 0
  %y1 = extractvalue { i8, i1 } %y, 1
  %q = getelementptr i8, ptr %out, i64 8
  store i8 %a, ptr %q, align 1
  %q1 = getelementptr i8, ptr %q, i64 1
  store i8 %b, ptr %q1, align 1
  %q2 = getelementptr i8, ptr %q, i64 2
  store i8 %c, ptr %q2, align 1
  %q3 = getelementptr i8, ptr %q, i64 3
  store i8 %x0, ptr %q3, align 1
  %q4 = getelementptr i8, ptr %q, i64 4
  store i1 %x1, ptr %q4, align 1
  %q5 = getelementptr i8, ptr %q, i64 5
  store i8 %y0, ptr %q5, align 1
  %q6 = getelementptr i8, ptr %q, i64 6
  store i1 %y1, ptr %q6, align 1
  ret void)");
    // The bytes of the second word, beginning with the lowest. From the three atomicrmw: 0, -7 and
    // -7. From the first cmpxchg: -10 = ~(-7 & 15) and 1. From the second cmpxchg: 33 and 0.
    CHECK(run(ir, {}, {.words = 2}) == std::vector<u64>{0x21000000, 0x002101F6F9F900});
    CHECK(count(translate_ir_to_ptx(ir), "atom") == 5);
}

TEST_CASE("atomics without an equivalent PTX instruction become loops or are rejected") {
    const std::string ir = kernel(R"(
  %a = atomicrmw nand ptr %out, i32 12 seq_cst, align 4
  %b = atomicrmw nand ptr %out, i32 12 seq_cst, align 4
  %p = getelementptr i64, ptr %out, i64 1
  %c = atomicrmw nand ptr %p, i64 5 seq_cst, align 8
  %f = getelementptr i64, ptr %out, i64 2
  %d = atomicrmw fmax ptr %f, float 2.500000e+00 seq_cst, align 4
  %g = atomicrmw fmin ptr %f, float 1.500000e+00 seq_cst, align 4
  ret void)");
    CHECK(run(ir, {}, {.words = 3}) == std::vector<u64>{0xFFFFFFF3, ~u64{0}, 0x3FC00000});
    CHECK_THROWS_WITH_AS(
        translate_ir_to_ptx(
            kernel("  %a = atomicrmw fmax ptr %out, half 0xH3C00 seq_cst, align 2\n  ret void")),
        "there is no atomic operation 'fmax' for this type", Untranslated);
}

TEST_CASE("each element of a vector of pointers has its own address") {
    const std::string ir = kernel(R"(
  %n = load <2 x i64>, ptr %in, align 16
  %p = getelementptr inbounds i64, ptr %in, <2 x i64> %n
  %q = getelementptr inbounds { i64, i64 }, <2 x ptr> %p, i64 1, i32 1
  %a = extractelement <2 x ptr> %q, i64 0
  %b = extractelement <2 x ptr> %q, i64 1
  %x = load i64, ptr %a, align 8
  %y = load i64, ptr %b, align 8
  store i64 %x, ptr %out, align 8
  %o = getelementptr i64, ptr %out, i64 1
  store i64 %y, ptr %o, align 8
  ret void)");
    CHECK(run(ir, {2, 3, 0, 0, 0, 55, 66}, {.words = 2}) == std::vector<u64>{55, 66});
}

TEST_CASE("atomics return the old value") {
    const std::string ir = kernel(R"(
  %a = atomicrmw add ptr %out, i32 5 seq_cst, align 4
  %b = atomicrmw umax ptr %out, i32 3 seq_cst, align 4
  %c = atomicrmw sub ptr %out, i32 1 seq_cst, align 4
  %x = cmpxchg ptr %out, i32 4, i32 9 seq_cst monotonic, align 4
  %old = extractvalue { i32, i1 } %x, 0
  %ok = extractvalue { i32, i1 } %x, 1
  %n = zext i1 %ok to i32
  %s = add i32 %old, %n
  %w = zext i32 %s to i64
  %q = getelementptr i64, ptr %out, i64 1
  fence seq_cst
  store i64 %w, ptr %q, align 8
  ret void)");
    CHECK(run(ir, {}, {.words = 2}) == std::vector<u64>{9, 5});
}

TEST_CASE("shuffles, votes and barriers are translated") {
    const std::string ir = kernel(R"(
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 1, i32 31)
  %odd = trunc i32 %s to i1
  %v = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %odd)
  %n = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %odd)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %sum = add i32 %s, %n
  %lo = zext i32 %sum to i64
  %hi = zext i32 %v to i64
  %up = shl i64 %hi, 32
  %r = or i64 %up, %lo
  %i = zext i32 %t to i64
  %p = getelementptr i64, ptr %out, i64 %i
  store i64 %r, ptr %p, align 8
  ret void)",
                                  R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
)");
    const auto words = run(ir, {}, {.threads = 32, .words = 32});
    CHECK(words[0] == 0x5555555500000000 + 1 + 16);
    CHECK(words[7] == 0x5555555500000000 + 6 + 16);
}
