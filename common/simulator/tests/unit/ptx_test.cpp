// Tests that the PTX reader understands the output of real compilers, and rejects invalid text with
// a line number and a reason.
#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "simulator/ptx/parser.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::ptx;
using Kind = Operand::Kind;

namespace {

// The first three lines of each module.
const std::string kHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";

std::unique_ptr<Module> parse_module(const std::string& text) {
    return parse(kHeader + text);
}

/// Parses a module that contains a kernel k with this body. The body starts on line 5.
std::unique_ptr<Module> parse_body(const std::string& body) {
    return parse_module(".entry k(.param .u64 k_param_0) {\n" + body + "\n}\n");
}

const Function& kernel(const Module& module) {
    return *module.functions.at("k");
}

/// An error message without its prefix "PTX line N: ", and the line number N.
struct Refusal {
    u32 line = 0;
    std::string message;
};

Refusal refusal_of(const std::string& text) {
    try {
        parse(text);
    } catch (const ParseError& error) {
        const std::string prefix = "PTX line " + std::to_string(error.line) + ": ";
        const std::string what = error.what();
        REQUIRE(what.starts_with(prefix));
        return {error.line, what.substr(prefix.size())};
    }
    return {0, "(accepted)"};
}

Refusal refusal_of_module(const std::string& text) {
    return refusal_of(kHeader + text);
}
Refusal refusal_of_body(const std::string& body) {
    return refusal_of(kHeader + ".entry k(.param .u64 k_param_0) {\n" + body + "\n}\n");
}

std::string register_name(const Function& function, const Operand& operand) {
    REQUIRE(operand.kind == Kind::reg);
    return function.registers.at(operand.reg).name;
}

std::string repeat(const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
}

std::vector<u8> bytes(std::initializer_list<int> values) {
    return std::vector<u8>(values.begin(), values.end());
}

}  // namespace

// --- types ---------------------------------------------------------------------------------------

TEST_CASE("types know their sizes and names") {
    CHECK(size_of(Type::pred) == 1);
    CHECK(size_of(Type::f16x2) == 4);
    CHECK(size_of(Type::e4m3x2) == 2);
    CHECK(size_of(Type::b128) == 16);
    CHECK(parse_type("s32") == Type::s32);
    CHECK(parse_type("bf16x2") == Type::bf16x2);
    CHECK(parse_type("s33") == Type::none);
    for (int i = 1; i <= static_cast<int>(Type::e5m2x2); ++i) {
        const Type type = static_cast<Type>(i);
        CHECK(parse_type(name_of(type)) == type);
        CHECK(size_of(type) > 0);
    }
    CHECK(is_signed(Type::s8));
    CHECK_FALSE(is_signed(Type::b8));
    CHECK(is_float(Type::f64));
    CHECK_FALSE(is_float(Type::u64));
}

// --- modules -------------------------------------------------------------------------------------

TEST_CASE("the directives of a module are parsed") {
    const auto module = parse(
        "//\n// Generated\n/* and\n more */\n.version 8.7\n.target sm_90a, debug\n"
        ".address_size 64\n.pragma \"nounroll\";\n"
        ".file 1 \"/home/x/a \\\"b\\\".cu\", 1700000000, 312\n.file 2 \"b.h\"\n"
        ".section .debug_abbrev\n{\n.b8 1 // }\n.b8 2\n.b64 .debug_info+3\n}\n"
        ".section\t.debug_loc\t{\t}\n");
    CHECK(module->version == "8.7");
    CHECK(module->target == "sm_90a");
    CHECK(module->files.size() == 2);
    CHECK(module->files.at(1) == "/home/x/a \"b\".cu");
    CHECK(module->files.at(2) == "b.h");
    CHECK(module->functions.empty());
}

