// Tests loads, stores, addresses and state spaces, as well as structures, arrays and vectors as
// values.
#include <doctest/doctest.h>

#include "page/ir_to_ptx/translate.h"
#include "run.h"

using namespace coalesce::translator;
using namespace coalesce::translator::tests;

namespace {

/// Returns IR that stores 64-bit values to out[0], out[1], ...
std::string stored(const std::vector<std::string>& values) {
    unsigned word = 0;
    std::string text;
    for (const std::string& value : values) {
        const std::string at = "%at" + std::to_string(word);
        text += "  " + at + " = getelementptr i64, ptr %out, i64 " + std::to_string(word++) +
                "\n  store i64 " + value + ", ptr " + at + ", align 8\n";
    }
    return text + "  ret void";
}

}  // namespace

TEST_CASE("constant offsets become part of the instruction, which names the state space") {
    const std::string ir = kernel(R"(
  %a = getelementptr inbounds [4 x { i32, i64 }], ptr %in, i64 0, i64 1, i32 1
  %v = load i64, ptr %a, align 8
)" + stored({"%v"}));
    CHECK(run(ir, {1, 2, 3, 4}).at(0) == 4);
    const std::string ptx = translate_ir_to_ptx(ir);
    CHECK(count(ptx, "ld.global.b64") == 1);
    CHECK(ptx.find("+24]") != std::string::npos);
    CHECK(count(ptx, "add.s64") == 0);
    // ptxas requires the plus sign in front of a negative offset.
    CHECK(translate_ir_to_ptx(kernel("  %a = getelementptr inbounds i8, ptr %in, i64 -8\n"
                                     "  store i32 3, ptr %a, align 4\n  ret void"))
              .find("+-8]") != std::string::npos);
}

TEST_CASE("a constant in an index becomes an offset only if the index cannot wrap around") {
    const auto loaded = [](const std::string& flags) {
        return kernel(
            "  %i = load i32, ptr %in, align 4\n  %j = add " + flags +
            " i32 %i, 3\n"
            "  %w = sext i32 %j to i64\n  %a = getelementptr i64, ptr %in, i64 %w\n"
            "  %v = load i64, ptr %a, align 8\n  store i64 %v, ptr %out, align 8\n  ret void");
    };
    CHECK(run(loaded("nsw"), {1, 0, 0, 0, 44}).at(0) == 44);
    CHECK(translate_ir_to_ptx(loaded("nsw")).find("+24]") != std::string::npos);
    CHECK(run(loaded(""), {1, 0, 0, 0, 44}).at(0) == 44);
    CHECK(translate_ir_to_ptx(loaded("")).find("+24]") == std::string::npos);
}

TEST_CASE("a vector is accessed with one instruction if its alignment allows this") {
    const std::string ir = kernel(R"(
  %v = load <4 x i32>, ptr %in, align 16
  %t = shufflevector <4 x i32> %v, <4 x i32> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %s = add <4 x i32> %t, %v
  store <4 x i32> %s, ptr %out, align 16
  %b = load <8 x i8>, ptr %in, align 4
  %e = extractelement <8 x i8> %b, i64 5
  %w = zext i8 %e to i64
  %p = getelementptr i64, ptr %out, i64 2
  store i64 %w, ptr %p, align 8
  ret void)");
    const u64 low = 0x0000000200000001, high = 0x0000AA0400000003;
    const auto words = run(ir, {low, high}, {.words = 3});
    CHECK(words[0] == 0x0000000500000000 + 0x0000AA0400000000 / 0x100000000 + 1 - 0);
    CHECK(words[2] == 0);
    CHECK(count(translate_ir_to_ptx(ir), "ld.global.v4.b32") == 1);
    CHECK(count(translate_ir_to_ptx(ir), "st.global.v4.b32") == 1);
}

TEST_CASE("the index of a vector element may be known only at run time") {
    const std::string ir = kernel(R"(
  %n = load i64, ptr %in, align 8
  %v1 = insertelement <4 x i32> <i32 10, i32 20, i32 30, i32 40>, i32 99, i64 %n
  %m = xor i64 %n, 1
  %a = extractelement <4 x i32> %v1, i64 %n
  %b = extractelement <4 x i32> %v1, i64 %m
  %s = add i32 %a, %b
  %w = zext i32 %s to i64
)" + stored({"%w"}));
    CHECK(run(ir, {0}).at(0) == 119);
    CHECK(run(ir, {3}).at(0) == 129);
}

