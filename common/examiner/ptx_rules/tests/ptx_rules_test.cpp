#include "examiner/ptx_rules/ptx_rules.h"

#include <doctest/doctest.h>

#include <string>

using namespace coalesce;

namespace {

using Kind = coalesce::FailureKind;

/// Returns a module of the form that compilers generate. `front` is inserted before the kernel, and
/// `body` into the kernel.
std::string module_with(const std::string& front, const std::string& body,
                        const std::string& parameters = "") {
    return ".version 9.0\n.target sm_90\n.address_size 64\n" + front + R"(
.visible .entry _Z9transposePfPKfii(
	.param .u64 .ptr .align 1 a,
	.param .u64 .ptr .align 1 b,
	.param .u32 c,
	.param .u32 d)" +
           parameters + R"(
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<3>;
	.reg .b64 	%rd<4>;
	.reg .f32 	%f<9>;
	.shared .align 4 .b8 tile[4224];
	.loc	1 7 3
)" + body + R"(
	ret;
}
.visible .entry coalesce_configure(
	.param .u64 a,
	.param .u32 b,
	.param .u32 c
)
{
	ret;
}
	.file	1 "/learner/kernel.cu"
	.section	.debug_str
	{
$L__info_string0:
.b8 95,90,78,0
	}
)";
}

coalesce::Failure look(const std::string& front, const std::string& body,
                       const std::vector<std::string>& allow = {}) {
    return inspect_ptx(module_with(front, body), "_Z9transposePfPKfii", {.allow = allow});
}

}  // namespace

TEST_CASE("PTX that compilers generate is accepted") {
    CHECK(look("", "").headline == "");
    CHECK(look("", "@%p1 bra $L__BB0_2;\nbar.sync 0;\n$L__BB0_2:\n.pragma \"nounroll\";").kind ==
          Kind::none);
    CHECK(look(".extern .shared .align 16 .b8 dynamic[];\n", "").kind == Kind::none);
    CHECK(look(".const .align 4 .b8 c[4] = {0, 0, 128, 63};\n", "ld.const.f32 %f1, [c];").kind ==
          Kind::none);
    CHECK(look(".global .align 4 .b8 table[4] = {1, 0, 0, 0};\n",
               "mov.u64 %rd1, table;\nld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];")
              .kind == Kind::none);
    // Compilers emit a zero-initialized constant without an initial value.
    CHECK(look(".global .align 4 .u32 zero;\n", "ld.global.u32 %r1, [zero];").kind == Kind::none);
    CHECK(look("", "// begin inline asm\n{ .reg .b32 t; mov.u32 t, %laneid; }\n// end inline asm")
              .kind == Kind::none);
    CHECK(
        look(".func (.param .b32 r) helper(\n.param .b32 p\n)\n{\nret;\n}\n",
             "{ // callseq 0\n.param .b32 p0;\n.param .b32 r0;\ncall.uni (r0),\nhelper,\n(p0);\n}")
            .kind == Kind::none);
    CHECK(look("", "$L_1:\n$L_2:\n$L_brx_0: .branchtargets $L_1, $L_2;\nbrx.idx %r1, $L_brx_0;")
              .kind == Kind::none);
}

TEST_CASE("harmless PTX is accepted") {
    const char* fronts[] = {".extern .func (.param .b32 r) vprintf(\n.param .b64 a\n)\n;\n",
                            ".extern .func (.param .b64 r) malloc(\n.param .b64 a\n)\n;\n"};
    for (const char* front : fronts) CHECK(look(front, "").headline == "");
    const char* bodies[] = {
        "@%p1 trap;",
        "nanosleep.u32 100;",
        "mov.u64 %rd1, %clock64;",
        "mov.u64 %rd1, %globaltimer;",
        "$L: .callprototype ()_ ();",
        "// begin inline asm\n.pragma \"nounroll\";\n// end inline asm",
        "// begin inline asm\n{ .local .b32 x; st.local.b32 [x], 1; }\n// end inline asm",
        "// begin inline asm\n.shared .b8 x[4];\n// end inline asm",
    };
    for (const char* body : bodies) {
        CAPTURE(body);
        CHECK(look("", body).headline == "");
    }
}

TEST_CASE(
    "a load may have bytes that the compiler declares as unused if no instruction reads them") {
    const std::string load =
        ".pragma \"used_bytes_mask 61695\";\nld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n";
    CHECK(look("", load + "add.f32 %f5, %f1, %f4;").headline == "");
    for (const char* use :
         {"add.f32 %f5, %f1, %f3;", "st.global.f32 [%rd1], %f3;", "mov.f32 %f3, 0f3F800000;"}) {
        CAPTURE(use);
        CHECK(look("", load + use).kind == Kind::ptx_refused);
        CHECK(look("", use + ("\n" + load)).kind == Kind::ptx_refused);
    }
    // A mask that declares a part of a register as unused proves nothing.
    CHECK(look("",
               ".pragma \"used_bytes_mask 65534\";\nld.global.v4.f32 {%f1, %f2, %f3, %f4}, "
               "[%rd1];\nst.global.f32 [%rd1], %f1;")
              .kind == Kind::ptx_refused);
}