TEST_CASE("the headers of functions are parsed") {
    const auto module = parse_module(
        ".extern .func (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b);\n"
        ".weak .func f(.param .align 8 .b8 s[24]) .noreturn;\n"
        ".visible .func (.param .align 16 .b8 r[32]) g() { ret; }\n"
        ".visible .entry k(\n.param .u64 .ptr .global .align 16 in,\n"
        ".param .align 16 .b8 x[32], .param .f32 y)\n"
        ".maxntid 256, 2\n.reqntid 64\n.minnctapersm 2\n.maxnreg 40\n"
        ".explicitcluster\n.reqnctapercluster 2, 1, 1\n.maxclusterrank 8\n{ ret; }\n"
        ".entry bare { ret; }\n");
    const Function& vprintf = *module->functions.at("vprintf");
    CHECK_FALSE(vprintf.has_body);
    CHECK_FALSE(vprintf.is_entry);
    CHECK(vprintf.returns.size() == 1);
    CHECK(vprintf.parameters.size() == 2);
    CHECK(module->functions.at("f")->parameters[0].size == 24);
    CHECK(module->functions.at("f")->parameters[0].align == 8);
    CHECK(module->functions.at("g")->returns[0].align == 16);
    CHECK(module->functions.at("bare")->is_entry);

    const Function& k = kernel(*module);
    REQUIRE(k.parameters.size() == 3);
    CHECK(k.is_entry);
    CHECK(k.has_body);
    // .ptr .align specifies the alignment of the memory that the parameter points to.
    CHECK(k.parameters[0].align == 8);
    CHECK(k.parameters[0].size == 8);
    CHECK(k.parameters[1].size == 32);
    CHECK(k.parameters[1].space == StateSpace::param);
    CHECK(k.parameters[2].type == Type::f32);
    CHECK(k.max_threads[0] == 256);
    CHECK(k.max_threads[1] == 2);
    CHECK(k.max_threads[2] == 1);
    CHECK(k.required_threads[0] == 64);
    CHECK(k.cluster[0] == 2);
    CHECK(k.cluster[2] == 1);
}

TEST_CASE("a prototype and its definition are one function, in either order") {
    const auto module = parse_module(
        ".func f(.param .b32 a);\n.func f(.param .b32 a) { ret; }\n.func f(.param .b32 a);\n");
    CHECK(module->functions.size() == 1);
    CHECK(module->functions.at("f")->has_body);
    CHECK(refusal_of_module(".func f() { ret; }\n.func f() { ret; }\n").message ==
          "the function 'f' is defined twice");
}

TEST_CASE("an alias has the body of the function that it refers to") {
    const auto module = parse_module(".func f() { ret; }\n.func g;\n.alias g, f;\n");
    CHECK(module->functions.at("g")->has_body);
    CHECK(module->functions.at("g")->name == "g");
    CHECK(refusal_of_module(".alias g, f;").message ==
          "the alias 'g' stands for 'f', which is not defined above it");
}

// --- variables -----------------------------------------------------------------------------------

TEST_CASE("variables have the declared sizes") {
    const auto module = parse_module(
        ".visible .global .align 4 .b8 table[16] = {1, 0, 0, 0, 2};\n"
        ".const .f64 pi = 0d400921FB54442D18;\n"
        ".extern .shared .align 16 .b8 dynamic[];\n"
        ".global .attribute(.managed) .align 4 .u32 managed = 5;\n"
        ".global .v4 .f32 v;\n.global .u16 m[3][4], n;\n.global .s32 open[] = {1, 2, 3};\n"
        ".global .texref old;\n.extern .global .u32 later;\n.global .u32 later = 7;\n");
    const auto& v = module->variables;
    CHECK(v.at("table").size == 16);
    CHECK(v.at("table").initial_bytes == bytes({1, 0, 0, 0, 2}));  // all other elements are zero
    CHECK(v.at("pi").space == StateSpace::constant);
    CHECK(v.at("pi").initial_bytes == bytes({0x18, 0x2d, 0x44, 0x54, 0xfb, 0x21, 0x09, 0x40}));
    CHECK(v.at("dynamic").size == 0);
    CHECK(v.at("dynamic").is_extern);
    CHECK(v.at("dynamic").align == 16);
    CHECK(v.at("managed").initial_bytes == bytes({5, 0, 0, 0}));
    CHECK(v.at("v").size == 16);
    CHECK(v.at("v").align == 16);
    CHECK(v.at("m").size == 24);
    CHECK(v.at("m").align == 2);
    CHECK(v.at("n").size == 2);
    CHECK(v.at("open").size == 12);
    CHECK(v.at("old").size == 8);
    CHECK_FALSE(v.at("later").is_extern);
    CHECK(v.at("later").initial_bytes[0] == 7);
}

TEST_CASE("initialisers are parsed") {
    const auto module = parse_module(
        ".global .u8 rows[3][4] = {{1, 2}, {3}, {4, 5, 6, 7}};\n"
        ".global .f32 f[4] = {0f3F800000, 1.5, 2, -0f3F800000};\n"
        ".global .f64 d[2] = {-1.0e0, 0f40000000};\n"
        ".global .s16 s[5] = {-1, 0x7fff, 017, 0b101, (1 << 4) - 2*3};\n"
        ".global .f32 huge = 1e300;\n.global .b32 bits = 1.5;\n");
    const auto& v = module->variables;
    CHECK(v.at("rows").initial_bytes == bytes({1, 2, 0, 0, 3, 0, 0, 0, 4, 5, 6, 7}));
    CHECK(v.at("f").initial_bytes ==
          bytes({0, 0, 0x80, 0x3f, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x80, 0xbf}));
    CHECK(v.at("d").initial_bytes ==
          bytes({0, 0, 0, 0, 0, 0, 0xf0, 0xbf, 0, 0, 0, 0, 0, 0, 0, 0x40}));
    CHECK(v.at("s").initial_bytes == bytes({0xff, 0xff, 0xff, 0x7f, 15, 0, 5, 0, 10, 0}));
    CHECK(v.at("bits").initial_bytes == bytes({0, 0, 0xc0, 0x3f}));
    CHECK(v.at("huge").initial_bytes == bytes({0, 0, 0x80, 0x7f}));  // the value is infinity
}

