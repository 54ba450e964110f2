#include "harness/verify.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <thread>

#include "harness/diagnosis.h"
#include "harness/errors.h"
#include "harness/look.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// Returns the float whose bits are `actual_bits`.
double to_float(Bits actual_bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(actual_bits.low));
}

constexpr std::size_t kChunkBytes = std::size_t{64} << 20;

/// Returns the number of threads to use for `count` elements. Each thread needs enough work to be
/// worth starting.
int thread_count(std::int64_t count) {
    constexpr std::int64_t min_elements_per_thread = 1 << 16;
    const std::int64_t processor_count = std::max(1u, std::thread::hardware_concurrency());
    return static_cast<int>(
        std::clamp<std::int64_t>(count / min_elements_per_thread, 1, processor_count));
}

/// Splits the indices below `count` into equal shares, and calls `work(share, begin, end)` for each
/// share in a separate thread. `work` must not throw.
template <class Work>
void run_in_parallel(int threads, std::int64_t count, Work work) {
    std::vector<std::jthread> worker_threads;
    for (int share = 1; share < threads; ++share) {
        worker_threads.emplace_back(work, share, count * share / threads,
                                    count * (share + 1) / threads);
    }
    work(0, std::int64_t{0}, count / threads);
}

/// Whether the visitor reads or writes the matrix.
enum class Access { read, write };

/// Calls `visit(elements, first, count)` for each chunk of a matrix. Visits host memory directly,
/// and device memory through a copy of one chunk on the host.
template <class Visit>
void for_each_chunk(const Problem& problem, const GuardedSpan& matrix, Access access, Visit visit) {
    const bool is_copied = matrix.where == Memory::device;
    DeviceBuffer host_copy;
    // Use page-locked memory, because copies between it and the device are faster.
    if (is_copied) host_copy = DeviceBuffer(std::min(matrix.bytes, kChunkBytes), Memory::host);
    for (std::size_t offset = 0; offset < matrix.bytes; offset += kChunkBytes) {
        const std::size_t bytes = std::min(kChunkBytes, matrix.bytes - offset);
        char* const matrix_chunk = matrix.data + offset;
        char* const host_chunk = is_copied ? static_cast<char*>(host_copy.data()) : matrix_chunk;
        if (is_copied && access == Access::read) {
            CUDA_CHECK(cudaMemcpy(host_chunk, matrix_chunk, bytes, cudaMemcpyDeviceToHost));
        }
        visit(host_chunk, static_cast<std::int64_t>(offset / problem.element_size),
              static_cast<std::int64_t>(bytes / problem.element_size));
        if (is_copied && access == Access::write) {
            CUDA_CHECK(cudaMemcpy(matrix_chunk, host_chunk, bytes, cudaMemcpyHostToDevice));
        }
    }
}

void fill(const GuardedSpan& span, char* begin, unsigned char byte, std::size_t bytes) {
    if (span.where == Memory::host) {
        std::memset(begin, byte, bytes);
    } else if (bytes > 0) {
        CUDA_CHECK(cudaMemset(begin, byte, bytes));
    }
}

void fill_guards(const GuardedSpan& span) {
    fill(span, span.data - span.guard_bytes, kGuardByte, span.guard_bytes);
    fill(span, span.data + span.bytes, kGuardByte, span.guard_bytes);
}

/// Returns the bytes of a guard band, starting with the byte closest to the matrix.
std::vector<unsigned char> read_guard_band(const GuardedSpan& span, bool is_after) {
    const char* const begin = is_after ? span.data + span.bytes : span.data - span.guard_bytes;
    std::vector<unsigned char> band(span.guard_bytes);
    if (span.where == Memory::host) {
        std::memcpy(band.data(), begin, band.size());
    } else if (!band.empty()) {
        CUDA_CHECK(cudaMemcpy(band.data(), begin, band.size(), cudaMemcpyDeviceToHost));
    }
    if (!is_after) std::reverse(band.begin(), band.end());
    return band;
}

std::optional<Finding> find_guard_band_write(const GuardedSpan& span, bool is_after,
                                             const std::string& matrix, std::size_t element_size) {
    const std::vector<unsigned char> band = read_guard_band(span, is_after);
    const auto is_written = [](unsigned char byte) { return byte != kGuardByte; };
    const auto nearest_changed = std::find_if(band.begin(), band.end(), is_written);
    if (nearest_changed == band.end()) return std::nullopt;
    const auto farthest_changed = std::find_if(band.rbegin(), band.rend(), is_written).base() - 1;
    const auto count_elements_to = [&](auto byte) {
        return static_cast<std::size_t>(byte - band.begin()) / element_size + 1;
    };
    std::string distance = format_count(count_elements_to(nearest_changed), "element");
    if (count_elements_to(farthest_changed) > count_elements_to(nearest_changed)) {
        distance += " to " + std::to_string(count_elements_to(farthest_changed));
    }
    return Finding{is_after ? Fault::written_after : Fault::written_before,
                   std::string("memory ") + (is_after ? "after the last" : "before the first") +
                       " element of " + matrix + " was written, " + distance +
                       " away: the bounds check is missing or wrong"};
}

