/// \file
/// One size: all kernels verified, then timed in turns, so that whatever drifts drifts for all.
#pragma once

#include <string>
#include <vector>

#include "harness/options.h"
#include "harness/stopwatch.h"
#include "harness/verify.h"
#include "lab/proof/step_modules.h"

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
    int element_size = 4;    ///< in bytes
    std::string array = "";  ///< the axes that it permutes; empty: it is given a matrix
    /// Of a copy of as many bytes in its rounds; 0: `memcpy` is one of the variants there.
    double copy_gbps = 0;

    /// Whether it ran and was right.
    bool is_verified() const { return skipped.empty() && wrong.empty(); }
    /// Whether it has a time.
    bool is_timed() const { return is_verified() && !ms.empty(); }
    /// The median of all launches, and how far it may be off.
    Timing timing() const { return summarise(ms); }
    /// 10^9 bytes per second, from the median.
    double gbps() const { return bytes / timing().ms / 1e6; }
};

/// A variant that takes part, and which of the entries is its.
struct Seat {
    const Variant* variant;
    std::size_t entry;
};

/// The variants at one size, sorted by the memory that they need.
struct Field {
    std::vector<Entry> entries;  ///< in the order of the course
    /// On the device: those that can work on the same buffers, the floats' first.
    std::vector<std::vector<Seat>> heats;
    std::vector<Seat> with_host;  ///< host code and transfers, which have buffers of their own
};
Field field_of(const std::vector<StepVariants>& steps, Shape shape);

/// Verifies and times host code and transfers. Few launches: they take long.
void run_host_variants(Field& field, Shape shape, Stopwatch* stopwatch);

/// One heat: kernels in this process that work on the same buffers in turns.
class Contest {
public:
    /// Allocates and fills the buffers. Results go to `entries`.
    Contest(const std::vector<Seat>& seats, Shape shape, std::vector<Entry>& entries);

    /// Bytes of device memory that these seats' buffers take.
    static std::size_t bytes_needed(const std::vector<Seat>& seats, Shape shape);

    /// Launches each variant once and compares every bit of its output, on the device; with
    /// `by_host_too` also by the harness's verifier.
    void verify(bool by_host_too);
    /// Each variant has its turn, and so has a copy: a launch that is not timed, then `launches`
    /// that are. Another variant begins each round.
    void play_round(Stopwatch& stopwatch, int round, int launches);
    /// The verifier's full check of one more launch: guard bands and input are as they were.
    void check_at_the_end();

private:
    void prove_that_checks_see();
    void verify_on_device(const Seat& seat, bool by_host_too);
    void begin_with(const Problem& problem);
    bool is_right_on_device() const;
    void launch(const Seat& seat);
    void copy();

    const std::vector<Seat>& seats_;
    Shape shape_;
    std::vector<Entry>& entries_;
    VerifiedBuffers buffers_;
    DeviceBuffer before_;  ///< what a matrix held that is turned in place
    std::uint64_t input_sum_ = 0;
    bool is_copied_by_a_variant_ = false;
    std::vector<double> copy_ms_;
};

}  // namespace coalesce::proof