TEST_CASE("initialisers may be addresses") {
    const auto module = parse_module(
        ".global .u64 p[4] = {table, generic(table)+8, generic(table + 4)-12, 3};\n"
        ".global .align 1 .u8 packed[11] = {1, 0XFF(generic(a)+12), 0xFF00(generic(a)+12), "
        "0xFF0000(generic(a)+12), 0xFF000000(generic(a)+12), 0xFF00000000(generic(a)+12), "
        "0xFF0000000000(generic(a)+12), 0xFF000000000000(generic(a)+12), "
        "0xFF00000000000000(generic(a)+12), 7, 0};\n");
    const Variable& p = module->variables.at("p");
    REQUIRE(p.relocations.size() == 3);
    CHECK(p.initial_bytes.size() == 32);
    CHECK(p.initial_bytes[24] == 3);
    CHECK(p.relocations[0].symbol == "table");
    CHECK_FALSE(p.relocations[0].is_generic);
    CHECK(p.relocations[1].offset == 8);
    CHECK(p.relocations[1].is_generic);
    CHECK(p.relocations[1].addend == 8);
    CHECK(p.relocations[2].addend == -8);

    // Eight bytes are initialised with the different bytes of one address, which becomes a single
    // relocation.
    const Variable& packed = module->variables.at("packed");
    REQUIRE(packed.relocations.size() == 1);
    CHECK(packed.relocations[0].offset == 1);
    CHECK(packed.relocations[0].bytes == 8);
    CHECK(packed.relocations[0].symbol == "a");
    CHECK(packed.relocations[0].addend == 12);
    CHECK(packed.initial_bytes.size() == 11);
    CHECK(packed.initial_bytes[9] == 7);
}

// --- registers, scopes, labels -------------------------------------------------------------------

TEST_CASE("registers of a family are created when they are first used") {
    const auto module = parse_body(
        ".reg .b32 %r<1000000>;\n.reg .f32 %f<3>, %single;\n.reg .pred p;\n"
        "mov.b32 %r999999, %r0;\nmov.f32 %f2, %single;\n@!p mov.b32 %r999999, %r999999;");
    const Function& k = kernel(*module);
    REQUIRE(k.registers.size() == 5);
    CHECK(register_name(k, k.body[0].operands[0]) == "%r999999");
    CHECK(register_name(k, k.body[0].operands[1]) == "%r0");
    CHECK(k.registers[k.body[1].operands[0].reg].type == Type::f32);
    CHECK(k.body[2].guard.has_value());
    CHECK(k.body[2].is_guard_negated);
    CHECK(k.registers[*k.body[2].guard].type == Type::pred);
    CHECK(k.body[2].operands[0].reg == k.body[0].operands[0].reg);
}

TEST_CASE("the prefix of a register family may end in a digit") {
    const auto module =
        parse_body(".reg .b32 %r<5>;\n.reg .b64 %r1<5>;\nmov.b64 %r14, %r10;\nmov.b32 %r1, %r4;");
    const Function& k = kernel(*module);
    CHECK(k.registers[k.body[0].operands[0].reg].type == Type::b64);
    CHECK(k.registers[k.body[1].operands[0].reg].type == Type::b32);
}