/// Returns the values of a problem's input.
Pattern make_pattern(const Problem& problem) {
    const bool has_numbers = problem.has_numbers || problem.is_computed();
    return Pattern(problem.element_size, problem.seed,
                   has_numbers ? InputValues::numbers : InputValues::unique_bits);
}

/// Returns the input of a task with a computed output: the numbers that `Computation::row` reads.
std::vector<float> make_numbers(const Problem& problem) {
    const Pattern pattern = make_pattern(problem);
    std::vector<float> numbers(static_cast<std::size_t>(problem.elements()));
    run_in_parallel(thread_count(problem.elements()), problem.elements(),
                    [&](int, std::int64_t begin, std::int64_t end) {
                        pattern.fill(numbers.data() + begin, static_cast<std::uint64_t>(begin),
                                     static_cast<std::size_t>(end - begin));
                    });
    return numbers;
}

/// Compares cells of the output with their expected values.
class Comparer {
public:
    explicit Comparer(const Problem& problem) : problem_(problem), pattern_(make_pattern(problem)) {
        if (problem.is_computed()) input_numbers_ = make_numbers(problem);
    }

    /// Calls `visit(cell, state, held)` for the elements from `begin` to `end` of a chunk. The
    /// chunk starts with element `first_index` of the output.
    template <class Visit>
    void compare_chunk(const void* chunk, std::int64_t first_index, std::int64_t begin,
                       std::int64_t end, Visit visit) const {
        Cell out = problem_.out_cell(first_index + begin);
        std::vector<double> row;
        for (std::int64_t i = begin; i < end; ++i) {
            const Bits actual_bits = pattern_.load(chunk, static_cast<std::size_t>(i));
            if (problem_.is_computed()) {
                if (row.empty() || out.col == 0) row = computed_row(out.row);
                visit(out, compare_computed(row[static_cast<std::size_t>(out.col)], actual_bits),
                      actual_bits);
            } else {
                visit(out, compare_moved(out, first_index + i, actual_bits), actual_bits);
            }
            if (++out.col == problem_.out_cols()) out = {out.row + 1, 0};
        }
    }

    /// Returns the value that the cell had before the launch.
    Bits value_before(std::int64_t index) const {
        return problem_.is_in_place() ? pattern_.value_at(static_cast<std::uint64_t>(index))
                                      : pattern_.poison();
    }

    /// Returns the value that a cell of a computed output should have.
    double computed_value(Cell out) const {
        return computed_row(out.row)[static_cast<std::size_t>(out.col)];
    }

private:
    /// Returns a row of a computed output, or zeros if the problem has no function that computes
    /// rows.
    std::vector<double> computed_row(std::int64_t out_row) const {
        std::vector<double> row(static_cast<std::size_t>(problem_.out_cols()));
        if (const RowFunction row_function = problem_.produces.computation.row) {
            row_function(input_numbers_.data(), static_cast<int>(problem_.rows),
                         static_cast<int>(problem_.cols), static_cast<int>(out_row), row.data());
        }
        return row;
    }

    CellState compare_computed(double expected_value, Bits actual_bits) const {
        const Computation& computation = problem_.produces.computation;
        const bool is_poison = actual_bits == pattern_.poison();
        if (!computation.row) return is_poison ? CellState::right : CellState::wrong;
        if (is_poison) return CellState::untouched;
        const double error = std::abs(to_float(actual_bits) - expected_value);
        // For a NaN the comparison is false, so the element counts as wrong.
        const bool is_close = error <= computation.tolerance * std::abs(expected_value);
        return is_close ? CellState::right : CellState::wrong;
    }

    CellState compare_moved(Cell out, std::int64_t index, Bits actual_bits) const {
        const std::optional<Cell> source = problem_.source_of(out);
        if (!source) return actual_bits == pattern_.poison() ? CellState::right : CellState::wrong;
        const Bits expected_bits =
            pattern_.value_at(static_cast<std::uint64_t>(problem_.index(*source)));
        if (actual_bits == expected_bits) return CellState::right;
        if (actual_bits == value_before(index)) return CellState::untouched;
        if (!problem_.keeps_nan_payloads && is_nan(expected_bits, problem_.element_size) &&
            is_nan(actual_bits, problem_.element_size)) {
            return CellState::right;
        }
        return CellState::wrong;
    }