TEST_CASE("the distance between two elements of a table may be used as an index") {
    const char* table = ".global .align 4 .b8 table[8] = {1, 0, 0, 0, 2, 0, 0, 0};\n";
    const std::string address = "mov.u64 %rd1, table;\nadd.s64 %rd2, %rd1, 4;\n";
    const std::string index = address + "sub.s64 %rd2, %rd2, %rd1;\nadd.s64 %rd2, %rd3, %rd2;\n";
    CHECK(look(table, index + "st.global.u32 [%rd2], %r1;").kind == Kind::none);
    CHECK(look(table, index + "add.s64 %rd2, %rd2, %rd1;\nst.global.u32 [%rd2], %r1;").kind ==
          Kind::ptx_refused);
    CHECK(look(table, address + "sub.s64 %rd2, %rd2, 4;\nst.global.u32 [%rd2], %r1;").kind ==
          Kind::ptx_refused);
}

TEST_CASE("PTX that the assignment does not allow is refused with its line number") {
    struct Refused {
        const char* front;
        const char* body;
        const char* allow;
    };
    const Refused all[] = {
        {"", "mov.u32 %r1, %smid;", "smid"},
        {"", "createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;", "createpolicy"},
        {"", "ld.global.L2::cache_hint.f32 %f1, [%rd1], %rd2;", "createpolicy"},
        {".global .align 4 .u32 counter;\n", "st.global.u32 [counter], %r1;", "global"},
        {".global .attribute(.managed) .align 4 .u32 counter;\n", "", "global"},
        {".global .align 4 .u32 counter = 5;\n", "atom.add.u32 %r1, [counter], 1;", "global"},
        {".global .align 4 .u32 counter = 5;\n",
         "mov.u64 %rd1, counter;\nadd.s64 %rd2, %rd1, 4;\nst.global.u32 [%rd2+4], %r1;", "global"},
        {".extern .func something(\n.param .b64 a\n)\n;\n", "", ""},
        {"", "brkpt;", ""},
        {"", "pmevent 1;", ""},
        {"", "mov.u64 %rd1, %pm0;", ""},
        {".global .texref t;\n", "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1}];", ""},
        {"", ".pragma \"nounroll\", \"used_bytes_mask 1\";\nld.global.f32 %f1, [%rd1];", ""},
        {".extern .global .align 4 .b32 x;\n", "", ""},
        {"", "LD.global.f32 %f1, [%rd1];", ""},
    };
    for (const Refused& one : all) {
        CAPTURE(one.front);
        CAPTURE(one.body);
        const coalesce::Failure problem = look(one.front, one.body);
        CHECK(problem.kind == Kind::ptx_refused);
        CHECK(problem.headline != "");
        if (*one.body) CHECK(problem.place.line == 7);
        if (*one.allow) CHECK(look(one.front, one.body, {one.allow}).headline == "");
    }
}

namespace {

/// Returns an asm statement as it appears in PTX, between the markers of the compiler.
std::string inline_assembly(const std::string& text) {
    return "\t// begin inline asm\n\t" + text + "\n\t// end inline asm\n";
}

/// Returns the PTX of an asm statement with forged markers, which make `text` look like
/// compiler-generated code.
std::string between_forged_marks(const std::string& text) {
    return inline_assembly("// end inline asm\n" + text + "\n// begin inline asm");
}

}  // namespace

TEST_CASE("inline assembly cannot pretend to be compiled code") {
    const char* all[] = {
        "}\n.visible .entry other(){",
        ".loc 1 1 1",
        "// end inline asm",
        "// begin inline asm",
        "{",
        "}",
        "mov.u32 %r1, 7;\n.loc 1 1 1",
        ".pragma \"used_bytes_mask 1\";",
        ".extern .shared .b8 x[];",
        ".func f() { ret; }",
        "L: .branchtargets M;\n.file 3 \"x\"",
    };
    for (const char* text : all) {
        CAPTURE(text);
        CHECK(look("", inline_assembly(text)).kind == Kind::ptx_forged);
    }
    CHECK(look("", "// begin inline asm\nret;\n}").kind == Kind::ptx_forged);
    CHECK(inspect_ptx(module_with("", "", ",\n.param .u64 e"), "_Z9transposePfPKfii", {}).kind ==
          Kind::ptx_forged);
    CHECK(inspect_ptx(module_with("", ""), "_Z4copyPfPKfii", {}).kind == Kind::ptx_forged);
}