TEST_CASE("inner scopes may redeclare registers, variables and labels") {
    const auto module = parse_body(
        ".reg .b32 %r<9>;\n"
        "mov.b32 %r1, 1;\n"
        "{ .reg .b32 %r1; .param .b32 x; L: mov.b32 %r1, %r2; st.param.b32 [x], %r1; bra L; }\n"
        "{ .param .b64 x; bra L; st.param.b64 [x+4], %r1; L: }\n"
        "L: bra L;");
    const Function& k = kernel(*module);
    const auto& body = k.body;
    REQUIRE(body.size() == 10);
    CHECK(register_name(k, body[0].operands[0]) == "%r1");
    CHECK(register_name(k, body[2].operands[0]) == "%r1@2");
    CHECK(register_name(k, body[2].operands[1]) == "%r2");
    CHECK(body[3].operands[0].name == "x");
    CHECK(body[4].operands[0].name == "L");
    CHECK(body[5].operands[0].name == "L@2");  // a forward branch to the label in its own scope
    CHECK(body[6].operands[0].name == "x@2");
    CHECK(body[6].operands[0].offset == 4);
    CHECK(register_name(k, body[6].operands[1]) == "%r1");
    CHECK(body[8].label == "L@3");
    CHECK(body[9].operands[0].name == "L@3");
    CHECK(k.labels.at("L") == 1);
    CHECK(k.labels.at("L@2") == 7);
    CHECK(k.labels.at("L@3") == 8);
    CHECK(k.variables.at("x").size == 4);
    CHECK(k.variables.at("x@2").size == 8);
}

TEST_CASE("a label may be used in an inner scope, before and after its definition") {
    const auto module = parse_body("A:\n{ bra A; { bra B; } }\nB: ret;");
    const auto& body = kernel(*module).body;
    CHECK(body[1].operands[0].name == "A");
    CHECK(body[2].operands[0].name == "B");
    CHECK(kernel(*module).labels.at("B") == 3);
}

TEST_CASE("a vector register is expanded into its elements") {
    const auto module = parse_body(
        ".reg .v4 .f32 v;\n.reg .v2 .b32 %w<3>;\nld.global.v4.f32 v, [k_param_0];\n"
        "mov.f32 v.x, v.a;\nmov.b32 %w1.y, %w1.x;");
    const Function& k = kernel(*module);
    const Operand& v = k.body[0].operands[0];
    REQUIRE(v.kind == Kind::vector);
    REQUIRE(v.elements.size() == 4);
    CHECK(register_name(k, v.elements[2]) == "v.z");
    CHECK(register_name(k, k.body[1].operands[0]) == "v.x");
    CHECK(register_name(k, k.body[1].operands[1]) == "v.w");
    CHECK(register_name(k, k.body[2].operands[0]) == "%w1.y");
}

TEST_CASE("variables of a function body are parsed") {
    const auto module = parse_body(
        ".local .align 16 .b8 __local_depot0[64];\n.shared .align 4 .b8 tile[4224];\n"
        ".extern .shared .b8 dynamic[];\n.global .u32 static_counter = 3;\n"
        "mov.u64 static_counter, static_counter;");
    const Function& k = kernel(*module);
    CHECK(k.variables.at("__local_depot0").space == StateSpace::local);
    CHECK(k.variables.at("__local_depot0").align == 16);
    CHECK(k.variables.at("tile").size == 4224);
    CHECK(k.variables.at("dynamic").is_extern);
    CHECK(module->variables.at("static_counter").initial_bytes[0] == 3);
}

TEST_CASE("lists of branch and call targets are parsed") {
    const auto module = parse_body(
        ".reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n"
        "L_list: .branchtargets A, B, A;\nbrx.idx %r1, L_list;\nA:\nB:\n"
        "{ proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "  call (k_param_0), %rd1, (k_param_0), proto; }\n"
        "{ C: lists: .branchtargets C; brx.idx %r1, lists; }\nC: ret;");
    const Function& k = kernel(*module);
    CHECK(k.target_lists.at("L_list") == std::vector<std::string>{"A", "B", "A"});
    CHECK(k.body[0].operands[1].name == "L_list");
    CHECK(k.target_lists.at("proto").empty());
    CHECK(k.target_lists.at("lists") == std::vector<std::string>{"C"});
    CHECK(k.labels.count("C@2") == 1);
}

// --- instructions --------------------------------------------------------------------------------

TEST_CASE("an instruction has its opcode, modifiers, operands, position and text") {
    const auto module = parse_body(
        ".reg .b32 %r<9>;\n.reg .pred %p<3>;\n.reg .b64 %rd<2>;\n"
        "\t.loc 2 17 5\n"
        "\t@%p1 ld.global.nc.L2::128B.v2.u32 \t{%r1, %r2}, [%rd1+16] ;\n"
        "\t.loc 3 82 96, function_name $L__info_string4+7, inlined_at 1 69 9\n"
        "$L__BB0_1:\n\tcp.async.bulk.shared::cluster.global [%rd1], [%rd1], 16, [%rd1];");
    const Function& k = kernel(*module);
    const Instruction& load = k.body[0];
    CHECK(load.opcode == "ld");
    CHECK(load.modifiers == std::vector<std::string>{"global", "nc", "L2::128B", "v2", "u32"});
    CHECK(load.has("nc"));
    CHECK_FALSE(load.has("n"));
    CHECK(module->find_text(load) == "@%p1 ld.global.nc.L2::128B.v2.u32 \t{%r1, %r2}, [%rd1+16]");
    CHECK(load.where == SourceLine{2, 17});
    CHECK(k.body[1].label == "$L__BB0_1");
    CHECK(k.body[1].opcode.empty());
    CHECK(module->find_text(k.body[1]) == "$L__BB0_1:");
    // C++ cannot express this instruction, so it gets the line of the call.
    CHECK(k.body[2].where == SourceLine{1, 69});
    CHECK(k.body[2].has("shared::cluster"));
}

