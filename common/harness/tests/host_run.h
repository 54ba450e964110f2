// Buffers on the host, in which tests put what a kernel would leave.
#pragma once

#include <cstring>
#include <functional>
#include <optional>
#include <vector>

#include "harness/verify.h"

namespace coalesce::tests {

inline constexpr std::size_t guard = 512;

/// Buffers on the host, and a "kernel" that says for each cell of the output which cell of the
/// input to take.
class HostRun {
public:
    explicit HostRun(const Problem& problem)
        : problem_(problem),
          in_(problem.bytes() + 2 * guard),
          out_(problem.bytes() + 2 * guard),
          in_span_{in_.data() + guard, problem.bytes(), guard},
          out_span_{out_.data() + guard, problem.bytes(), guard} {
        prepare_in(problem_, in_span_, transport_);
        prepare_out(out_span_, transport_);
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
    /// in[from] -> out[to] for one element, where both are there; what is read outside of the input
    /// is what its guard bands hold.
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
    unsigned char* in(std::int64_t index) { return element(in_, index); }
    unsigned char* out(std::int64_t index) { return element(out_, index); }
    Comparison check() {
        return coalesce::check(problem_, in_span_, transport_, out_span_, transport_);
    }

private:
    unsigned char* element(std::vector<unsigned char>& buffer, std::int64_t index) {
        return buffer.data() + guard + index * static_cast<std::int64_t>(problem_.element_size);
    }

    Problem problem_;
    std::vector<unsigned char> in_, out_;
    GuardedSpan in_span_, out_span_;
    Transport transport_{Memory::host};
};

}  // namespace coalesce::tests
