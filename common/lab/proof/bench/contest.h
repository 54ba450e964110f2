/// \file
/// Benchmarks one size. First verifies all kernels, and then times them in turn, so that a change
/// in the GPU's speed affects all kernels alike.
#pragma once

#include <string>
#include <vector>

#include "harness/options.h"
#include "harness/stopwatch.h"
#include "harness/verify.h"
#include "lab/proof/step_modules.h"

namespace coalesce::proof {

/// The result of one variant at one size.
struct VariantResult {
    std::string step_name;  ///< such as "02_naive" or "rivals"
    std::string variant;
    std::string reason_for_skipping;  ///< why the variant was not run; empty if it was
    std::string output_error;         ///< what is wrong with the output; empty if it is correct
    std::vector<double> ms = {};      ///< time of every timed launch
    /// The bytes that the variant reads and writes. Its bandwidth is computed from this number.
    double bytes = 0;
    int element_size = 4;  ///< bytes per element
    std::string permuted_axes =
        "";  ///< axes that the variant permutes; empty if it works on a matrix
    /// The bandwidth in GB/s of a copy of the same number of bytes. If it is 0, the variant called
    /// `memcpy` serves as the reference.
    double copy_gbps = 0;

    /// Reports whether the variant ran and its output was correct.
    bool is_verified() const { return reason_for_skipping.empty() && output_error.empty(); }
    /// Reports whether the variant was timed.
    bool is_timed() const { return is_verified() && !ms.empty(); }
    /// Returns the median time of all launches and its uncertainty.
    Timing timing() const { return summarize_timings(ms); }
    /// Returns the bandwidth in 10^9 bytes per second, computed from the median time.
    double gbps() const { return bytes / timing().ms / 1e6; }
};

/// A variant to benchmark, and the index of its entry in VariantsToTime::entries.
struct VariantToTime {
    const Variant* variant;
    std::size_t entry_index;
};

/// The variants at one size, grouped by the buffers that they need.
struct VariantsToTime {
    std::vector<VariantResult> entries;  ///< all variants, in the order of the course
    /// Variants that run on the device. The variants of a group can share buffers. Groups of float
    /// variants come first.
    std::vector<std::vector<VariantToTime>> buffer_groups;
    /// Variants that need their own buffers: host code, transfers, and kernels that compute new
    /// values.
    std::vector<VariantToTime> separate_variants;
};
VariantsToTime group_variants(const std::vector<StepVariants>& steps, Shape shape);

/// Verifies and times the variants that cannot share buffers. Launches each of them only a few
/// times, because most of them are slow.
void run_separate_variants(VariantsToTime& grouped_variants, Shape shape, Stopwatch* stopwatch);

/// A benchmark of kernels that run in this process, share buffers, and are timed in turn.
class SharedBufferBenchmark {
public:
    /// Allocates and fills the buffers. Results go to `entries`.
    SharedBufferBenchmark(const std::vector<VariantToTime>& variants_to_time, Shape shape,
                          std::vector<VariantResult>& entries);

    /// Returns how many bytes of device memory the buffers for `variants_to_time` need.
    static std::size_t bytes_of_buffers(const std::vector<VariantToTime>& variants_to_time,
                                        Shape shape);

    /// Launches each variant once, and checks every bit of its output on the device. If
    /// `checks_on_host_too` is true, the harness's verifier also checks the output on the host.
    void verify(bool checks_on_host_too);
    /// Times each variant and a copy. Each of them has one untimed launch, and then
    /// `timed_launches` timed ones. Each round starts with a different variant.
    void time_round(Stopwatch& stopwatch, int round_index, int timed_launches);
    /// Launches each variant once more and runs the verifier's full check, which includes the guard
    /// bands and the input.
    void check_one_final_output();

private:
    void verify_that_checks_detect_errors();
    void verify_on_device(const VariantToTime& variant_to_time, bool checks_on_host_too);
    void prepare_output(const Problem& problem);
    bool is_output_right() const;
    void launch(const VariantToTime& variant_to_time);
    void copy_or_restore();

    const std::vector<VariantToTime>& variants_to_time_;
    Shape shape_;
    std::vector<VariantResult>& entries_;
    VerifiedBuffers buffers_;
    DeviceBuffer original_matrix_;  ///< original contents of a matrix transposed in place
    std::uint64_t input_checksum_ = 0;
    bool is_copied_by_a_variant_ = false;
    std::vector<double> copy_ms_;
};

}  // namespace coalesce::proof
