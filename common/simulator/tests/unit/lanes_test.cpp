// Tests the handlers of lane-wise instructions on a warp constructed by hand, without a kernel.
#include "simulator/instructions/lanes.h"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <utility>

#include "simulator/code/opcodes.h"

using namespace coalesce::simulator;

namespace {

using Modifiers = std::vector<std::string>;

const LaneInstruction& found(const std::string& opcode, const Modifiers& modifiers) {
    const LaneInstruction* instruction = find_lane_instruction(opcode, modifiers);
    REQUIRE_MESSAGE(instruction != nullptr, opcode);
    return *instruction;
}

const Op* stop(Warp&, const Op* op) {
    return op;
}

/// A warp with two register files: its own registers and uniform registers. Both register files
/// have the same slots: two destinations and four sources, each of which can hold 32 lanes of 64
/// bits.
class Bench {
public:
    Bench() {
        warp.register_files[kOwnFile] = own_;
        warp.register_files[kUniformFile] = uniform_;
        warp.active = kAllLanes;
        std::mt19937 random(7);
        for (u8& byte : own_) byte = static_cast<u8>(random());
        for (int place = 0; place < kPlaces; ++place) {
            const u64 value = u64{random()} << 32 | random();
            for (int l = 0; l < kLanes; ++l) set_uniform(place, l, value);
        }
        op[0].d = slot(0), op[0].d2 = slot(1);
        op[0].a = slot(2), op[0].b = slot(3), op[0].c = slot(4), op[0].v[0] = slot(5);
        op[1].run = stop;
    }
    static Slot slot(int place, u32 file = kOwnFile) {
        return {static_cast<u32>(place * kPlaceBytes), file};
    }
    /// Runs a handler, which either continues with the next Op (the handlers in `form_handlers`) or
    /// returns.
    void run(const LaneInstruction& instruction) { run(instruction, instruction.run); }
    void run(const LaneInstruction& instruction, Handler handler) {
        op[0].run = handler;
        op[0].immediate = instruction.constant;
        CHECK(handler(warp, op) == op + 1);
    }
    template <class Lane>
    Lane lane(int place, int l) const {
        return warp.lanes<Lane>(slot(place))[l];
    }
    template <class Lane>
    std::vector<Lane> lanes(int place) const {
        const Lane* first = warp.lanes<Lane>(slot(place));
        return {first, first + kLanes};
    }
    std::vector<u8> bytes() const { return {own_, own_ + sizeof own_}; }