    const Problem& problem_;
    Pattern pattern_;
    std::vector<float> input_numbers_;  ///< the input, if the output is computed
};

/// Calls `visit(comparer, share, cell, state, held)` for every cell of the output, on several
/// threads. Each thread records its findings in its own share. Returns the merged shares.
template <class MakeShare, class Visit>
auto observe_cells(const Problem& problem, const GuardedSpan& out, MakeShare make_share,
                   Visit visit) {
    const Comparer comparer(problem);
    const int threads = thread_count(problem.elements());
    std::vector<decltype(make_share())> shares;
    for (int i = 0; i < threads; ++i) shares.push_back(make_share());
    for_each_chunk(problem, out, Access::read,
                   [&](const void* chunk, auto first_index, auto elements) {
                       run_in_parallel(
                           threads, elements, [&](int share, std::int64_t begin, std::int64_t end) {
                               auto& own_result = shares[static_cast<std::size_t>(share)];
                               comparer.compare_chunk(
                                   chunk, first_index, begin, end,
                                   [&](Cell cell, CellState state, Bits actual_bits) {
                                       visit(comparer, own_result, cell, state, actual_bits);
                                   });
                           });
                   });
    for (std::size_t i = 1; i < shares.size(); ++i) shares[0].merge(shares[i]);
    return std::move(shares[0]);
}

/// Makes the first pass over the output, which counts the cells, draws the map of the cells, and
/// finds the first bad cell.
Comparison count_cells(const Problem& problem, const GuardedSpan& out) {
    const auto count_cell = [&](const Comparer& comparer, Comparison& own_result, Cell cell,
                                CellState state, Bits actual_bits) {
        const std::int64_t index = cell.row * problem.out_cols() + cell.col;
        own_result.note(cell, state, actual_bits == comparer.value_before(index));
    };
    return observe_cells(
        problem, out, [&] { return Comparison(problem); }, count_cell);
}

/// Makes the second pass over the output, which looks for a mistake that explains the bad cells.
Finding diagnose(const GuardedSpan& out, const Comparison& comparison) {
    const auto record_bad_cell = [](const Comparer&, Diagnosis& own_result, Cell cell,
                                    CellState state, Bits actual_bits) {
        if (state == CellState::right) return;
        own_result.record_cell(cell, actual_bits, state == CellState::untouched);
    };
    return observe_cells(
               comparison.problem, out, [&] { return Diagnosis(comparison); }, record_bad_cell)
        .conclude();
}

/// Reads one float of a matrix.
Bits read_element(const GuardedSpan& matrix, std::int64_t index) {
    Bits actual_bits;
    const char* const address = matrix.data + index * static_cast<std::int64_t>(sizeof(float));
    if (matrix.where == Memory::host) {
        std::memcpy(&actual_bits.low, address, sizeof(float));
    } else {
        CUDA_CHECK(cudaMemcpy(&actual_bits.low, address, sizeof(float), cudaMemcpyDeviceToHost));
    }
    return actual_bits;
}

/// Describes the first bad cell of a computed output.
Finding describe_computed(const GuardedSpan& out, const Comparison& comparison) {
    const Problem& problem = comparison.problem;
    const Cell bad_cell = *comparison.first_bad;
    const std::string name = out_name(problem, bad_cell);
    const Computation& computation = problem.produces.computation;
    if (!computation.row) {
        return {Fault::value_not_of_input,
                name + " was written, but the kernel must not write any element"};
    }
    if (comparison.wrong == 0) {
        const bool is_nothing_written = comparison.right == 0;
        return {
            is_nothing_written ? Fault::nothing_written : Fault::never_written,
            name + " was never written" + (is_nothing_written ? ", nor was any other cell" : "")};
    }
    const Comparer comparer(problem);
    const Bits actual_bits = read_element(out, bad_cell.row * problem.out_cols() + bad_cell.col);
    const std::string state_text = actual_bits == comparer.value_before(0)
                                       ? " was never written"
                                       : format(" is %.9g", to_float(actual_bits));
    return {Fault::value_not_of_input,
            name + state_text +
                format(", but should be %.9g; the relative error may be at most %g",
                       comparer.computed_value(bad_cell), computation.tolerance)};
}

/// Returns the first cell of the input that the kernel has changed, or nothing if it has changed
/// none.
std::optional<Cell> find_changed_input(const Problem& problem, const GuardedSpan& in) {
    const Problem unchanged_input{.rows = problem.in_rows(),
                                  .cols = problem.cols,
                                  .produces = {Produces::copy},
                                  .element_size = problem.element_size,
                                  .seed = problem.seed,
                                  .has_numbers = problem.has_numbers || problem.is_computed()};
    return count_cells(unchanged_input, in).first_bad;
}

}  // namespace