TEST_CASE("code inlined from the toolkit's headers has the line of the call") {
    const auto module = parse_module(
        ".file 1 \"/home/me/main.cu\"\n.file 2 \"/usr/local/cuda/include/sm_20_atomics.hpp\"\n"
        ".file 3 \"/home/me/mine.h\"\n"
        ".func f() {\n"
        // At this point, the parser does not know yet that 2:60 was itself inlined.
        ".loc 2 50 1, function_name L, inlined_at 2 60 2\n ret;\n"
        ".loc 2 60 2, function_name L, inlined_at 1 12 5\n ret;\n"
        ".loc 2 50 1, function_name L, inlined_at 2 60 2\n ret;\n"
        ".loc 3 7 1, function_name L, inlined_at 1 13 5\n ret;\n"
        ".loc 2 50 1\n ret;\n }\n");
    const Function& f = *module->functions.at("f");
    CHECK(f.body[0].where == SourceLine{2, 60});
    CHECK(f.body[1].where == SourceLine{1, 12});
    CHECK(f.body[2].where == SourceLine{1, 12});
    CHECK(f.body[3].where == SourceLine{3, 7});
}

TEST_CASE("an asm statement in an inlined function has the line of the call") {
    const std::string place = ".loc 1 7 1, function_name L, inlined_at 1 30 5\n";
    const std::string statement = "// begin inline asm\n membar.gl;\n// end inline asm\n";
    const auto module =
        parse_module(".file 1 \"/home/me/main.cu\"\n.func f() {\n" + place + "membar.cta;\n" +
                     statement + "membar.cta;\n.loc 1 31 5\n" + statement + "ret;\n }\n");
    const Function& f = *module->functions.at("f");
    CHECK(f.body[0].where.line == 7);
    CHECK(f.body[1].where.line == 30);
    CHECK(f.body[2].where.line == 7);
    CHECK(f.body[3].where.line == 31);
}

TEST_CASE("inlined positions that refer to each other do not make the parser loop") {
    parse_module(
        ".file 1 \"/usr/include/a.h\"\n.func f() {\n"
        ".loc 1 5 1, function_name L, inlined_at 1 6 1\n ret;\n"
        ".loc 1 6 1, function_name L, inlined_at 1 5 1\n ret;\n }\n");
}

TEST_CASE("a source position does not apply to the next function") {
    const auto module = parse_module(".func f() { .loc 1 5 0\n ret; }\n.func g() { ret; }\n");
    CHECK(module->functions.at("f")->body[0].where.line == 5);
    CHECK(module->functions.at("g")->body[0].where.line == 0);
}

TEST_CASE("immediates are parsed") {
    const struct {
        const char* text;
        Kind kind;
        u64 bits;
    } cases[] = {
        {"42", Kind::immediate, 42},
        {"-4", Kind::immediate, static_cast<u64>(-4)},
        {"0xFFFFFFFF", Kind::immediate, 0xffffffff},
        {"0xFFFFFFFFFFFFFFFFU", Kind::immediate, ~u64{0}},
        {"017", Kind::immediate, 15},
        {"0b1010", Kind::immediate, 10},
        {"12U", Kind::immediate, 12},
        {"WARP_SZ", Kind::immediate, 32},
        {"-WARP_SZ", Kind::immediate, static_cast<u64>(-32)},
        {"(4*8)+1", Kind::immediate, 33},
        {"1 << 4 | 3", Kind::immediate, 19},
        {"2 + 3 * 4 - 10 / 5", Kind::immediate, 12},
        {"~0", Kind::immediate, ~u64{0}},
        {"-(1 - 3)", Kind::immediate, 2},
        {"-9223372036854775808", Kind::immediate, u64{1} << 63},
        {"-9223372036854775808 / -1", Kind::immediate, u64{1} << 63},
        {"0f3F800000", Kind::f32_bits, 0x3f800000},
        {"0F3f800000", Kind::f32_bits, 0x3f800000},
        {"-0f3F800000", Kind::f32_bits, 0xbf800000},
        {"0d3FF0000000000000", Kind::f64_bits, 0x3ff0000000000000},
        {"1.5", Kind::f64_bits, 0x3ff8000000000000},
        {"1e3", Kind::f64_bits, 0x408f400000000000},
        {"1.0E-1", Kind::f64_bits, 0x3fb999999999999a},
    };
    for (const auto& expected : cases) {
        CAPTURE(expected.text);
        const auto module =
            parse_body(".reg .b64 %rd<2>;\nmov.b64 %rd1, " + std::string(expected.text) + ";");
        const Operand& operand = kernel(*module).body[0].operands[1];
        CHECK(operand.kind == expected.kind);
        CHECK(operand.bits == expected.bits);
    }
}

