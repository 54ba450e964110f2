/// \file
/// The verifier: prepares the buffers of a kernel, and says afterwards whether every bit is right
/// and, if not, what kind of mistake it looks like.
///
/// It works on buffers that the caller provides, with elements of 1, 2, 4, 8 or 16 bytes:
///
///     Problem problem = {.rows = 1000, .cols = 777};
///     VerifiedBuffers buffers(problem);
///     buffers.prepare();
///     launch(buffers.out(), buffers.in(), 1000, 777);
///     Comparison comparison = buffers.check();
///     if (!comparison.is_right()) std::puts(comparison.text().c_str());
///
/// or, with memory of your own, `prepare_in`, `prepare_out` and `check`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cell_map.h"
#include "harness/device_buffer.h"
#include "harness/faults.h"
#include "harness/problem.h"

namespace coalesce {

/// Memory for a matrix, with a guard band of `guard_bytes` on each side (0: none).
struct GuardedSpan {
    char* data = nullptr;           ///< the first element; the guard band before it ends here
    std::size_t bytes = 0;          ///< of the elements
    std::size_t guard_bytes = 0;    ///< of each guard band
    Memory where = Memory::device;  ///< all of it
};

/// What a kernel left.
struct Comparison {
    /// Of which nothing has been looked at yet.
    explicit Comparison(const Problem& problem)
        : problem(problem), map(problem.out_rows(), problem.out_cols(), problem.is_in_place()) {}

    Problem problem;                ///< what it was to do
    std::uint64_t right = 0;        ///< cells that hold the right bits
    std::uint64_t wrong = 0;        ///< cells that hold others
    std::uint64_t untouched = 0;    ///< cells that should have been written and were not
    std::optional<Cell> first_bad;  ///< the first cell of the output that is not right
    std::int64_t written_rows = 0;  ///< rows of the output below which all that was written lies
    std::int64_t written_cols = 0;  ///< columns likewise
    bool input_is_changed = false;  ///< it was written to
    std::vector<Finding> findings;  ///< what is wrong; the first says most
    CellMap map;                    ///< the picture

    /// Whether every bit is right, the input unchanged, and nothing was written outside.
    bool is_right() const { return findings.empty(); }
    /// What kind of mistake it looks like.
    Fault fault() const { return findings.empty() ? Fault::none : findings.front().fault; }
    /// The findings, the counts and the picture, in lines of at most 80 columns.
    std::string text() const;

    /// Notes what was found in a cell, and whether it holds what it did before the launch.
    void note(Cell out, CellState state, bool is_as_before);
    /// Adds what was noted of other cells.
    void merge(const Comparison& other);
};

/// Writes the input and its guard bands.
void prepare_in(const Problem& problem, const GuardedSpan& in);
/// Poisons the output and writes its guard bands. To be done before every launch.
void prepare_out(const GuardedSpan& out);
/// Compares bit by bit, and looks for the mistake behind what is wrong.
Comparison check(const Problem& problem, const GuardedSpan& in, const GuardedSpan& out);

/// The buffers of a problem, allocated and guarded.
class VerifiedBuffers {
public:
    /// Guard bands that catch what a kernel is likely to write outside.
    static constexpr std::size_t kUsualGuard = std::size_t{256} << 10;

    /// Allocates. Without guard bands (0) the simulator's memcheck sees every access outside.
    explicit VerifiedBuffers(const Problem& problem, std::size_t guard_bytes = kUsualGuard,
                             Memory in = Memory::device, Memory out = Memory::device);

    /// Writes input, poison and guard bands.
    void prepare();
    /// Poisons the output again, for the next kernel; in place, writes the input again.
    void poison();
    /// From now on another kernel is checked, which does something else with the same input: its
    /// problem has as many elements of that size, and is in place or not, as before.
    void expect(const Problem& problem) { problem_ = problem; }
    /// What the kernel left. Waits for the device first.
    Comparison check();

    /// The output.
    float* out() const { return reinterpret_cast<float*>(out_span_.data); }
    /// The input.
    const float* in() const { return reinterpret_cast<const float*>(in_span_.data); }
    /// The problem that they are of.
    const Problem& problem() const { return problem_; }

    /// Bytes that such buffers take, of the device's memory and of the host's.
    static std::size_t bytes_needed(const Problem& problem, std::size_t guard_bytes = kUsualGuard) {
        return 2 * (problem.bytes() + 2 * guard_bytes);
    }

private:
    Problem problem_;
    DeviceBuffer in_, out_;
    GuardedSpan in_span_, out_span_;
};

}  // namespace coalesce
