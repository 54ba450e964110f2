// Host buffers into which a test writes what a kernel would write.
#pragma once

#include <cstring>
#include <functional>
#include <optional>
#include <vector>

#include "harness/verify.h"

namespace coalesce::tests {

inline constexpr std::size_t guard = 512;

/// Host buffers and a fake kernel, which is a function that returns the source in the input for
/// each cell of the output.
class HostRun {
public:
    explicit HostRun(const Problem& problem)
        : problem_(problem),
          in_(problem.bytes() + 2 * guard),
          out_(problem.out_bytes() + 2 * guard),
          in_span_(span_in(in_, problem.bytes())),
          out_span_(span_in(out_, problem.out_bytes())) {
        prepare_in(problem_, in_span_);
        prepare_out(out_span_);
    }

    using Source = std::function<std::optional<Cell>(Cell out)>;

    void run(const Source& source) {
        for (std::int64_t i = 0; i < problem_.elements(); ++i) {
            if (const auto cell = source(problem_.out_cell(i))) store(i, problem_.index(*cell));
        }
    }
    void run_right() {
        run([&](Cell out) { return problem_.source_of(out); });
    }
    /// Copies in[from] to out[to], unless one of the indices lies beyond the guard bands. A read
    /// outside the input returns bytes of its guard bands.
    void move(std::int64_t from, std::int64_t to) {
        const std::int64_t margin = static_cast<std::int64_t>(guard / problem_.element_size);
        const auto is_there = [&](std::int64_t index) {
            return index >= -margin && index < problem_.elements() + margin;
        };
        if (is_there(from) && is_there(to)) store(to, from);
    }
    void store(std::int64_t to, std::int64_t from) {
        std::memcpy(out(to), in(from), problem_.element_size);
    }
    unsigned char* in(std::int64_t index) { return element(in_span_, index); }
    unsigned char* out(std::int64_t index) { return element(out_span_, index); }
    Comparison check() { return coalesce::check(problem_, in_span_, out_span_); }

private:
    static GuardedSpan span_in(std::vector<char>& buffer, std::size_t bytes) {
        return {buffer.data() + guard, bytes, guard, Memory::host};
    }
    unsigned char* element(const GuardedSpan& span, std::int64_t index) {
        return reinterpret_cast<unsigned char*>(
            span.data + index * static_cast<std::int64_t>(problem_.element_size));
    }

    Problem problem_;
    std::vector<char> in_, out_;
    GuardedSpan in_span_, out_span_;
};

}  // namespace coalesce::tests
