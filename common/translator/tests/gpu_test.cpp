// Inline assembly, atomics, and what threads do together.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include "run.h"
#include "translator/translate.h"

using namespace coalesce::translator;
using namespace coalesce::translator::tests;

TEST_CASE("inline assembly: several outputs, a tied input, braces, a number") {
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

TEST_CASE("inline assembly: what nobody uses is dropped, unless it has effects") {
    const auto with = [](const std::string& how) {
        return ptx_of(kernel("  %x = load float, ptr %in, align 4\n  %s = call float asm " + how +
                             "\"sin.approx.f32 $0, $1;\", \"=f,f\"(float %x)\n  ret void"));
    };
    CHECK(count(with(""), "sin.approx") == 0);
    CHECK(count(with(""), "ld.global") == 0);
    CHECK(count(with("sideeffect "), "sin.approx") == 1);
}

TEST_CASE("inline assembly that cannot be: said in words") {
    CHECK_THROWS_WITH_AS(ptx_of(kernel("  %x = call i32 asm \"mov.u32 $0, 1;\", \"=x\"()\n  store "
                                       "i32 %x, ptr %out\n  ret void")),
                         "inline assembly has no constraint \"x\" here", Untranslated);
}

TEST_CASE("atomics give what was there") {
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

TEST_CASE("shuffles, votes, barriers") {
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
