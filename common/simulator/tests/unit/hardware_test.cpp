// Tests that lane-wise instructions give the same bits as on an H200 (or an H100 for vabsdiff2 and
// vabsdiff4), in 1449 variants with 8192 samples each. tests/hardware/probe.cu measured the digests
// of the expected results.
#include <doctest/doctest.h>

#include <sstream>

#include "simulator/instructions/lanes.h"
#include "simulator/tests/hardware/inputs.h"

using namespace coalesce::simulator;
using namespace coalesce::hardware;

namespace {

constexpr int bits_b = 8, bits_h = 16, bits_r = 32, bits_l = 64;

/// The kind of result that an instruction writes.
enum class Shape { value, predicate, predicate_pair };

struct Measured {
    std::string text;  ///< opcode, modifiers and immediate, such as "lop3.b32 0xca"
    Shape shape;
    int result_bits;
    int widths[4];  ///< widths of the source operands in bits
    u64 digest;
};

const Measured kMeasured[] = {
#define UNARY(D, A, NAME, DIGEST) {NAME, Shape::value, bits_##D, {bits_##A}, DIGEST},
#define BINARY(D, A, B, NAME, DIGEST) {NAME, Shape::value, bits_##D, {bits_##A, bits_##B}, DIGEST},
#define TERNARY(D, A, B, C, NAME, DIGEST) \
    {NAME, Shape::value, bits_##D, {bits_##A, bits_##B, bits_##C}, DIGEST},
#define INSERT(A, NAME, DIGEST) \
    {NAME, Shape::value, bits_##A, {bits_##A, bits_##A, 32, 32}, DIGEST},
#define LOP3(TABLE, DIGEST) {"lop3.b32 " #TABLE, Shape::value, 32, {32, 32, 32}, DIGEST},
#define SELECT(A, NAME, DIGEST) {NAME, Shape::value, bits_##A, {bits_##A, bits_##A, 32}, DIGEST},
#define TESTP(A, NAME, DIGEST) {NAME, Shape::predicate, 1, {bits_##A}, DIGEST},
#define SETP(A, NAME, DIGEST) {NAME, Shape::predicate_pair, 1, {bits_##A, bits_##A, 32}, DIGEST},
#define SETPC(A, NAME, DIGEST) {NAME, Shape::predicate_pair, 1, {bits_##A, bits_##A, 32}, DIGEST},
#define SETP1(A, NAME, DIGEST) {NAME, Shape::predicate, 1, {bits_##A, bits_##A, 32}, DIGEST},
#define SETPC1(A, NAME, DIGEST) {NAME, Shape::predicate, 1, {bits_##A, bits_##A, 32}, DIGEST},
#include "simulator/tests/hardware/instructions.inc"
};

/// The opcode, the modifiers and the immediate of an instruction such as "lop3.b32 0xca".
struct Parts {
    std::string opcode;
    std::vector<std::string> modifiers;
    i64 immediate = 0;
};
Parts parts_of(const std::string& text) {
    Parts parts;
    std::istringstream words(text);
    std::string name, part;
    words >> name >> std::hex >> parts.immediate;
    std::istringstream pieces(name);
    std::getline(pieces, parts.opcode, '.');
    while (std::getline(pieces, part, '.')) parts.modifiers.push_back(part);
    return parts;
}

u64 low_bits(u64 value, int bits) {
    return bits == 64 ? value : value & ((u64{1} << bits) - 1);
}

/// A warp whose register file has six slots of 32 lanes: d, d2, a, b, c and v[0].
class MeasuredBench {
public:
    MeasuredBench() {
        warp_.register_files[kOwnFile] = warp_.register_files[kUniformFile] = file_;
        warp_.active = kAllLanes;
        op_[0].d = slot(0), op_[0].d2 = slot(1);
        op_[0].a = slot(2), op_[0].b = slot(3), op_[0].c = slot(4), op_[0].v[0] = slot(5);
        op_[1].run = [](Warp&, const Op* op) {
            return op;
        };  // handlers that continue with the next Op end here
    }

    /// Runs the instruction on the samples `first` to `first` + 31.
    void run(const LaneInstruction& instruction, const Measured& m, i64 immediate, u32 first) {
        for (int k = 0; k < 4; ++k) {
            for (int l = 0; l < kLanes; ++l)
                set(k, instruction.source_widths[k], m.widths[k], first + l, l);
        }
        op_[0].immediate = instruction.has_immediate ? immediate : instruction.constant;
        instruction.run(warp_, op_);
    }

    u64 result(const LaneInstruction& instruction, const Measured& m, int l) const {
        if (m.shape == Shape::value) {
            const bool wide = instruction.destination_width == Width::w64;
            return low_bits(wide ? warp_.lanes<u64>(slot(0))[l] : warp_.lanes<u32>(slot(0))[l],
                            m.result_bits);
        }
        const u64 p = warp_.predicate(slot(0)) >> l & 1, q = warp_.predicate(slot(1)) >> l & 1;
        return m.shape == Shape::predicate ? p : p | q << 1;
    }

private:
    static constexpr u32 kPlaceBytes = kLanes * sizeof(u64);
    static Slot slot(u32 place) { return {place * kPlaceBytes, kOwnFile}; }

    void set(int source, Width width, int bits, u32 sample, int l) {
        if (width == Width::none) return;
        const Slot place = slot(2 + static_cast<u32>(source));
        const u64 value = low_bits(operand(bits, source, sample), bits);
        if (width == Width::w64) warp_.lanes<u64>(place)[l] = value;
        if (width == Width::w32) warp_.lanes<u32>(place)[l] = static_cast<u32>(value);
        if (width != Width::predicate) return;
        Mask& mask = warp_.predicate(place);
        mask = (mask & ~(1u << l)) | static_cast<Mask>(value & 1) << l;
    }

    alignas(64) u8 file_[6 * kPlaceBytes] = {};
    Warp warp_;
    Op op_[2];
};

/// Returns the instruction's results for all samples.
std::vector<u64> results_of(const LaneInstruction& instruction, const Measured& m, i64 immediate) {
    MeasuredBench bench;
    std::vector<u64> results;
    for (u32 first = 0; first < kSamples; first += kLanes) {
        bench.run(instruction, m, immediate, first);
        for (int l = 0; l < kLanes; ++l) results.push_back(bench.result(instruction, m, l));
    }
    return results;
}

}  // namespace

TEST_CASE("results equal those of an H200") {
    std::size_t measured = 0;
    for (const Measured& m : kMeasured) {
        CAPTURE(m.text);
        const Parts parts = parts_of(m.text);
        const LaneInstruction* instruction = find_lane_instruction(parts.opcode, parts.modifiers);
        CHECK(instruction != nullptr);
        if (instruction == nullptr) continue;
        const std::vector<u64> results = results_of(*instruction, m, parts.immediate);
        u64 sum = 0;
        for (u32 i = 0; i < kSamples; ++i) sum = digest(sum, i, results[i]);
        CHECK(sum == m.digest);
#ifdef RAW
        if (sum != m.digest) raw(m, measured, results);
#endif
        ++measured;
    }
    CHECK(measured > 1400);
}
