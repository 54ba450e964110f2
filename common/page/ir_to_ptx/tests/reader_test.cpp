// Tests how modules are read, which source positions instructions get, and how unsupported IR is
// rejected.
#include <doctest/doctest.h>

#include <vector>

#include "page/ir_to_ptx/layout.h"
#include "page/ir_to_ptx/reader.h"
#include "page/ir_to_ptx/translate.h"
#include "run.h"

using namespace coalesce::translator;
using namespace coalesce::translator::tests;

TEST_CASE("types have the memory layout of nvptx64") {
    Types types;
    const Type* inner = types.structure({types.integer(8), types.integer(64)}, false);
    const Type* outer =
        types.structure({types.integer(16), inner, types.array(types.half(), 3)}, false);
    CHECK(size_of(*outer) == 32);
    CHECK(offset_of_member(*outer, 1) == 8);
    CHECK(offset_of_member(*outer, 2) == 24);
    CHECK(list_scalar_parts(*outer).size() == 6);
    CHECK(select_parts(*outer, {1, 1}).first == 2);
    CHECK(size_of(*types.structure({types.integer(8), types.integer(64)}, true)) == 9);
    CHECK(size_of(*types.vector(types.single(), 3)) == 16);
    CHECK(abi_alignment(*types.integer(24)) == 4);
    CHECK(types.integer(32) == types.integer(32));
}

TEST_CASE("quoted names, forward references and all forms of values are read") {
    const auto module = read_module(
        "%\"struct.a b\" = type { i32, ptr }\n"
        "@\"odd name\" = internal addrspace(1) global %\"struct.a b\" { i32 -1, ptr @later }, "
        "align 8\n"
        "define void @later(i1 %c) {\n  br i1 %c, label %\"two words\", label %b\n"
        "b:\n  %x = phi i32 [ %y, %\"two words\" ], [ 3, %0 ]\n  br label %\"two words\"\n"
        "\"two words\":\n  %y = add i32 4, 5\n  br i1 %c, label %b, label %end\nend:\n  ret "
        "void\n}\n");
    REQUIRE(module->variables.size() == 1);
    CHECK(module->variables[0]->name == "odd name");
    const Function& later = *module->functions.at(0);
    CHECK(later.blocks.size() == 4);
    CHECK(later.blocks[1]->instructions[0]->operands[0] == later.blocks[2]->instructions[0]);
}

TEST_CASE("floating-point constants are read exactly") {
    const auto module = read_module(
        "@f = addrspace(1) global { float, double, half, float } { float 0x7FF8000000000000, "
        "double -1.500000e+00, half 0xH3C00, float 1.250000e-01 }\n");
    const auto& all = static_cast<const Constant&>(*module->variables.at(0)->initial).operands;
    CHECK(static_cast<const Constant*>(all[0])->bits == 0x7FC00000);
    CHECK(static_cast<const Constant*>(all[1])->bits == 0xBFF8000000000000);
    CHECK(static_cast<const Constant*>(all[2])->bits == 0x3C00);
    CHECK(static_cast<const Constant*>(all[3])->bits == 0x3E000000);
}

namespace {

const std::string kPlaces =
    "!0 = !DIFile(filename: \"kernel.cu\", directory: \"\")\n"
    "!1 = !DIFile(filename: \"/cuda/include/numbers.h\", directory: \"\")\n"
    "!2 = distinct !DISubprogram(name: \"k\", scope: !0, file: !0, line: 4)\n"
    "!3 = distinct !DISubprogram(name: \"max\", scope: !1, file: !1, line: 90)\n"
    "!4 = !DILocation(line: 7, column: 3, scope: !2)\n"
    "!5 = !DILocation(line: 91, column: 5, scope: !3, inlinedAt: !4)\n";

}  // namespace