TEST_CASE("fields of a structure in registers can be inserted, selected and extracted") {
    const std::string ir = kernel(R"(
  %n = load i64, ptr %in, align 8
  %c = icmp eq i64 %n, 0
  %s1 = insertvalue { i64, [2 x i32] } poison, i64 %n, 0
  %s2 = insertvalue { i64, [2 x i32] } %s1, [2 x i32] [i32 5, i32 6], 1
  %s3 = select i1 %c, { i64, [2 x i32] } { i64 7, [2 x i32] [i32 8, i32 9] }, { i64, [2 x i32] } %s2
  %x = extractvalue { i64, [2 x i32] } %s3, 0
  %y = extractvalue { i64, [2 x i32] } %s3, 1, 1
  %w = zext i32 %y to i64
  %t = mul i64 %x, 100
  %r = add i64 %t, %w
)" + stored({"%r"}));
    CHECK(run(ir, {0}).at(0) == 709);
    CHECK(run(ir, {3}).at(0) == 306);
}

TEST_CASE("local arrays, shared memory, constant memory and initialised variables work") {
    const std::string ir = kernel(R"(
  %n = load i64, ptr %in, align 8
  %local = alloca [4 x i64], align 8
  store i64 11, ptr %local, align 8
  %l1 = getelementptr [4 x i64], ptr %local, i64 0, i64 1
  store i64 22, ptr %l1, align 8
  %li = getelementptr [4 x i64], ptr %local, i64 0, i64 %n
  %a = load i64, ptr %li, align 8
  store i64 33, ptr addrspacecast (ptr addrspace(3) @tile to ptr), align 8
  %b = load i64, ptr addrspace(3) @tile, align 8
  %ci = getelementptr [3 x i16], ptr addrspacecast (ptr addrspace(4) @table to ptr), i64 0, i64 %n
  %c16 = load i16, ptr %ci, align 2
  %c = zext i16 %c16 to i64
  %p = load ptr, ptr getelementptr inbounds ([2 x ptr], ptr addrspacecast (ptr addrspace(1) @pointers to ptr), i64 0, i64 1), align 8
  %d = load i64, ptr %p, align 8
  %s1 = add i64 %a, %b
  %s2 = add i64 %c, %d
  %s = add i64 %s1, %s2
)" + stored({"%s"}),
                                  R"(
@tile = internal addrspace(3) global [8 x i64] undef, align 8
@table = internal addrspace(4) constant [3 x i16] [i16 100, i16 200, i16 300], align 2
@numbers = internal addrspace(1) global [2 x i64] [i64 1000, i64 2000], align 8
@pointers = internal addrspace(1) global [2 x ptr] [ptr null, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @numbers to ptr), i64 8)], align 8
)");
    CHECK(run(ir, {1}).at(0) == 22 + 33 + 200 + 2000);
    const std::string ptx = translate_ir_to_ptx(ir);
    CHECK(count(ptx, "st.shared.b64") == 1);
    CHECK(count(ptx, "ld.const.b16") == 1);
    CHECK(count(ptx, "st.local.b64") == 2);
}

TEST_CASE("constant addresses inside a table are read in both forms, of clang 17 and of clang 22") {
    for (const char* address :
         {"getelementptr inbounds ({ [3 x i64] }, ptr @table, i64 0, inrange i32 0, i64 2)",
          "getelementptr inbounds inrange(-16, 8) ({ [3 x i64] }, ptr @table, i64 0, i32 0, i64 "
          "2)"}) {
        CAPTURE(address);
        const std::string ir =
            kernel(std::string("  %x = load i64, ptr ") + address +
                       ", align 8\n  store i64 %x, ptr %out, align 8\n  ret void",
                   "@table = internal constant { [3 x i64] } { [3 x i64] [i64 5, i64 6, i64 7] }, "
                   "align 8\n");
        CHECK(run(ir).at(0) == 7);
    }
}

TEST_CASE("volatile applies only to memory that other threads can access") {
    const std::string ir = kernel(R"(
  %l = alloca i32, align 4
  store volatile i32 3, ptr %l, align 4
  %x = load volatile i32, ptr %l, align 4
  store volatile i32 %x, ptr %out, align 4
  ret void)");
    CHECK(run(ir).at(0) == 3);
    CHECK(count(translate_ir_to_ptx(ir), "st.volatile.global") == 1);
    // PTX has no volatile accesses to local memory.
    CHECK(count(translate_ir_to_ptx(ir), "st.local") == 1);
    CHECK(count(translate_ir_to_ptx(ir), "ld.local") == 1);
}

