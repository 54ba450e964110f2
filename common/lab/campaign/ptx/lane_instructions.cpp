#include "lab/campaign/ptx/lane_instructions.h"

#include <iterator>
#include <set>
#include <string>

namespace coalesce::campaign {
namespace {

using Result = LaneInstruction::Result;

constexpr RegisterKind kind_p = RegisterKind::predicate, kind_b = RegisterKind::half,
                       kind_h = RegisterKind::half, kind_r = RegisterKind::word,
                       kind_l = RegisterKind::wide;

constexpr LaneInstruction ALL_INSTRUCTIONS[] = {
#define UNARY(D, A, NAME, DIGEST) {NAME, Result::value, kind_##D, {kind_##A}, 1},
#define BINARY(D, A, B, NAME, DIGEST) {NAME, Result::value, kind_##D, {kind_##A, kind_##B}, 2},
#define TERNARY(D, A, B, C, NAME, DIGEST) \
    {NAME, Result::value, kind_##D, {kind_##A, kind_##B, kind_##C}, 3},
#define INSERT(A, NAME, DIGEST)                                    \
    {NAME,                                                         \
     Result::value,                                                \
     kind_##A,                                                     \
     {kind_##A, kind_##A, RegisterKind::word, RegisterKind::word}, \
     4},
#define LOP3(TABLE, DIGEST)                                        \
    {"lop3.b32",                                                   \
     Result::value,                                                \
     RegisterKind::word,                                           \
     {RegisterKind::word, RegisterKind::word, RegisterKind::word}, \
     3,                                                            \
     false,                                                        \
     #TABLE},
#define SELECT(A, NAME, DIGEST) {NAME, Result::value, kind_##A, {kind_##A, kind_##A}, 2, true},
#define TESTP(A, NAME, DIGEST) {NAME, Result::predicate, kind_##A, {kind_##A}, 1},
#define SETP(A, NAME, DIGEST) {NAME, Result::two_predicates, kind_##A, {kind_##A, kind_##A}, 2},
#define SETPC(A, NAME, DIGEST) \
    {NAME, Result::two_predicates, kind_##A, {kind_##A, kind_##A}, 2, true},
#define SETP1(A, NAME, DIGEST) {NAME, Result::predicate, kind_##A, {kind_##A, kind_##A}, 2},
#define SETPC1(A, NAME, DIGEST) {NAME, Result::predicate, kind_##A, {kind_##A, kind_##A}, 2, true},
#include "simulator/tests/hardware/instructions.inc"
    // Operations on predicates, which the table of lane-wise instructions does not contain.
    {"and.pred", Result::value, kind_p, {kind_p, kind_p}, 2},
    {"or.pred", Result::value, kind_p, {kind_p, kind_p}, 2},
    {"xor.pred", Result::value, kind_p, {kind_p, kind_p}, 2},
    {"not.pred", Result::value, kind_p, {kind_p}, 1},
    {"mov.pred", Result::value, kind_p, {kind_p}, 1},
#undef UNARY
#undef BINARY
#undef TERNARY
#undef INSERT
#undef LOP3
#undef SELECT
#undef TESTP
#undef SETP
#undef SETPC
#undef SETP1
#undef SETPC1
};

std::vector<LaneInstruction> list_approximate_instructions() {
    constexpr RegisterKind h = RegisterKind::half, r = RegisterKind::word, l = RegisterKind::wide;
    struct InstructionGroup {
        std::vector<const char*> names;
        RegisterKind kind;
        u32 source_count;
    };
    const InstructionGroup groups[] = {
        {{"rcp.approx.f32", "rcp.approx.ftz.f32", "sqrt.approx.f32", "sqrt.approx.ftz.f32",
          "rsqrt.approx.f32", "rsqrt.approx.ftz.f32", "sin.approx.f32", "sin.approx.ftz.f32",
          "cos.approx.f32", "cos.approx.ftz.f32", "lg2.approx.f32", "lg2.approx.ftz.f32",
          "ex2.approx.f32", "ex2.approx.ftz.f32"},
         r,
         1},
        {{"div.approx.f32", "div.approx.ftz.f32", "div.full.f32", "div.full.ftz.f32"}, r, 2},
        {{"rcp.approx.ftz.f64", "rsqrt.approx.f64", "rsqrt.approx.ftz.f64"}, l, 1},
        {{"tanh.approx.f32", "tanh.approx.f16x2", "tanh.approx.bf16x2", "ex2.approx.f16x2",
          "ex2.approx.ftz.bf16x2"},
         r,
         1},
        {{"tanh.approx.f16", "tanh.approx.bf16", "ex2.approx.f16", "ex2.approx.ftz.bf16"}, h, 1}};
    std::vector<LaneInstruction> approximate_instructions;
    for (const auto& [names, kind, sources] : groups)
        for (const char* name : names)
            approximate_instructions.push_back(
                {name, Result::value, kind, {kind, kind}, sources, false, "", true});
    return approximate_instructions;
}

/// Returns the kind of literal that may replace a source of a plain integer or floating-point
/// instruction, or 0 if none may.
char literal_kind_of(const LaneInstruction& i) {
    const std::string name = i.name, opcode = name.substr(0, name.find('.')),
                      type = name.substr(name.rfind('.') + 1);
    static const std::set<std::string> integer_opcodes = {
        "add", "sub", "mul",  "mad", "min", "max",  "and",  "or", "xor",
        "shl", "shr", "setp", "div", "rem", "lop3", "selp", "sad"};
    static const std::set<std::string> floating_point_opcodes = {"add", "sub", "mul", "fma",
                                                                 "min", "max", "div", "setp"};
    if (type == "f32") return floating_point_opcodes.contains(opcode) ? 'f' : 0;
    if (type == "f64") return floating_point_opcodes.contains(opcode) ? 'd' : 0;
    const bool has_integer_type = type.find_first_not_of("usb1234680") == std::string::npos &&
                                  type.find('x') == std::string::npos;
    return has_integer_type && integer_opcodes.contains(opcode) ? 'i' : 0;
}

}  // namespace

const std::vector<LaneInstruction>& lane_instructions() {
    static const std::vector<LaneInstruction> all_instructions = [] {
        std::vector<LaneInstruction> list(std::begin(ALL_INSTRUCTIONS), std::end(ALL_INSTRUCTIONS));
        const auto approximate_instructions = list_approximate_instructions();
        list.insert(list.end(), approximate_instructions.begin(), approximate_instructions.end());
        for (LaneInstruction& i : list) i.literal_kind = literal_kind_of(i);
        return list;
    }();
    return all_instructions;
}

const std::vector<LaneInstruction>& everyday_instructions() {
    static const std::vector<LaneInstruction> selected_instructions = [] {
        static const std::set<std::string> names = {
            "add.s32",     "sub.s32",     "mul.lo.s32",  "mad.lo.s32",   "and.b32",
            "or.b32",      "xor.b32",     "shl.b32",     "shr.u32",      "shr.s32",
            "add.s64",     "sub.s64",     "mul.lo.s64",  "xor.b64",      "shr.u64",
            "cvt.u64.u32", "cvt.u32.u64", "cvt.s64.s32", "mul.wide.u32", "add.s16",
            "xor.b16",     "mul.lo.s16",  "cvt.u32.u16", "cvt.u16.u32",  "setp.lt.s32",
            "setp.ne.s32", "setp.gt.u32", "setp.lt.u64", "selp.b32",     "selp.b64",
            "min.s32",     "max.u32",     "and.pred",    "or.pred",      "not.pred",
            "fma.rn.f32",  "add.f32",     "mul.f32",     "popc.b32",     "mad.wide.u32"};
        std::vector<LaneInstruction> list;
        for (const LaneInstruction& i : lane_instructions())
            if (names.contains(i.name)) list.push_back(i);
        return list;
    }();
    return selected_instructions;
}

}  // namespace coalesce::campaign