TEST_CASE("instructions have the learner's line numbers, even if inlined from a header") {
    const std::string ptx = translate_ir_to_ptx(
        "define ptx_kernel void @k(ptr %out) !dbg !2 {\n  store i32 1, ptr %out, align 4, !dbg !4\n"
        "  store i32 2, ptr %out, align 4, !dbg !5\n  ret void\n}\n" +
        kPlaces);
    CHECK(ptx.find("\t.loc\t1 7 3\n\tst.global.b32 \t[%rd2], 1;") != std::string::npos);
    CHECK(ptx.find("\t.loc\t2 91 5, function_name $L__name0, inlined_at 1 7 3\n\tst.global.b32 "
                   "\t[%rd2], 2;") != std::string::npos);
    CHECK(ptx.find("\t.file\t2 \"/cuda/include/numbers.h\"") != std::string::npos);
}

namespace {

Untranslated refused(const std::string& body) {
    try {
        translate_ir_to_ptx("define ptx_kernel void @k(ptr %out, i128 %a, i32 %n) !dbg !2 {\n" +
                            body +
                            "\n  ret void\n}\n"
                            "declare void @llvm.no.such.thing()\ndeclare i32 @many(ptr, ...)\n"
                            "declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)\n" +
                            kPlaces);
    } catch (const Untranslated& error) {
        return error;
    }
    return Untranslated("it was translated", "", "", 0);
}

}  // namespace

TEST_CASE(
    "unsupported IR is rejected with an error that names the instruction and the learner's line") {
    const Untranslated unknown = refused("  call void @llvm.no.such.thing(), !dbg !5");
    CHECK(std::string(unknown.what()) == "the operation llvm.no.such.thing is not supported");
    CHECK(unknown.file == "kernel.cu");
    CHECK(unknown.line == 7);
    CHECK(unknown.instruction == "call void @llvm.no.such.thing(), !dbg !5");
    const Untranslated divided = refused(
        "  %d = udiv <2 x i128> zeroinitializer, splat (i128 3), !dbg !4\n"
        "  store <2 x i128> %d, ptr %out, align 16");
    CHECK(std::string(divided.what()) ==
          "a division of vectors of 128-bit integers is not supported");
    CHECK(std::string(refused("  %d = frobnicate i32 3").what()) ==
          "the instruction 'frobnicate' is not supported");
    CHECK(refused("  %d = add i32 %nothing, 3").what() != std::string("it was translated"));
}

TEST_CASE("IR that can never be translated is rejected with a reason and a line number") {
    struct Refusal {
        std::string instruction, use, why;
    };
    const std::vector<Refusal> refusals = {
        {"%p = alloca i8, i32 %n, align 1", "store i8 3, ptr %p, align 1",
         "a local array needs a size that is known at compile time"},
        {"%p = call i32 (ptr, ...) @many(ptr %out, i32 3)", "",
         "a function with a variable number of arguments is not supported"},
        {"indirectbr ptr %out, [label %next]", "", "the instruction 'indirectbr' is not supported"},
        {"store ptr blockaddress(@k, %next), ptr %out, align 8", "",
         "the address of a label (&&name) cannot be taken on a GPU"},
        {"%p = fptosi <2 x float> zeroinitializer to <2 x i128>",
         "store <2 x i128> %p, ptr %out, align 16",
         "a conversion from floating point to a 128-bit integer is not supported"},
        {"%p = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> zeroinitializer)", "",
         "the operation llvm.vector.reduce.add.v4i32 is not supported"},
        {"%p = atomicrmw fmax ptr %out, half 0xH3C00 seq_cst, align 2", "",
         "there is no atomic operation 'fmax' for this type"}};
    for (const auto& [instruction, use, why] : refusals) {
        const Untranslated error =
            refused("  " + instruction + ", !dbg !5\n  " + use + "\n  br label %next\nnext:");
        CAPTURE(instruction);
        CAPTURE(std::string(error.what()));
        CHECK(std::string(error.what()).find(why) != std::string::npos);
        CHECK(error.instruction == instruction + ", !dbg !5");
        CHECK(error.file == "kernel.cu");
        CHECK(error.line == 7);
    }
}

TEST_CASE("text that is not a module is rejected without a crash") {
    const std::string whole = kernel("  store i64 5, ptr %out, align 8\n  ret void") + kPlaces;
    for (std::size_t length = 0; length < whole.size(); length += 3) {
        try {
            translate_ir_to_ptx(whole.substr(0, length));
        } catch (const Untranslated&) {
        }
    }
    CHECK(run(whole).at(0) == 5);
}
