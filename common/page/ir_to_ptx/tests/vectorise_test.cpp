// Tests which adjacent loads and stores are merged. The expected counts are those from clang 22's
// back end for the same IR.
#include <doctest/doctest.h>

#include "page/ir_to_ptx/translate.h"
#include "run.h"

using namespace coalesce::translator;
using namespace coalesce::translator::tests;

namespace {

/// Returns a kernel that loads a float at each of the `offsets` from `in`, and stores the sum. The
/// first load has the given alignment.
std::string sum_of(const std::vector<int>& offsets, unsigned align,
                   const std::string& between = "") {
    std::string body, sum = "0.0";
    for (std::size_t k = 0; k < offsets.size(); ++k) {
        const std::string n = std::to_string(k);
        body +=
            "  %p" + n + " = getelementptr i8, ptr %in, i64 " + std::to_string(offsets[k]) + "\n";
        body += "  %v" + n + " = load float, ptr %p" + n + ", align " +
                std::to_string(k == 0 ? align : 4) + "\n";
        body += "  %s" + n + " = fadd float " + sum + ", %v" + n + "\n" + between;
        sum = "%s" + n;
    }
    return kernel(body + "  store float " + sum + ", ptr %out, align 4\n  ret void",
                  "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n");
}

std::size_t loads(const std::string& ir, const std::string& kind) {
    return count(translate_ir_to_ptx(ir), "ld.global" + kind);
}

constexpr u64 kOneTwo = 0x400000003f800000, kThreeFour = 0x4080000040400000;

}  // namespace

TEST_CASE("four consecutive floats with an alignment of 16 bytes are merged into one load") {
    const std::string ir = sum_of({0, 4, 8, 12}, 16);
    CHECK(loads(ir, ".v4.b32") == 1);
    CHECK(loads(ir, ".b32") == 0);
    CHECK(run(ir, {kOneTwo, kThreeFour}).at(0) == 0x41200000);  // the float 10
}

TEST_CASE("alignment limits the width of an access") {
    CHECK(loads(sum_of({0, 4, 8, 12}, 8), ".v2.b32") == 1);  // the third element is 4-byte aligned
    CHECK(loads(sum_of({0, 4, 8, 12}, 8), ".b32") == 2);
    CHECK(loads(sum_of({0, 4, 8, 12}, 4), ".b32") == 4);
}

TEST_CASE("loads are merged whatever their order in the IR") {
    const std::string body =
        "  %a = getelementptr i8, ptr %in, i64 4\n  %x = load float, ptr %a, align 4\n"
        "  %y = load float, ptr %in, align 8\n  %s = fsub float %x, %y\n"
        "  store float %s, ptr %out, align 4\n  ret void";
    CHECK(loads(kernel(body), ".v2.b32") == 1);
    CHECK(run(kernel(body), {kOneTwo}).at(0) == 0x3f800000);
}

TEST_CASE("a merged load may include unused elements, but a merged store may not") {
    CHECK(loads(sum_of({0, 4, 8}, 16), ".v4.b32") == 1);
    CHECK(loads(sum_of({0, 4, 12}, 16), ".v4.b32") == 1);
    CHECK(loads(sum_of({0, 12}, 16), ".v4.b32") == 1);
    CHECK(loads(sum_of({0, 8}, 16), ".v4.b32") == 1);
    CHECK(loads(sum_of({0, 8}, 8), ".b32") == 2);
    const std::string ir = kernel(R"(
  %v = load i32, ptr %in, align 4
  store i32 %v, ptr %out, align 16
  %a = getelementptr i8, ptr %out, i64 4
  store i32 %v, ptr %a, align 4
  %b = getelementptr i8, ptr %out, i64 12
  store i32 %v, ptr %b, align 4
  ret void)");
    CHECK(count(translate_ir_to_ptx(ir), "st.global.v2.b32") == 1);
    CHECK(count(translate_ir_to_ptx(ir), "st.global.b32") == 1);
    CHECK(run(ir, {7}, {.words = 2}) == std::vector<u64>{0x700000007, 0x700000000});
}

TEST_CASE("accesses are not merged across a barrier, or across a store that may alias them") {
    CHECK(loads(sum_of({0, 4}, 8, "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"),
                ".b32") == 2);
    CHECK(loads(sum_of({0, 4}, 8, "  store float 1.0, ptr %out, align 4\n"), ".b32") == 2);
}

TEST_CASE("accesses are merged across a store to other bytes of the same array") {
    const std::string ir = kernel(R"(
  %a = getelementptr i8, ptr %out, i64 4
  %far = getelementptr i8, ptr %out, i64 64
  %x = load i32, ptr %out, align 8
  store i32 5, ptr %far, align 4
  %y = load i32, ptr %a, align 4
  %s = add i32 %x, %y
  store i32 %s, ptr %out, align 4
  ret void)");
    CHECK(loads(ir, ".v2.b32") == 1);
}

TEST_CASE("small elements and elements of different types are merged") {
    const std::string ir = kernel(R"(
  %a = getelementptr i8, ptr %in, i64 2
  %b = getelementptr i8, ptr %in, i64 4
  %c = getelementptr i8, ptr %in, i64 6
  %x = load i16, ptr %in, align 8
  %y = load i16, ptr %a, align 2
  %z = load i16, ptr %b, align 4
  %w = load i16, ptr %c, align 2
  %s = add i16 %x, %y
  %t = sub i16 %z, %w
  %u = mul i16 %s, %t
  %r = zext i16 %u to i64
  store i64 %r, ptr %out, align 8
  ret void)");
    CHECK(count(translate_ir_to_ptx(ir), "ld.global") == 1);
    CHECK(run(ir, {0x0004000900020003}).at(0) == 25);
    const std::string mixed = kernel(R"(
  %a = getelementptr i8, ptr %in, i64 4
  %x = load float, ptr %in, align 8
  %y = load i32, ptr %a, align 4
  %f = fptosi float %x to i32
  %s = add i32 %f, %y
  store i32 %s, ptr %out, align 4
  ret void)");
    CHECK(loads(mixed, ".v2.b32") == 1);
    CHECK(run(mixed, {0x0000000540400000}).at(0) == 8);
}

TEST_CASE("only the used half of a 64-bit number is loaded") {
    const std::string ir = kernel(R"(
  %x = load i64, ptr %in, align 8
  %h = lshr i64 %x, 32
  %t = trunc i64 %h to i32
  store i32 %t, ptr %out, align 4
  ret void)");
    CHECK(loads(ir, ".b32") == 1);
    CHECK(loads(ir, ".b64") == 0);
    CHECK(run(ir, {0x1234567800000000}).at(0) == 0x12345678);
}
