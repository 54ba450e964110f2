/// \file
/// Verifies kernels. The verifier prepares a kernel's buffers and afterwards checks every bit. If
/// any bit is wrong, the verifier determines the kind of mistake.
///
/// The verifier works on buffers that the caller provides, with elements of 1, 2, 4, 8 or 16 bytes:
///
///     Problem problem = {.rows = 1000, .cols = 777};
///     VerifiedBuffers buffers(problem);
///     buffers.prepare();
///     launch(buffers.out(), buffers.in(), 1000, 777);
///     Comparison comparison = buffers.check();
///     if (!comparison.is_right()) std::puts(comparison.text().c_str());
///
/// To verify a kernel that uses other buffers, call `prepare_in`, `prepare_out` and `check`.
/// Outputs that move values are compared bit for bit. The elements of a computed output may differ
/// from the values that `Computation::row` computes by at most `Computation::tolerance`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cell_map.h"
#include "harness/device_buffer.h"
#include "harness/faults.h"
#include "harness/problem.h"

namespace coalesce {

/// The memory of a matrix, with a guard band of `guard_bytes` on each side. If `guard_bytes` is 0,
/// there are no guard bands.
struct GuardedSpan {
    char* data = nullptr;           ///< the first element, which follows the first guard band
    std::size_t bytes = 0;          ///< the size of the matrix in bytes
    std::size_t guard_bytes = 0;    ///< the size of each guard band in bytes
    Memory where = Memory::device;  ///< location of the matrix and its guard bands
};

/// The result of comparing a kernel's output with the expected output.
struct Comparison {
    /// Creates an empty result, to which `note` adds cells.
    explicit Comparison(const Problem& problem)
        : problem(problem), map(problem.out_rows(), problem.out_cols(), problem.is_in_place()) {}

    Problem problem;          ///< the kernel's task
    std::uint64_t right = 0;  ///< number of cells with the expected value
    std::uint64_t wrong = 0;  ///< number of cells that were written with a wrong value
    /// The number of cells that should have been written but were not.
    std::uint64_t untouched = 0;
    std::optional<Cell> first_bad;  ///< the first wrong or unwritten cell of the output
    std::int64_t written_rows = 0;  ///< 1 + the last row with a written cell, or 0 if none
    std::int64_t written_cols = 0;  ///< 1 + the last column with a written cell, or 0
    bool input_is_changed = false;  ///< whether the kernel wrote to the input
    std::vector<Finding> findings;  ///< all mistakes, the most important one first
    CellMap map;                    ///< the picture of the output

    /// Reports whether every bit is correct, the input is unchanged, and nothing was written out of
    /// bounds.
    bool is_right() const { return findings.empty(); }
    /// Returns the most important fault.
    Fault fault() const { return findings.empty() ? Fault::none : findings.front().fault; }
    /// Returns a report of at most 80 columns: the findings, the numbers of right and wrong cells,
    /// and the map of the cells.
    std::string text() const;

    /// Records the state of a cell. `is_as_before` says whether the cell still has the value that
    /// it had before the launch.
    void note(Cell out, CellState state, bool is_as_before);
    /// Adds the cells that were recorded in another comparison.
    void merge(const Comparison& other);
};

/// Writes the input and its guard bands.
void prepare_in(const Problem& problem, const GuardedSpan& in);
/// Fills the output with poison, and writes its guard bands. Call this before every launch.
void prepare_out(const GuardedSpan& out);
/// Compares the output with the expected output, and determines the mistake that explains the wrong
/// and unwritten cells.
Comparison check(const Problem& problem, const GuardedSpan& in, const GuardedSpan& out);

/// The buffers of a problem, with guard bands.
class VerifiedBuffers {
public:
    /// The usual size of a guard band, in bytes. A guard band of this size catches most
    /// out-of-bounds writes.
    static constexpr std::size_t kDefaultGuardBytes = std::size_t{256} << 10;

    /// Allocates the buffers. With a guard size of 0 there are no guard bands, and the simulator's
    /// memcheck detects every out-of-bounds access.
    explicit VerifiedBuffers(const Problem& problem, std::size_t guard_bytes = kDefaultGuardBytes,
                             Memory in = Memory::device, Memory out = Memory::device);

    /// Writes the input, the poison and the guard bands.
    void prepare();
    /// Fills the output with poison again, for the next kernel. For an in-place task, also restores
    /// the input.
    void poison();
    /// Changes the task for the next kernel, which uses the same buffers. The new task must have
    /// the same number, size and kind of elements. Both tasks must be in place, or neither.
    void set_problem(const Problem& problem) { problem_ = problem; }
    /// Waits for the device and compares the output.
    Comparison check();

    /// Returns a pointer to the first element of the output.
    float* out() const { return reinterpret_cast<float*>(out_span_.data); }
    /// Returns a pointer to the first element of the input.
    const float* in() const { return reinterpret_cast<const float*>(in_span_.data); }
    /// Returns the task of these buffers.
    const Problem& problem() const { return problem_; }

    /// Returns the total size in bytes of both buffers and their guard bands.
    static std::size_t bytes_needed(const Problem& problem,
                                    std::size_t guard_bytes = kDefaultGuardBytes) {
        return problem.bytes() + problem.out_bytes() + 4 * guard_bytes;
    }

private:
    Problem problem_;
    DeviceBuffer in_, out_;
    GuardedSpan in_span_, out_span_;
};

}  // namespace coalesce