TEST_CASE("operands may be names") {
    const auto module = parse_body(
        ".reg .b32 %r<9>;\n.reg .pred %p<4>;\n.reg .b64 %rd<2>;\n"
        "setp.lt.s32 %p1|%p2, %r1, -%r2;\nand.pred %p1, !%p2, %p3;\n"
        "mov.u32 %r1, %tid.x;\nmov.u64 %rd1, %clock64;\nmov.u32 %r1, %envreg31;\n"
        "mov.u64 %rd1, table+8;\nsetp.lt.s32 _|%p1, %r1, %r1;\nvadd.u32.u32.u32 %r1, %r2.b3, "
        "%r1.h0;\n"
        "mov.b64 %rd1, {%r1, _};\n");
    const Function& k = kernel(*module);
    const auto& body = k.body;
    REQUIRE(body[0].operands[0].elements.size() == 1);
    CHECK(register_name(k, body[0].operands[0]) == "%p1");
    CHECK(register_name(k, body[0].operands[0].elements[0]) == "%p2");
    CHECK(body[0].operands[2].is_negated);
    CHECK(body[1].operands[1].is_negated);
    CHECK_FALSE(body[1].operands[2].is_negated);
    CHECK(body[2].operands[1].kind == Kind::special);
    CHECK(body[2].operands[1].name == "%tid.x");
    CHECK(body[3].operands[1].name == "%clock64");
    CHECK(body[4].operands[1].kind == Kind::special);
    CHECK(body[5].operands[1].kind == Kind::symbol);
    CHECK(body[5].operands[1].name == "table");
    CHECK(body[5].operands[1].offset == 8);
    CHECK(body[6].operands[0].kind == Kind::sink);
    CHECK(register_name(k, body[6].operands[0].elements[0]) == "%p1");
    CHECK(body[7].operands[1].name == ".b3");
    CHECK(body[8].operands[1].kind == Kind::vector);
    CHECK(body[8].operands[1].elements[1].kind == Kind::sink);
}

TEST_CASE("addresses are parsed") {
    const auto module = parse_body(
        ".reg .b32 %r<9>;\n.reg .b64 %rd<3>;\n"
        "ld.u32 %r1, [%rd1];\nld.u32 %r1, [%rd1+-4];\nld.u32 %r1, [%rd1 - 8];\n"
        "ld.u32 %r1, [k_param_0+0x10];\nld.u32 %r1, [1024];\n"
        "cp.async.bulk.tensor.2d [%r1], [%rd1, {%r2, %r3}], [%r4];\n"
        "tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [texture, sampler, {%r5, %r6}];");
    const Function& k = kernel(*module);
    const auto& body = k.body;
    CHECK(body[0].operands[1].kind == Kind::address);
    CHECK(body[0].operands[1].has_base_register);
    CHECK(body[0].operands[1].offset == 0);
    CHECK(body[1].operands[1].offset == -4);
    CHECK(body[2].operands[1].offset == -8);
    CHECK_FALSE(body[3].operands[1].has_base_register);
    CHECK(body[3].operands[1].name == "k_param_0");
    CHECK(body[3].operands[1].offset == 16);
    CHECK(body[4].operands[1].name.empty());
    CHECK(body[4].operands[1].offset == 1024);
    const Operand& tensor = body[5].operands[1];
    REQUIRE(tensor.elements.size() == 1);
    CHECK(tensor.elements[0].kind == Kind::vector);
    CHECK(tensor.elements[0].elements.size() == 2);
    const Operand& texture = body[6].operands[1];
    CHECK(texture.name == "texture");
    REQUIRE(texture.elements.size() == 2);
    CHECK(texture.elements[0].name == "sampler");
}