TEST_CASE("a pointer that may refer to several state spaces is generic") {
    const std::string ir =
        kernel(R"(
  %n = load i64, ptr %in, align 8
  store i64 5, ptr addrspace(3) @tile, align 8
  %c = icmp eq i64 %n, 0
  %p = select i1 %c, ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr %in
  %v = load i64, ptr %p, align 8
)" + stored({"%v"}),
               "@tile = internal addrspace(3) global [8 x i64] undef, align 8\n");
    CHECK(run(ir, {0}).at(0) == 5);
    CHECK(run(ir, {9}).at(0) == 9);
    CHECK(count(translate_ir_to_ptx(ir), "ld.b64") == 1);
}

TEST_CASE("dynamic shared memory can be used") {
    const std::string ir = kernel(R"(
  %p = getelementptr i64, ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i64 3
  store i64 8, ptr %p, align 8
  %v = load i64, ptr %p, align 8
)" + stored({"%v"}),
                                  "@dynamic = external addrspace(3) global [0 x i64], align 8\n");
    CHECK(run(ir, {}, {.dynamic_shared = 32}).at(0) == 8);
}

TEST_CASE("short and long memcpy, overlapping memmove, and memset are correct") {
    for (const char* length : {"16", "400"}) {
        CAPTURE(length);
        const std::string n = length;
        const std::string ir = kernel(
            "  %l = alloca [512 x i8], align 8\n"
            "  call void @llvm.memset.p0.i64(ptr %l, i8 7, i64 512, i1 false)\n"
            "  call void @llvm.memcpy.p0.p0.i64(ptr %l, ptr %in, i64 16, i1 false)\n"
            "  %up = getelementptr i8, ptr %l, i64 8\n"
            "  call void @llvm.memmove.p0.p0.i64(ptr %up, ptr %l, i64 " +
                n +
                ", i1 false)\n"
                "  %at = getelementptr i8, ptr %l, i64 16\n  %a = load i64, ptr %at, align 8\n"
                "  %b = load i64, ptr %up, align 8\n"
                "  %far = getelementptr i8, ptr %l, i64 24\n  %c = load i64, ptr %far, align 8\n" +
                stored({"%a", "%b", "%c"}),
            "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
            "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)\n");
        CHECK(run(ir, {111, 222}, {.words = 3}) == std::vector<u64>{222, 111, 0x0707070707070707});
    }
}

TEST_CASE("integers of odd widths and predicates can be stored in memory") {
    const std::string ir = kernel(R"(
  %v = load i24, ptr %in, align 1
  %n = add i24 %v, 1
  store i24 %n, ptr %out, align 1
  %p = getelementptr i8, ptr %in, i64 3
  %t = load i1, ptr %p, align 1
  %f = xor i1 %t, true
  %q = getelementptr i8, ptr %out, i64 4
  store i1 %f, ptr %q, align 1
  ret void)");
    CHECK(run(ir, {0x00FFFEFE}).at(0) == 0x0000000100FFFEFF);
    CHECK(run(ir, {0x01000009}).at(0) == 0x000000000000000A);
}

TEST_CASE("a value that is not fully aligned is loaded and stored in parts") {
    const std::string ir = kernel(R"(
  %a = getelementptr i8, ptr %in, i64 1
  %v = load i32, ptr %a, align 1
  %b = getelementptr i8, ptr %in, i64 2
  %w = load i64, ptr %b, align 2
  %x = load float, ptr %b, align 2
  %z = zext i32 %v to i64
  %s = add i64 %z, %w
  %p = getelementptr i8, ptr %out, i64 4
  store i64 %s, ptr %p, align 4
  %q = getelementptr i8, ptr %out, i64 18
  store float %x, ptr %q, align 2
  ret void)");
    const std::vector<u64> in = {0x8877665544332211, 0xFFEEDDCCBBAA9988};
    const std::vector<u64> out = run(ir, in, {.words = 3});
    const u64 sum = 0x55443322 + 0x9988887766554433;
    CHECK(out[0] == sum << 32);
    CHECK(out[1] == sum >> 32);
    CHECK(out[2] == u64{0x66554433} << 16);
    const std::string ptx = translate_ir_to_ptx(ir);
    CHECK(count(ptx, "ld.global.b8") == 4);
    CHECK(count(ptx, "ld.global.b16") == 6);
    CHECK(count(ptx, "st.global.b32") == 2);
    CHECK(count(ptx, "st.global.b16") == 2);
}

TEST_CASE("read-only memory that no other pointer aliases is loaded through the read-only cache") {
    const std::string body =
        "define ptx_kernel void @k(ptr %out, ptr noalias readonly %in) {\n"
        "  %v = load i64, ptr %in, align 8\n  store i64 %v, ptr %out, align 8\n"
        "  ret void\n}\n";
    CHECK(count(translate_ir_to_ptx(body), "ld.global.nc.b64") == 1);
    CHECK(run(body, {6}).at(0) == 6);
}
