/// \file
/// One size: all kernels verified, then timed in turns, so that whatever drifts drifts for all.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/timing.h"
#include "harness/verify.h"
#include "proof/bench/plan.h"
#include "proof/step_modules.h"

namespace coalesce::proof {

/// What became of one variant at one size.
struct Entry {
    std::string step;             ///< "02_naive", "rivals"
    std::string variant;          ///< its name
    std::string skipped;          ///< why it was not run; empty: it was
    std::string wrong;            ///< what is wrong with its output; empty: nothing
    std::vector<double> ms = {};  ///< of every launch that was timed
    /// Bytes that it reads and writes; what a bandwidth is made of.
    double bytes = 0;

    /// Whether it ran and was right.
    bool is_verified() const { return skipped.empty() && wrong.empty(); }
    /// Whether it has a time.
    bool is_timed() const { return is_verified() && !ms.empty(); }
    /// The median of all launches, and how far it may be off.
    Timing timing() const { return summarise(ms); }
    /// 10^9 bytes per second, from the median.
    double gbps() const { return bytes / timing().ms / 1e6; }
};

/// The kernels of the course at one size, in this process.
class Contest {
public:
    /// Allocates and fills the buffers.
    Contest(const std::vector<StepVariants>& steps, Shape shape);

    /// Launches each device variant once and compares every bit of its output, on the device; with
    /// `by_host_too` also by the harness's verifier.
    void verify(bool by_host_too);
    /// Verifies and times host code and transfers, which have buffers of their own. Few launches:
    /// they take long.
    void run_host_variants(Stopwatch* stopwatch);
    /// Each variant has its turn: a launch that is not timed, then `launches` that are. Another one
    /// begins each round.
    void play_round(Stopwatch& stopwatch, int round, int launches);
    /// The verifier's full check of one more launch: guard bands and input are as they were.
    void check_at_the_end();

    /// In the order of the course.
    const std::vector<Entry>& entries() const { return entries_; }

private:
    struct Seat {
        const Variant* variant;
        std::size_t entry;
    };
    void prove_that_checks_see();
    void verify_on_device(const Seat& seat, bool by_host_too);
    void launch(const Variant& variant);

    Problem problem_;
    VerifiedBuffers buffers_;
    std::vector<Entry> entries_;
    std::vector<Seat> on_device_, with_host_;
    std::uint64_t input_sum_ = 0;
};

}  // namespace coalesce::proof
