#include "grader/judge/ptx_rules.h"

#include <doctest/doctest.h>

#include <string>

#include "grader/judge/ptx_tokens.h"

using namespace coalesce::grader;

namespace {

/// A module as compilers make them, with something more at its front, or in the kernel's body.
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

PtxProblem look(const std::string& front, const std::string& body,
                const std::vector<std::string>& allow = {}) {
    return look_at_ptx(module_with(front, body), {.entry = "_Z9transposePfPKfii", .allow = allow});
}

using Kind = PtxProblem::Kind;

}  // namespace

TEST_CASE("what compilers make is taken") {
    CHECK(look("", "").headline == "");
    CHECK(look("", "@%p1 bra $L__BB0_2;\nbar.sync 0;\n$L__BB0_2:\n.pragma \"nounroll\";").ok());
    CHECK(look(".extern .shared .align 16 .b8 dynamic[];\n", "").ok());
    CHECK(look(".const .align 4 .b8 c[4] = {0, 0, 128, 63};\n", "ld.const.f32 %f1, [c];").ok());
    CHECK(look(".global .align 4 .b8 table[4] = {1, 0, 0, 0};\n",
               "mov.u64 %rd1, table;\nld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];")
              .ok());
    // A constant that is zero has no value in PTX.
    CHECK(look(".global .align 4 .u32 zero;\n", "ld.global.u32 %r1, [zero];").ok());
    CHECK(look("", "// begin inline asm\n{ .reg .b32 t; mov.u32 t, %laneid; }\n// end inline asm")
              .ok());
    CHECK(look(".func (.param .b32 r) helper(\n.param .b32 p\n)\n{\nret;\n}\n",
               "{ // callseq 0\n.param .b32 p0;\ncall.uni (r0),\nhelper,\n(p0);\n}")
              .ok());
    CHECK(look("", "$L_brx_0: .branchtargets $L_1, $L_2;\nbrx.idx %r1, $L_brx_0;").ok());
}

TEST_CASE("what the assignment forbids is refused, with its line, unless it is allowed") {
    struct Refused {
        const char* front;
        const char* body;
        const char* allow;
    };
    const Refused all[] = {
        {"", "mov.u32 %r1, %smid;", "smid"},
        {"", "mov.u64 %rd1, %clock64;", "clock"},
        {"", "mov.u64 %rd1, %globaltimer;", "clock"},
        {"", "createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;", "createpolicy"},
        {"", "ld.global.L2::cache_hint.f32 %f1, [%rd1], %rd2;", "createpolicy"},
        {".global .align 4 .u32 counter;\n", "st.global.u32 [counter], %r1;", "global"},
        {".global .attribute(.managed) .align 4 .u32 counter;\n", "", "global"},
        {".global .align 4 .u32 counter = 5;\n", "atom.add.u32 %r1, [counter], 1;", "global"},
        {".global .align 4 .u32 counter = 5;\n",
         "mov.u64 %rd1, counter;\nadd.s64 %rd2, %rd1, 4;\nst.global.u32 [%rd2+4], %r1;", "global"},
        {".extern .func (.param .b32 r) vprintf(\n.param .b64 a\n)\n;\n", "", "printf"},
        {".extern .func (.param .b64 r) malloc(\n.param .b64 a\n)\n;\n", "", "malloc"},
        {".extern .func something(\n.param .b64 a\n)\n;\n", "", ""},
        {"", "trap;", ""},
        {"", "@%p1 trap;", ""},
        {"", "brkpt;", ""},
        {"", "nanosleep.u32 100;", ""},
        {"", "pmevent 1;", ""},
        {"", "mov.u64 %rd1, %pm0;", ""},
        {"", "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1}];", ""},
        {"", "$L: .callprototype ()_ ();", ""},
        {".common .global .align 4 .b32 x;\n", "", ""},
        {"", "LD.global.f32 %f1, [%rd1];", ""},
    };
    for (const Refused& one : all) {
        CAPTURE(one.front);
        CAPTURE(one.body);
        const PtxProblem problem = look(one.front, one.body);
        CHECK(problem.kind == Kind::refused);
        CHECK(problem.headline != "");
        if (*one.body) CHECK(problem.line == 7);
        if (*one.allow) CHECK(look(one.front, one.body, {one.allow}).headline == "");
    }
}

TEST_CASE("inline assembly can not pretend to be something else") {
    const char* all[] = {
        "// begin inline asm\n}\n.visible .entry other(){\n// end inline asm",
        "// begin inline asm\n.loc 1 1 1\n// end inline asm",
        "// begin inline asm\n.shared .b8 x[4];\n// end inline asm",
        "// begin inline asm\n// end inline asm\n// end inline asm",
        "// begin inline asm\n// begin inline asm\n// end inline asm",
        "// begin inline asm\n{\n// end inline asm\nret;\n}",
        "// begin inline asm\n// end inline asm\n}\n.visible .entry _Z9transposePfPKfii(.param "
        ".u64 a,"
        ".param .u64 b,.param .u32 c,.param .u32 d){\n// begin inline asm\n// end inline asm",
    };
    for (const char* body : all) {
        CAPTURE(body);
        CHECK(look("", body).kind == Kind::forged);
    }
    CHECK(look_at_ptx(module_with("", "", ",\n.param .u64 e"), {.entry = "_Z9transposePfPKfii"})
              .kind == Kind::forged);
    CHECK(look_at_ptx(module_with("", ""), {.entry = "_Z4copyPfPKfii"}).kind == Kind::forged);
}

TEST_CASE("sizes have limits") {
    CHECK(look(".shared .align 4 .b8 big[100000];\n", "").kind == Kind::too_large);
    CHECK(look(".shared .align 4 .f32 big[1000][1000];\n", "").kind == Kind::too_large);
    CHECK(look(".shared .align 4 .b8 big[99999999999999999999999];\n", "").kind == Kind::too_large);
    CHECK(look("", ".local .align 4 .b8 depot[70000];").kind == Kind::too_large);
    CHECK(look(".global .align 4 .b8 t[2000000] = {1};\n", "").kind == Kind::too_large);
    CHECK(look_at_ptx(std::string(5 << 20, ' '), {.entry = "x"}).kind == Kind::too_large);
}

TEST_CASE("anything at all is looked at without breaking") {
    const std::string good = module_with("", "mov.u32 %r1, 7;");
    for (std::size_t length = 0; length < good.size(); ++length) {
        const bool is_taken =
            look_at_ptx(good.substr(0, length), {.entry = "_Z9transposePfPKfii"}).ok();
        // Names for a debugger may be missing, kernels may not.
        CHECK(is_taken <= (length >= good.find("\n\t.file")));
    }
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const char sign : {'\0', '{', '}', '"', '/', '\\', '\xff', ';', '@', ':'}) {
            std::string changed = good;
            changed[i] = sign;
            look_at_ptx(changed, {.entry = "_Z9transposePfPKfii"});
        }
    }
    CHECK(tokens_of("/* no end").is_broken);
    CHECK(tokens_of("\"no end\n\"").is_broken);
    CHECK(tokens_of("a\x01").is_broken);
}
