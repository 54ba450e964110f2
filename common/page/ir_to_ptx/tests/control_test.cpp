// Tests branches, loops, switches, phis that swap their values, and edges between blocks that need
// additional code.
#include <doctest/doctest.h>

#include "page/ir_to_ptx/translate.h"
#include "run.h"

using namespace coalesce::translator;
using namespace coalesce::translator::tests;

namespace {

/// Returns a kernel with a loop that contains `phis` and makes in[0] iterations. After the loop,
/// `after` computes %r, and the kernel stores %r.
std::string in_turns(const std::string& phis, const std::string& after) {
    return kernel(
        "entry:\n  %n = load i64, ptr %in, align 8\n  br label %loop\nloop:\n" + phis +
        "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n  %next = add i64 %i, 1\n"
        "  %more = icmp ult i64 %next, %n\n  br i1 %more, label %loop, label %done\ndone:\n" +
        after + "  store i64 %r, ptr %out, align 8\n  ret void");
}

}  // namespace

TEST_CASE("two phis may swap their values in each iteration") {
    const std::string ir = in_turns(R"(
  %a = phi i64 [ 1, %entry ], [ %b, %loop ]
  %b = phi i64 [ 2, %entry ], [ %a, %loop ]
)",
                                    R"(
  %ten = mul i64 %a, 10
  %r = add i64 %ten, %b
)");
    CHECK(run(ir, {1}).at(0) == 12);
    CHECK(run(ir, {2}).at(0) == 21);
    CHECK(run(ir, {3}).at(0) == 12);
}

TEST_CASE("three phis may exchange their values in a cycle while a fourth phi copies one of them") {
    const std::string ir = in_turns(R"(
  %a = phi i64 [ 1, %entry ], [ %b, %loop ]
  %b = phi i64 [ 2, %entry ], [ %c, %loop ]
  %c = phi i64 [ 3, %entry ], [ %a, %loop ]
  %d = phi i64 [ 4, %entry ], [ %a, %loop ]
)",
                                    R"(
  %p1 = mul i64 %a, 1000
  %p2 = mul i64 %b, 100
  %p3 = mul i64 %c, 10
  %s1 = add i64 %p1, %p2
  %s2 = add i64 %p3, %d
  %r = add i64 %s1, %s2
)");
    CHECK(run(ir, {1}).at(0) == 1234);
    CHECK(run(ir, {2}).at(0) == 2311);
    CHECK(run(ir, {3}).at(0) == 3122);
}

TEST_CASE("a phi that is used after its loop has the value from the last iteration") {
    const std::string ir = in_turns("", R"(
  %r = mul i64 %i, %next
)");
    CHECK(run(ir, {5}).at(0) == 20);
}

TEST_CASE("both edges of a branch may lead to the same block, with different values for its phis") {
    const std::string ir = kernel(R"(
entry:
  %n = load i64, ptr %in, align 8
  %c = icmp ugt i64 %n, 5
  br i1 %c, label %big, label %done
big:
  %m = mul i64 %n, 2
  %very = icmp ugt i64 %n, 50
  br i1 %very, label %done, label %last
last:
  br label %done
done:
  %r = phi i64 [ 7, %entry ], [ %m, %big ], [ %n, %last ]
  %s = phi i64 [ %n, %entry ], [ 1, %big ], [ 2, %last ]
  %t = sub i64 %r, %s
  store i64 %t, ptr %out, align 8
  ret void)");
    CHECK(run(ir, {3}).at(0) == 4);
    CHECK(run(ir, {60}).at(0) == 119);
    CHECK(run(ir, {6}).at(0) == 4);
}

TEST_CASE("a switch may have a default, two cases with the same target, and phis in its targets") {
    const std::string ir = kernel(R"(
entry:
  %n = load i32, ptr %in, align 4
  switch i32 %n, label %other [
    i32 0, label %done
    i32 1, label %one
    i32 -2, label %one
    i32 7, label %done
  ]
one:
  br label %done
other:
  br label %done
done:
  %r = phi i64 [ 10, %entry ], [ 10, %entry ], [ 20, %one ], [ 30, %other ]
  store i64 %r, ptr %out, align 8
  ret void)");
    CHECK(run(ir, {0}).at(0) == 10);
    CHECK(run(ir, {7}).at(0) == 10);
    CHECK(run(ir, {1}).at(0) == 20);
    CHECK(run(ir, {0xFFFFFFFE}).at(0) == 20);
    CHECK(run(ir, {5}).at(0) == 30);
}

TEST_CASE("a predicate can be the result of a phi or of a select, and can be stored") {
    const std::string ir = kernel(R"(
entry:
  %n = load i64, ptr %in, align 8
  %c = icmp ugt i64 %n, 5
  br i1 %c, label %big, label %done
big:
  %odd = trunc i64 %n to i1
  br label %done
done:
  %r = phi i1 [ true, %entry ], [ %odd, %big ]
  %small = icmp ult i64 %n, 100
  %s = select i1 %r, i1 %small, i1 %c
  store i1 %s, ptr %out, align 1
  ret void)");
    CHECK(run(ir, {3}).at(0) == 1);
    CHECK(run(ir, {101}).at(0) == 0);
    CHECK(run(ir, {102}).at(0) == 1);
}

TEST_CASE("a loop counter needs one register and no copies") {
    const std::string ptx = translate_ir_to_ptx(kernel(R"(
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr %out, i32 %i
  store i32 %i, ptr %at, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 10
  br i1 %more, label %loop, label %done
done:
  ret void)"));
    CHECK(count(ptx, "mov.b32") == 1);
}

TEST_CASE("a loop that must not be unrolled gets a nounroll pragma") {
    const std::string ptx = translate_ir_to_ptx(kernel(R"(
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 10
  br i1 %more, label %loop, label %done, !llvm.loop !0
done:
  ret void)") + "!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.unroll.disable\"}\n");
    // The pragma must precede the first instruction of the loop.
    const std::size_t pragma = ptx.find("\"nounroll\"");
    REQUIRE(pragma != std::string::npos);
    CHECK(pragma < ptx.find("add.s32"));
    CHECK(pragma > ptx.find("mov.b32"));
}