TEST_CASE("calls are parsed") {
    const auto module = parse_module(
        ".func (.param .b32 r) f(.param .b32 a, .param .b32 b) { ret; }\n.func g() { ret; }\n"
        ".entry k {\n.reg .b64 %rd<2>;\n"
        "{ .param .b32 param0; .param .b32 param1; .param .b32 retval0;\n"
        "call.uni (retval0), \nf, \n(\nparam0, \nparam1\n);\n"
        "call (retval0), %rd1, (param0), proto;\ncall g;\ncall g, ();\n}\n}\n");
    const auto& body = kernel(*module).body;
    REQUIRE(body[0].operands.size() == 3);
    CHECK(body[0].operands[0].kind == Kind::vector);
    CHECK(body[0].operands[0].elements[0].name == "retval0");
    CHECK(body[0].operands[1].name == "f");
    CHECK(body[0].operands[2].elements.size() == 2);
    CHECK(body[0].has("uni"));
    CHECK(body[1].operands[1].kind == Kind::reg);
    CHECK(body[2].operands[0].name == "g");
    CHECK(body[3].operands[1].elements.empty());
}

// --- text that the parser must reject ------------------------------------------------------------

TEST_CASE("an error names the line and the expected token") {
    const Refusal missing = refusal_of_body(".reg .b32 %r<3>;\nmov.b32 %r1, %r2\nret;");
    CHECK(missing.line == 7);
    CHECK(missing.message == "expected ',' or ';' near 'ret'");

    const Refusal undeclared = refusal_of_body(".reg .b32 %r<3>;\n\nmov.b32 %r1, %r3;");
    CHECK(undeclared.line == 7);
    CHECK(undeclared.message == "the register %r3 is not declared");

    const Refusal guard = refusal_of_body("@%p1 ret;");
    CHECK(guard.line == 5);
    CHECK(guard.message == "the predicate %p1 is not declared");

    CHECK(refusal_of("hello").message == "expected '.version': is this PTX? near 'hello'");
    CHECK(refusal_of("").message == "expected '.version': is this PTX? near the end of the text");
    CHECK(refusal_of_body("add.s32 %tidy, 1;").message == "the register %tidy is not declared");
    CHECK(refusal_of_module(".entry k {\nret;\n").message ==
          "expected '}' to end the function k near the end of the text");
    CHECK(refusal_of_body("mov.b32 \x01\x02;").message == "expected an operand near '?'");
}

TEST_CASE("malformed text is rejected") {
    const char* modules[] = {
        ".version",
        ".version 9.0 .target",
        ".address_size 32",
        "}",
        "{",
        ".global",
        ".global .b8",
        ".global .b8 x",
        ".global .b8 x[",
        ".global .b8 x[4",
        ".global .b8 x[-1];",
        ".global .b8 x[4] = {1, 2, 3, 4, 5};",
        ".global .b8 x[2] = {{1}, {2}};",
        ".shared .b8 x = 1;",
        ".global .b16 x = 1.5;",
        ".global .b8 x = {1};",
        ".global .u8 x[1] = {symbol};",
        ".global .u8 x[2] = {0xFF00(a)};",
        ".global .u8 x[2] = {0xFF(a), 0xFF00(b)};",
        ".global .align 3 .b8 x;",
        ".global .align 0 .b8 x;",
        ".global .pred x;",
        ".global .b8 x; .global .b8 x;",
        ".global .b8 x[1099511627776][2];",
        ".global .b8 x[99999999999999999999];",
        ".global .b8 x[2][];",
        ".global .b8 x = 1 / 0;",
        ".global .b8 x = 0x;",
        ".global .b8 x = 08;",
        ".global .b8 x = 0f12;",
        ".global .b8 x = 1.5.5;",
        ".func f(.reg .u32 a);",
        ".func f(.param .b32 a",
        ".func f(.param .b32 a)",
        ".func f {",
        ".entry k(.param .b32 a, .param .b32 a) { ret; }",
        ".entry k .maxntid {}",
        ".entry k .maxntid 99999999999 {}",
        ".file 1",
        ".file 1 \"unclosed\n\"",
        "/* unclosed",
        ".section .debug_info {",
        ".section .debug_info",
        ".alias a",
        ".pragma \"x\"",
        ".unknown 3;",
        ".param .b32 x;",
        ".loc 1",
        ".loc 1 2 3, elsewhere 5",
        "\"",
    };
    for (const char* text : modules) {
        CAPTURE(text);
        CHECK(refusal_of_module(text).line >= 4);
    }
    const char* bodies[] = {
        "mov",
        "mov.b32",
        "mov.b32 %r1;",
        "@",
        "@p",
        "@!",
        ":",
        "1:",
        "L",
        "L: L:",
        "bra L",
        ".reg",
        ".reg .b32",
        ".reg .b32 %r<",
        ".reg .b32 %r<-1>;",
        ".reg .b32 %r<1.5>;",
        ".reg .b32 %r<99999999999>;",
        ".reg .b33 x;",
        ".reg .b32 x; .reg .b32 x;",
        ".reg .b32 %r<3>, %r<4>;",
        ".reg .b32 r; mov.b32 r.x, r;",
        ".reg .v2 .b32 r; mov.b32 r.z, 1;",
        "ld.b32 [",
        "ld.b32 [1",
        "ld.b32 [{1}]",
        "ld.b32 [%tid.x];",
        "mov.b32 {",
        "mov.b32 {1",
        "mov.b32 {1 2};",
        "mov.b32 1 2;",
        "mov.b32 !5;",
        "mov.b32 -x;",
        "mov.b32 ((1);",
        "call (a, b;",
        "mov.b32 1,;",
        "{",
        "{ { }",
        "} }",
        "list: .branchtargets ;",
        "list: .branchtargets A",
        "list: .callprototype",
        ".shared .b8 x; .shared .b8 x;",
        ".extern ret;",
        ".loc x;",
        "mov.b32 %tid.q;",
        "mov.b32 1e999;",
        "\"ret;\"",
    };
    for (const char* text : bodies) {
        CAPTURE(text);
        CHECK(refusal_of_body(text).line >= 5);
    }
}