    Warp warp;
    Op op[2];

private:
    static constexpr int kPlaces = 6, kPlaceBytes = 8 * kLanes;
    void set_uniform(int place, int l, u64 value) {
        // Both halves of each lane are equal, so that 32-bit and 64-bit instructions read the same
        // number.
        const u64 twice = (value & 0xffffffff) << 32 | (value & 0xffffffff);
        warp.lanes<u64>(slot(place, kUniformFile))[l] = twice;
    }
    alignas(64) u8 own_[kPlaces * kPlaceBytes];
    alignas(64) u8 uniform_[kPlaces * kPlaceBytes];
};

int sources_of(const LaneInstruction& instruction) {
    int count = 0;
    for (const Width width : instruction.source_widths) count += width != Width::none;
    return count;
}

u32 bytes_of_lane(Width width) {
    return width == Width::w64 ? 8 : 4;
}

/// At least one variant of every opcode, and a variant for each type of an opcode with special
/// handlers.
const std::vector<std::pair<std::string, Modifiers>> kVariants = {
    {"add", {"s32"}},
    {"add", {"u64"}},
    {"add", {"s16"}},
    {"add", {"cc", "u32"}},
    {"add", {"f32"}},
    {"add", {"f64"}},
    {"add", {"rn", "f16x2"}},
    {"add", {"sat", "s32"}},
    {"add", {"u16x2"}},
    {"sub", {"s32"}},
    {"sub", {"u64"}},
    {"sub", {"f32"}},
    {"sub", {"cc", "u64"}},
    {"mul", {"lo", "s32"}},
    {"mul", {"wide", "u32"}},
    {"mul", {"wide", "s16"}},
    {"mul", {"hi", "u64"}},
    {"mul", {"f32"}},
    {"mad", {"lo", "s32"}},
    {"mad", {"lo", "u64"}},
    {"mad", {"wide", "s32"}},
    {"fma", {"rn", "f32"}},
    {"fma", {"rn", "f64"}},
    {"mul24", {"lo", "u32"}},
    {"mad24", {"hi", "sat", "s32"}},
    {"addc", {"u32"}},
    {"addc", {"cc", "u64"}},
    {"subc", {"u32"}},
    {"madc", {"hi", "cc", "u32"}},
    {"sad", {"u32"}},
    {"div", {"s32"}},
    {"div", {"rn", "f32"}},
    {"div", {"approx", "ftz", "f32"}},
    {"rem", {"u64"}},
    {"abs", {"s32"}},
    {"abs", {"f64"}},
    {"neg", {"s16"}},
    {"neg", {"f32"}},
    {"min", {"s32"}},
    {"min", {"NaN", "f32"}},
    {"max", {"u64"}},
    {"max", {"relu", "s16x2"}},
    {"dp4a", {"u32", "s32"}},
    {"dp2a", {"lo", "s32", "s32"}},
    {"vabsdiff4", {"u32", "u32", "u32"}},
    {"vabsdiff2", {"u32", "s32", "u32", "add"}},
    {"vmin2", {"u32", "s32", "u32"}},
    {"vmin4", {"s32", "s32", "s32"}},
    {"vmax2", {"s32", "u32", "s32"}},
    {"vmax4", {"u32", "u32", "u32"}},
    {"copysign", {"f32"}},
    {"rcp", {"rn", "f64"}},
    {"sqrt", {"rn", "f32"}},
    {"rsqrt", {"approx", "f32"}},
    {"sin", {"approx", "f32"}},
    {"cos", {"approx", "f32"}},
    {"lg2", {"approx", "f32"}},
    {"ex2", {"approx", "ftz", "f32"}},
    {"tanh", {"approx", "f32"}},
    {"setp", {"lt", "s32"}},
    {"setp", {"ge", "u64"}},
    {"setp", {"neu", "f32"}},
    {"setp", {"eq", "and", "s32"}},
    {"set", {"lt", "u32", "f32"}},
    {"selp", {"b32"}},
    {"selp", {"f64"}},
    {"slct", {"u32", "s32"}},
    {"testp", {"finite", "f32"}},
    {"and", {"b32"}},
    {"and", {"b64"}},
    {"and", {"pred"}},
    {"or", {"b32"}},
    {"or", {"pred"}},
    {"xor", {"b16"}},
    {"xor", {"pred"}},
    {"not", {"b64"}},
    {"not", {"pred"}},
    {"cnot", {"b32"}},
    {"lop3", {"b32"}},
    {"shl", {"b32"}},
    {"shl", {"b64"}},
    {"shr", {"u32"}},
    {"shr", {"s64"}},
    {"shf", {"l", "wrap", "b32"}},
    {"popc", {"b64"}},
    {"clz", {"b32"}},
    {"brev", {"b64"}},
    {"bfind", {"shiftamt", "s64"}},
    {"fns", {"b32"}},
    {"bfe", {"s64"}},
    {"bfi", {"b32"}},
    {"bfi", {"b64"}},
    {"szext", {"clamp", "s32"}},
    {"bmsk", {"wrap", "b32"}},
    {"prmt", {"b32"}},
    {"prmt", {"b32", "rc16"}},
    {"cvt", {"s64", "s32"}},
    {"cvt", {"rn", "f32", "s32"}},
    {"cvt", {"rzi", "s32", "f32"}},
    {"cvt", {"f64", "f32"}},
};

std::string name_of(const std::pair<std::string, Modifiers>& variant) {
    std::string name = variant.first;
    for (const std::string& modifier : variant.second) name += "." + modifier;
    return name;
}

}  // namespace

TEST_CASE("this test covers every opcode in the list") {
    std::set<std::string_view> tried;
    for (const auto& variant : kVariants) {
        CAPTURE(name_of(variant));
        const OpcodeEntry* entry = find_opcode(variant.first);
        REQUIRE(entry != nullptr);
        CHECK(entry->group == OpcodeGroup::lanes);
        CHECK(find_lane_instruction(variant.first, variant.second) != nullptr);
        tried.insert(entry->name);
    }
    for (const OpcodeEntry& entry : opcodes()) {
        if (entry.group == OpcodeGroup::lanes) CHECK_MESSAGE(tried.count(entry.name), entry.name);
    }
}

TEST_CASE("a lookup of an opcode that does not exist finds nothing") {
    for (const auto& [opcode, modifiers] :
         std::vector<std::pair<std::string, Modifiers>>{{"frobnicate", {"s32"}},
                                                        {"add", {"pred"}},
                                                        {"add", {"s32", "s32"}},
                                                        {"add", {}},
                                                        {"add", {"sat", "u32"}},
                                                        {"neg", {"u32"}},
                                                        {"mul", {"wide", "s64"}},
                                                        {"and", {"s32"}},
                                                        {"shl", {"s32"}},
                                                        {"popc", {"b16"}},
                                                        {"bfe", {"s16"}},
                                                        {"setp", {"nan", "s32"}},
                                                        {"setp", {"s32"}},
                                                        {"addc", {"f32"}},
                                                        {"bra", {}},
                                                        {"ld", {"global", "u32"}}}) {
        CAPTURE(name_of({opcode, modifiers}));
        CHECK(find_lane_instruction(opcode, modifiers) == nullptr);
    }
}

TEST_CASE("a variant always yields the same instruction") {
    CHECK(find_lane_instruction("add", {"s32"}) == find_lane_instruction("add", {"s32"}));
    CHECK(find_lane_instruction("add", {"s32"}) != find_lane_instruction("add", {"s64"}));
}

