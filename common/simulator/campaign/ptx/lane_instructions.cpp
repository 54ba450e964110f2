#include "campaign/ptx/lane_instructions.h"

#include <set>

namespace coalesce::campaign {
namespace {

using Result = LaneInstruction::Result;

constexpr Kind kind_b = Kind::half, kind_h = Kind::half, kind_r = Kind::word, kind_l = Kind::wide;

LaneInstruction make(std::string name, Result result, Kind to, std::vector<Kind> from,
                     bool ends_in_predicate = false, std::string last = "") {
    LaneInstruction i;
    i.name = std::move(name);
    i.result = result;
    i.to = to;
    i.from = std::move(from);
    i.ends_in_predicate = ends_in_predicate;
    i.last = std::move(last);
    return i;
}

/// A line of the table, with up to four sources. A plain one: g++ takes a minute and a half over a thousand calls.
struct Line {
    const char* name;
    Result result;
    Kind to, from[4];
    int sources;
    bool ends_in_predicate = false;
    const char* last = "";
};

constexpr Line LINES[] = {
#define UNARY(D, A, NAME, DIGEST) {NAME, Result::value, kind_##D, {kind_##A}, 1},
#define BINARY(D, A, B, NAME, DIGEST) {NAME, Result::value, kind_##D, {kind_##A, kind_##B}, 2},
#define TERNARY(D, A, B, C, NAME, DIGEST) \
    {NAME, Result::value, kind_##D, {kind_##A, kind_##B, kind_##C}, 3},
#define INSERT(A, NAME, DIGEST) \
    {NAME, Result::value, kind_##A, {kind_##A, kind_##A, Kind::word, Kind::word}, 4},
#define LOP3(TABLE, DIGEST) \
    {"lop3.b32", Result::value, Kind::word, {Kind::word, Kind::word, Kind::word}, 3, false, #TABLE},
#define SELECT(A, NAME, DIGEST) {NAME, Result::value, kind_##A, {kind_##A, kind_##A}, 2, true},
#define TESTP(A, NAME, DIGEST) {NAME, Result::predicate, kind_##A, {kind_##A}, 1},
#define SETP(A, NAME, DIGEST) {NAME, Result::two_predicates, kind_##A, {kind_##A, kind_##A}, 2},
#define SETPC(A, NAME, DIGEST) \
    {NAME, Result::two_predicates, kind_##A, {kind_##A, kind_##A}, 2, true},
#define SETP1(A, NAME, DIGEST) {NAME, Result::predicate, kind_##A, {kind_##A, kind_##A}, 2},
#define SETPC1(A, NAME, DIGEST) {NAME, Result::predicate, kind_##A, {kind_##A, kind_##A}, 2, true},
#include "tests/hardware/instructions.inc"
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

std::vector<LaneInstruction> compared_with_hardware() {
    std::vector<LaneInstruction> all;
    for (const Line& line : LINES) {
        all.push_back(make(line.name, line.result, line.to, {line.from, line.from + line.sources},
                           line.ends_in_predicate, line.last));
    }
    return all;
}

/// Of predicates, and selections by them: not lane by lane in the list above.
std::vector<LaneInstruction> of_predicates() {
    constexpr Kind p = Kind::predicate;
    std::vector<LaneInstruction> all;
    for (const char* name : {"and.pred", "or.pred", "xor.pred"})
        all.push_back(make(name, Result::value, p, {p, p}));
    for (const char* name : {"not.pred", "mov.pred"})
        all.push_back(make(name, Result::value, p, {p}));
    return all;
}

std::vector<LaneInstruction> approximations() {
    constexpr Kind h = Kind::half, r = Kind::word, l = Kind::wide;
    std::vector<LaneInstruction> all;
    const auto add = [&](const std::string& name, Kind kind, int sources) {
        all.push_back(make(name, Result::value, kind, std::vector<Kind>(sources, kind)));
        all.back().approximate = true;
    };
    for (const char* function : {"rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"})
        for (const char* rest : {".approx.f32", ".approx.ftz.f32"})
            add(function + std::string(rest), r, 1);
    for (const char* name :
         {"div.approx.f32", "div.approx.ftz.f32", "div.full.f32", "div.full.ftz.f32"})
        add(name, r, 2);
    for (const char* name : {"rcp.approx.ftz.f64", "rsqrt.approx.f64", "rsqrt.approx.ftz.f64"})
        add(name, l, 1);
    for (const char* name : {"tanh.approx.f32", "tanh.approx.f16x2", "tanh.approx.bf16x2",
                             "ex2.approx.f16x2", "ex2.approx.ftz.bf16x2"})
        add(name, r, 1);
    for (const char* name :
         {"tanh.approx.f16", "tanh.approx.bf16", "ex2.approx.f16", "ex2.approx.ftz.bf16"})
        add(name, h, 1);
    return all;
}

/// Literals stand for sources of plain integer instructions and of plain float arithmetic.
char literal_of(const LaneInstruction& i) {
    const std::string opcode = i.name.substr(0, i.name.find('.'));
    const std::string type = i.name.substr(i.name.rfind('.') + 1);
    static const std::set<std::string> integer = {"add", "sub", "mul",  "mad",  "min", "max",
                                                  "and", "or",  "xor",  "shl",  "shr", "setp",
                                                  "div", "rem", "lop3", "selp", "sad"};
    static const std::set<std::string> floating = {"add", "sub", "mul", "fma",
                                                   "min", "max", "div", "setp"};
    if (type == "f32") return floating.contains(opcode) ? 'f' : 0;
    if (type == "f64") return floating.contains(opcode) ? 'd' : 0;
    const bool whole = type.find_first_not_of("usb1234680") == std::string::npos &&
                       type.find('x') == std::string::npos;
    return whole && integer.contains(opcode) ? 'i' : 0;
}

}  // namespace

const std::vector<LaneInstruction>& lane_instructions() {
    static const std::vector<LaneInstruction> all = [] {
        std::vector<LaneInstruction> list = compared_with_hardware();
        for (const auto& more : {of_predicates(), approximations()})
            list.insert(list.end(), more.begin(), more.end());
        for (LaneInstruction& i : list) i.literal = literal_of(i);
        return list;
    }();
    return all;
}

const std::vector<LaneInstruction>& everyday_instructions() {
    static const std::vector<LaneInstruction> some = [] {
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
    return some;
}

}  // namespace coalesce::campaign