TEST_CASE("code between forged markers is checked as strictly as inline assembly") {
    struct Gain {
        const char* text;
        Kind kind;
    };
    const Gain all[] = {
        // Instructions that follow a directive on the same line must be checked.
        {".loc 1 1 1 mov.u32 %r1, %smid;", Kind::ptx_refused},
        {".loc 1 1 1\tmov.u32 %r1, %nsmid;", Kind::ptx_refused},
        {".file 7 \"x\" mov.u32 %r1, %warpid;", Kind::ptx_refused},
        // Instructions after strings and in nested comments must be checked.
        {".pragma \"// end inline asm\"; mov.u32 %r1, %smid;", Kind::ptx_refused},
        {".pragma \"/*\"; mov.u32 %r1, %smid; // */", Kind::ptx_refused},
        {"// /*\nmov.u32 %r1, %smid;\n// */", Kind::ptx_refused},
        {"/* // */ mov.u32 %r1, %smid;", Kind::ptx_refused},
        {"/* // begin inline asm */ mov.u32 %r1, %smid;", Kind::ptx_refused},
        {".pragma \"used_bytes_mask 1\";\nld.global.f32 %f1, [%rd1];", Kind::ptx_refused},
        {".pragma \"nounroll\", \"used_bytes_mask 1\"; ld.global.f32 %f1, [%rd1];",
         Kind::ptx_refused},
        // A register may have the name of a special register.
        {"{ .reg .b32 %smid; mov.u32 %r1, %smid; }", Kind::none},
        // Declarations must obey the same rules as the compiler's declarations.
        {".shared .b8 x[60000];", Kind::ptx_too_large},
        {".local .b8 x[70000];", Kind::ptx_too_large},
        {".global .b32 x;\nst.global.b32 [x], %r1;", Kind::ptx_refused},
        {".global .b32 x;\nmov.u64 %rd1, x;\natom.global.add.u32 %r1, [%rd1], 1;",
         Kind::ptx_refused},
        // Statements may close the function and begin another one.
        {"ret;\n}\n.visible .entry _Z9transposePfPKfii(.param .u64 a,.param .u64 b,.param .u32 c,"
         ".param .u32 d)\n{",
         Kind::ptx_refused},
        {"ret;\n}\n.visible .entry coalesce_configure(.param .u64 a,.param .u32 b,.param .u32 "
         "c)\n{",
         Kind::ptx_refused},
        {"ret;\n}\n.func other()\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, %smid;", Kind::ptx_refused},
        {"ret;\n}\n.extern .func (.param .b64 r) malloc(.param .b64 a);\n.func other()\n{",
         Kind::none},
        {"ret;\n}\n.entry other() .reqnctapercluster 2\n{", Kind::ptx_refused},
        {"ret;\n}\n.alias coalesce_configure, _Z9transposePfPKfii;\n.func other()\n{",
         Kind::ptx_refused},
        {"}", Kind::ptx_refused},
        {"{", Kind::ptx_refused},
        {".version 9.0", Kind::ptx_refused},
        // Wrong line numbers are accepted, because they only change the line in a message.
        {".loc 1 1 1", Kind::none},
        {"ret;\n}\n.func other()\n{", Kind::none},
    };
    for (const Gain& one : all) {
        CAPTURE(one.text);
        CHECK(look("", between_forged_marks(one.text)).kind == one.kind);
    }
}

TEST_CASE("memory and code sizes are limited") {
    CHECK(look(".shared .align 4 .b8 big[100000];\n", "").kind == Kind::ptx_too_large);
    CHECK(look(".shared .align 4 .f32 big[1000][1000];\n", "").kind == Kind::ptx_too_large);
    CHECK(look(".shared .align 4 .b8 big[99999999999999999999999];\n", "").kind ==
          Kind::ptx_refused);
    CHECK(look("", ".local .align 4 .b8 depot[70000];").kind == Kind::ptx_too_large);
    CHECK(look(".global .align 4 .b8 t[2000000] = {1};\n", "").kind == Kind::ptx_too_large);
    CHECK(inspect_ptx(std::string(5 << 20, ' '), "x", {}).kind == Kind::ptx_too_large);
    std::string functions;
    for (int i = 0; i < 254; ++i) functions += ".func f" + std::to_string(i) + "()\n{ret;}\n";
    CHECK(look(functions, "").kind == Kind::none);
    CHECK(look(functions + ".func one_more()\n{ret;}\n", "").kind == Kind::ptx_too_large);
}

TEST_CASE("malformed text never crashes the check") {
    const std::string good = module_with("", "mov.u32 %r1, 7;");
    for (std::size_t length = 0; length < good.size(); ++length) {
        const bool is_taken =
            inspect_ptx(good.substr(0, length), "_Z9transposePfPKfii", {}).kind == Kind::none;
        // A module that lacks only debug information is accepted, but a module without a kernel is
        // not.
        CHECK(is_taken <= (length >= good.find("\n\t.file")));
    }
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const char sign : {'\0', '{', '}', '"', '/', '\\', '\xff', ';', '@', ':'}) {
            std::string changed = good;
            changed[i] = sign;
            inspect_ptx(changed, "_Z9transposePfPKfii", {});
        }
    }
    for (const char* broken : {"/* no end", "\"no end\n\"", "a\x01"})
        CHECK(look("", broken).kind == Kind::ptx_refused);
}