TEST_CASE("a result is written to the active lanes, and nothing else is changed") {
    for (const auto& variant : kVariants) {
        CAPTURE(name_of(variant));
        const LaneInstruction& instruction = found(variant.first, variant.second);
        Bench whole;
        const std::vector<u8> before = whole.bytes();
        whole.run(instruction);
        const std::vector<u8> all = whole.bytes();
        for (const Mask active : {0x00000001u, 0x80000000u, 0x55aa00ffu, 0u}) {
            Bench part;
            part.warp.active = active;
            part.run(instruction);
            const std::vector<u8> some = part.bytes();
            // A predicate has one bit per lane, in the first four bytes of its slot.
            const auto expected = [&](std::size_t i) -> u8 {
                const std::size_t place = i / (8 * kLanes), byte = i % (8 * kLanes);
                const Width width = place == 0   ? instruction.destination_width
                                    : place == 1 ? instruction.second_width
                                                 : Width::none;
                if (width == Width::none) return before[i];
                if (width == Width::predicate) {
                    const u8 mask = byte < 4 ? static_cast<u8>(active >> (8 * byte)) : u8{0};
                    return static_cast<u8>((all[i] & mask) | (before[i] & ~mask));
                }
                const std::size_t l = byte / bytes_of_lane(width);
                return l < kLanes && (active >> l & 1) ? all[i] : before[i];
            };
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < some.size(); ++i) wrong += some[i] != expected(i);
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("the destination may share a slot with a source") {
    for (const auto& variant : kVariants) {
        const LaneInstruction& instruction = found(variant.first, variant.second);
        for (int source = 0; source < sources_of(instruction); ++source) {
            if (instruction.source_widths[source] != instruction.destination_width) continue;
            CAPTURE(name_of(variant));
            CAPTURE(source);
            Bench apart, same;
            apart.run(instruction);
            same.op[0].d = Bench::slot(2 + source);
            same.run(instruction);
            if (instruction.destination_width == Width::predicate) {
                CHECK(same.lane<u32>(2 + source, 0) == apart.lane<u32>(0, 0));
            } else if (instruction.destination_width == Width::w64) {
                CHECK(same.lanes<u64>(2 + source) == apart.lanes<u64>(0));
            } else {
                CHECK(same.lanes<u32>(2 + source) == apart.lanes<u32>(0));
            }
        }
    }
}

TEST_CASE("special handlers give the same results as the general handler") {
    int make_instruction_with_forms = 0;
    for (const auto& variant : kVariants) {
        const LaneInstruction& instruction = found(variant.first, variant.second);
        if (!instruction.form_handlers) continue;
        ++make_instruction_with_forms;
        const unsigned combinations = 1u << sources_of(instruction);
        for (unsigned uniform = 0; uniform < combinations; ++uniform) {
            CAPTURE(name_of(variant));
            CAPTURE(uniform);
            for (const Mask active : {kAllLanes, Mask{0x0ff01248}}) {
                Bench general, special;
                for (Bench* bench : {&general, &special}) {
                    Op& op = bench->op[0];
                    if (uniform & 1) op.a = Bench::slot(2, kUniformFile);
                    if (uniform & 2) op.b = Bench::slot(3, kUniformFile);
                    if (uniform & 4) op.c = Bench::slot(4, kUniformFile);
                    bench->warp.active = active;
                }
                general.run(instruction);
                special.run(instruction, instruction.form_handlers[uniform]);
                CHECK(general.bytes() == special.bytes());
            }
        }
    }
    CHECK(make_instruction_with_forms > 10);
}

TEST_CASE("sums, products, comparisons and carries are correct for known numbers") {
    Bench bench;
    u32* a = bench.warp.lanes<u32>(Bench::slot(2));
    u32* b = bench.warp.lanes<u32>(Bench::slot(3));
    for (u32 l = 0; l < kLanes; ++l) a[l] = l, b[l] = 0xfffffff0;
    bench.run(found("add", {"cc", "u32"}));
    CHECK(bench.lane<u32>(0, 3) == 0xfffffff3);
    CHECK(bench.lane<u32>(0, 16) == 0);
    CHECK(bench.lane<u32>(1, 0) == 0xffff0000);  // the sum carries in lanes 16 to 31
    bench.run(found("sub", {"s32"}));
    CHECK(bench.lane<u32>(0, 3) == 19);
    bench.run(found("mul", {"wide", "s32"}));
    CHECK(bench.lane<u64>(0, 3) == static_cast<u64>(-48));
    bench.run(found("setp", {"gt", "u32"}));
    CHECK(bench.lane<u32>(0, 0) == 0);
    CHECK(bench.lane<u32>(1, 0) == kAllLanes);
    bench.run(found("setp", {"gt", "s32"}));
    CHECK(bench.lane<u32>(0, 0) == kAllLanes);
}
