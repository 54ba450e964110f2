/// \file
/// What became of one variant, and the ways to show it: a table, JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/counters.h"
#include "harness/device.h"
#include "harness/harness.h"
#include "harness/options.h"
#include "harness/predicted.h"
#include "harness/timing.h"

namespace coalesce {

/// What became of a variant.
enum class Outcome {
    verified,  ///< right wherever it was tried
    wrong,     ///< not right somewhere, or it could not be launched
    skipped,   ///< not run, for a reason that is no mistake of its own
};

/// One variant's row in the table and in the JSON.
struct Result {
    const Variant* variant = nullptr;     ///< which
    Shape shape;                          ///< that was timed or counted; else the last one verified
    Outcome outcome = Outcome::verified;  ///< what became of it
    std::string reason;                   ///< why it was skipped, or what is wrong, in a few lines
    int shapes_verified = 0;              ///< shapes on which it was right
    std::int64_t elements = 0;            ///< moved when it was measured; 0: rows x cols
    std::string array;                    ///< of a permutation: what was measured
    std::optional<Counters> counters;     ///< on the simulator, when it launched a kernel
    std::optional<Timing> timing;         ///< on a real GPU
    std::optional<Predicted> predicted;   ///< on the simulator, when it was asked for
    std::string not_predicted = {};       ///< why there is none although it was

    /// What has come of it, where, and why.
    void end(Outcome what, Shape at, const std::string& why) {
        outcome = what;
        shape = at;
        reason = why;
    }
    /// Bytes read and written a second, in 10^9; 0 without a time.
    double gbps() const;
};

/// The table, row by row, as the results come.
class Table {
public:
    /// `is_measured`: with columns for counters or times, besides the comparison; `is_predicted`: with
    /// predicted times beside the counters.
    Table(const Device& device, bool is_measured, const std::vector<const Variant*>& variants,
          bool is_predicted = false);

    /// The head: what the columns are.
    std::string head() const;
    /// The row of a result. `copy_gbps` is the rate of the device's own copy, measured in this run; 0: it
    /// was not.
    std::string row(const Result& result, double copy_gbps) const;

private:
    std::string columns_of(const Result& result, double copy_gbps) const;

    const Device& device_;
    bool is_measured_, is_predicted_;
    int name_width_;
};

/// What stands under a table with predicted times: what they are, and why some are missing.
std::string notes_on_predictions(const std::vector<Result>& results);

/// The results of the program `step` as JSON, a result a line.
std::string to_json(const Device& device, const std::string& step,
                    const std::vector<Result>& results, double copy_gbps);

}  // namespace coalesce