TEST_CASE("any prefix of a module is accepted or rejected without a crash") {
    const std::string text =
        kHeader +
        ".global .u64 p[2] = {generic(table)+8, 0x1F};\n"
        ".func (.param .b32 r) f(.param .align 8 .b8 a[16]) .noreturn;\n"
        ".entry k(.param .u64 .ptr .global .align 16 q) .maxntid 32, 1, 1 {\n"
        ".reg .b32 %r<5>; .reg .pred %p<2>;\n.loc 1 2 3, function_name $L, inlined_at 1 2 3\n"
        "@!%p1 ld.global.v2.u32 {%r1, %r2}, [q+-4];\nL: setp.ne.s32 %p0|%p1, %r1, (1<<2);\n"
        "{ .param .b32 x; call (x), f, (x); }\nT: .branchtargets L;\n}\n/* end */";
    CHECK_NOTHROW(parse(text));
    int refused = 0;
    for (std::size_t length = 0; length < text.size(); ++length) {
        try {
            parse(std::string_view(text).substr(0, length));
        } catch (const ParseError&) {
            ++refused;
        }
    }
    CHECK(refused > 400);
}

TEST_CASE("extreme nesting and extreme counts are rejected quickly") {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    constexpr int kMany = 1'000'000;
    CHECK(refusal_of_body(repeat("{", kMany)).message == "braces are nested too deeply");
    CHECK(refusal_of_body("mov " + repeat("{", kMany)).message ==
          "this operand is nested too deeply");
    CHECK(refusal_of_body("mov " + repeat("[1,", kMany)).message ==
          "this operand is nested too deeply");
    CHECK(refusal_of_body("mov " + repeat("_|", kMany)).message == "expected ',' or ';' near '|'");
    CHECK(refusal_of_body("mov " + repeat("(", kMany)).message ==
          "this expression is nested too deeply");
    CHECK(refusal_of_body("mov " + repeat("-", kMany)).message ==
          "this expression is nested too deeply");
    CHECK(refusal_of_module(".global .b8 x[1]" + repeat("[1]", kMany)).line == 4);
    CHECK(refusal_of_module(".global .b8 x = " + repeat("{", kMany)).line == 4);
    // The text of this sparse table is short, but its initial value has many zero bytes.
    CHECK(refusal_of_module(".global .b8 a[4][1000000000] = {{1}, {2}, {3}, {4}};").message ==
          "the initialisers of this module fill too many bytes");
    CHECK(refusal_of_body("mov" + repeat(".x", 100) + ";").line == 5);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    CHECK(seconds < 10);
}

TEST_CASE("the time to parse a module is proportional to its size") {
    std::string body = ".reg .b32 %r<100000>;\n.reg .b64 %rd<100000>;\n";
    for (int i = 1; i < 20'000; ++i) {
        const std::string n = std::to_string(i);
        body += "L" + n + ":\nadd.s32 %r" + n + ", %r" + std::to_string(i - 1) + ", 1;\n" +
                "{ .param .b32 param0; st.param.b32 [param0+0], %r" + n + "; }\n" + "bra L" + n +
                ";\n";
    }
    const auto module = parse_body(body);
    const Function& k = kernel(*module);
    CHECK(k.registers.size() == 20'000);
    CHECK(k.variables.size() == 19'999);
    CHECK(k.labels.size() == 19'999);
    CHECK(k.body.back().operands[0].name == "L19999");
}
