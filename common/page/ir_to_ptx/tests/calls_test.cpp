// Tests functions that are not inlined: arguments and results of every type, recursion, and
// function pointers.
#include <doctest/doctest.h>

#include "page/ir_to_ptx/translate.h"
#include "run.h"

using namespace coalesce::translator;
using namespace coalesce::translator::tests;

TEST_CASE("arguments and results of every type are passed correctly") {
    const std::string ir = kernel(R"(
  %n = load i64, ptr %in, align 8
  %a = trunc i64 %n to i8
  %b = trunc i64 %n to i1
  %v = insertelement <2 x i32> <i32 3, i32 4>, i32 9, i64 0
  %r = call { i64, i16, i1 } @many(i8 signext %a, i1 zeroext %b, i64 %n, <2 x i32> %v, i128 18446744073709551617)
  %x = extractvalue { i64, i16, i1 } %r, 0
  %y = extractvalue { i64, i16, i1 } %r, 1
  %z = extractvalue { i64, i16, i1 } %r, 2
  %y64 = zext i16 %y to i64
  %z64 = zext i1 %z to i64
  store i64 %x, ptr %out, align 8
  %o1 = getelementptr i64, ptr %out, i64 1
  store i64 %y64, ptr %o1, align 8
  %o2 = getelementptr i64, ptr %out, i64 2
  store i64 %z64, ptr %o2, align 8
  ret void)",
                                  R"(
define internal { i64, i16, i1 } @many(i8 signext %a, i1 zeroext %b, i64 %n, <2 x i32> %v, i128 %w) {
  %high128 = lshr i128 %w, 64
  %high = trunc i128 %high128 to i64
  %a64 = sext i8 %a to i64
  %e0 = extractelement <2 x i32> %v, i64 0
  %e64 = zext i32 %e0 to i64
  %s1 = add i64 %a64, %n
  %s2 = add i64 %s1, %e64
  %s3 = add i64 %s2, %high
  %a16 = sext i8 %a to i16
  %not = xor i1 %b, true
  %r1 = insertvalue { i64, i16, i1 } poison, i64 %s3, 0
  %r2 = insertvalue { i64, i16, i1 } %r1, i16 %a16, 1
  %r3 = insertvalue { i64, i16, i1 } %r2, i1 %not, 2
  ret { i64, i16, i1 } %r3
}
)");
    CHECK(run(ir, {0xFE}, {.words = 3}) == std::vector<u64>{0xFE - 2 + 9 + 1, 0xFFFE, 1});
}

TEST_CASE("recursive functions work") {
    const std::string ir = kernel(R"(
  %n = load i32, ptr %in, align 4
  %r = call i32 @fibonacci(i32 %n)
  %w = zext i32 %r to i64
  store i64 %w, ptr %out, align 8
  ret void)",
                                  R"(
define i32 @fibonacci(i32 %n) {
  %small = icmp slt i32 %n, 2
  br i1 %small, label %done, label %more
more:
  %a = add i32 %n, -1
  %b = add i32 %n, -2
  %x = call i32 @fibonacci(i32 %a)
  %y = call i32 @fibonacci(i32 %b)
  %s = add i32 %x, %y
  br label %done
done:
  %r = phi i32 [ %n, %0 ], [ %s, %more ]
  ret i32 %r
}
)");
    CHECK(run(ir, {12}).at(0) == 144);
}

TEST_CASE("a function pointer in a register or in a table can be called") {
    const std::string ir = kernel(R"(
  %n = load i64, ptr %in, align 8
  %slot = getelementptr [2 x ptr], ptr addrspacecast (ptr addrspace(1) @table to ptr), i64 0, i64 %n
  %f = load ptr, ptr %slot, align 8
  %r = call i64 %f(i64 10)
  store i64 %r, ptr %out, align 8
  ret void)",
                                  R"(
@table = internal addrspace(1) global [2 x ptr] [ptr @up, ptr @down], align 8
define i64 @up(i64 %x) {
  %r = add i64 %x, 1
  ret i64 %r
}
define i64 @down(i64 %x) {
  %r = sub i64 %x, 1
  ret i64 %r
}
)");
    CHECK(run(ir, {0}).at(0) == 11);
    CHECK(run(ir, {1}).at(0) == 9);
}

TEST_CASE("a callee may change a structure passed by value without affecting the caller's copy") {
    const std::string ir = kernel(R"(
  %s = alloca { i64, i64 }, align 8
  store i64 5, ptr %s, align 8
  %second = getelementptr { i64, i64 }, ptr %s, i64 0, i32 1
  store i64 6, ptr %second, align 8
  %r = call i64 @change(ptr byval({ i64, i64 }) align 8 %s)
  %kept = load i64, ptr %second, align 8
  %t = mul i64 %r, 100
  %b = add i64 %t, %kept
  store i64 %b, ptr %out, align 8
  ret void)",
                                  R"(
define i64 @change(ptr byval({ i64, i64 }) align 8 %s) {
  %second = getelementptr { i64, i64 }, ptr %s, i64 0, i32 1
  store i64 40, ptr %second, align 8
  %a = load i64, ptr %s, align 8
  %b = load i64, ptr %second, align 8
  %r = add i64 %a, %b
  ret i64 %r
}
)");
    CHECK(run(ir).at(0) == 4506);
}

TEST_CASE("launch bounds are translated in both forms, that of clang 17 and that of clang 22") {
    const std::string now =
        "define ptx_kernel void @k(ptr %out) #0 {\n  ret void\n}\n"
        "attributes #0 = { \"nvvm.maxntid\"=\"128,2,1\" \"nvvm.minctasm\"=\"3\" }\n";
    const std::string then =
        "define void @k(ptr %out) {\n  ret void\n}\n!nvvm.annotations = !{!0, !1, !2}\n"
        "!0 = !{ptr @k, !\"kernel\", i32 1}\n!1 = !{ptr @k, !\"maxntidx\", i32 128}\n"
        "!2 = !{ptr @k, !\"minctasm\", i32 3}\n";
    CHECK(translate_ir_to_ptx(now).find(".maxntid 128, 2, 1\n.minnctapersm 3") !=
          std::string::npos);
    CHECK(translate_ir_to_ptx(then).find(".entry k(") != std::string::npos);
    CHECK(translate_ir_to_ptx(then).find(".maxntid 128\n.minnctapersm 3") != std::string::npos);
}