void prepare_in(const Problem& problem, const GuardedSpan& in) {
    const Pattern pattern = make_pattern(problem);
    fill_guards(in);
    for_each_chunk(problem, in, Access::write, [&](char* chunk, auto first_index, auto elements) {
        run_in_parallel(
            thread_count(elements), elements, [&](int, std::int64_t begin, std::int64_t end) {
                pattern.fill(chunk + static_cast<std::size_t>(begin) * problem.element_size,
                             static_cast<std::uint64_t>(first_index + begin),
                             static_cast<std::size_t>(end - begin));
            });
    });
}

void prepare_out(const GuardedSpan& out) {
    fill_guards(out);
    fill(out, out.data, kPoisonByte, out.bytes);
}

Comparison check(const Problem& problem, const GuardedSpan& in, const GuardedSpan& out) {
    Comparison comparison = count_cells(problem, out);
    const bool has_input = !problem.is_in_place();
    const auto changed_cell = has_input ? find_changed_input(problem, in) : std::nullopt;
    comparison.input_is_changed = changed_cell.has_value();
    if (comparison.wrong + comparison.untouched > 0) {
        comparison.findings.push_back(problem.is_computed() ? describe_computed(out, comparison)
                                                            : diagnose(out, comparison));
    }
    if (changed_cell) {
        comparison.findings.push_back(
            {Fault::input_changed,
             in_name(problem, *changed_cell) + " was changed: a kernel must only read its input"});
    }
    const auto check_guards = [&](const GuardedSpan& span, const char* name) {
        for (const bool is_after : {false, true}) {
            const auto write_finding =
                find_guard_band_write(span, is_after, name, problem.element_size);
            if (write_finding) comparison.findings.push_back(*write_finding);
        }
    };
    check_guards(out, has_input ? "out" : "data");
    if (has_input) check_guards(in, "in");
    return comparison;
}

void Comparison::note(Cell out, CellState state, bool is_as_before) {
    switch (state) {
        case CellState::right: ++right; break;
        case CellState::wrong: ++wrong; break;
        case CellState::untouched: ++untouched; break;
    }
    if (state != CellState::right) {
        map.note(out, state);
        if (!first_bad) first_bad = out;
    }
    if (!is_as_before) {
        written_rows = std::max(written_rows, out.row + 1);
        written_cols = std::max(written_cols, out.col + 1);
    }
}

void Comparison::merge(const Comparison& other) {
    right += other.right;
    wrong += other.wrong;
    untouched += other.untouched;
    map.merge(other.map);
    if (other.first_bad && (!first_bad || *other.first_bad < *first_bad))
        first_bad = other.first_bad;
    written_rows = std::max(written_rows, other.written_rows);
    written_cols = std::max(written_cols, other.written_cols);
}

std::string Comparison::text() const {
    std::string text;
    for (const Finding& finding : findings) text += wrap(finding.text());
    if (wrong + untouched > 0) {
        text += wrap(format_count(right, "cell") + " right, " + std::to_string(wrong) + " wrong, " +
                     std::to_string(untouched) +
                     (problem.is_in_place() ? " unchanged." : " never written."));
        // A picture of a single column, such as the sums of the rows, would only be a long list.
        if (!problem.is_computed() || map.has_pattern()) text += map.text();
    }
    return text;
}

VerifiedBuffers::VerifiedBuffers(const Problem& problem, std::size_t guard_bytes, Memory in,
                                 Memory out)
    : problem_(problem),
      in_(problem.bytes() + 2 * guard_bytes, in),
      out_(problem.is_in_place() ? 0 : problem.out_bytes() + 2 * guard_bytes, out) {
    const auto make_span = [&](const DeviceBuffer& buffer, std::size_t bytes,
                               Memory location) -> GuardedSpan {
        return {static_cast<char*>(buffer.data()) + guard_bytes, bytes, guard_bytes, location};
    };
    in_span_ = make_span(in_, problem.bytes(), in);
    out_span_ = problem.is_in_place() ? in_span_ : make_span(out_, problem.out_bytes(), out);
}

void VerifiedBuffers::prepare() {
    if (!problem_.is_in_place()) prepare_in(problem_, in_span_);
    poison();
}

void VerifiedBuffers::poison() {
    if (problem_.is_in_place()) return prepare_in(problem_, in_span_);
    prepare_out(out_span_);
}

Comparison VerifiedBuffers::check() {
    CUDA_CHECK(cudaDeviceSynchronize());
    return coalesce::check(problem_, in_span_, out_span_);
}

}  // namespace coalesce
