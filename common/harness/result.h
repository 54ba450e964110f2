/// \file
/// The result of one variant, and how it is shown in a table and as JSON.
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

/// The ways in which a variant can end.
enum class Outcome {
    verified,  ///< correct on all shapes
    wrong,     ///< the output was wrong on some shape, or the kernel could not be launched
    skipped,   ///< not run, for a reason unrelated to the variant
};

/// The result of one variant, which is a row of the table and an entry in the JSON.
struct Result {
    const Variant* variant = nullptr;  ///< the variant
    /// The shape that was timed, or for which costs were counted. If nothing was measured, the last
    /// shape that was verified.
    Shape shape;
    Outcome outcome = Outcome::verified;  ///< how the variant ended
    std::string reason;       ///< why the variant was skipped or is wrong, in a few lines
    int shapes_verified = 0;  ///< number of shapes with a correct result
    /// The minimum number of bytes that the measured kernel must read and write. If 0, the size of
    /// two matrices of rows x cols is used.
    std::size_t bytes = 0;
    std::string array;                   ///< the array that was permuted and measured
    std::optional<Counters> counters;    ///< counters of the simulator, if a kernel was launched
    std::optional<Timing> timing;        ///< times on a real GPU, if measured
    std::optional<Predicted> predicted;  ///< the simulator's prediction, if one was requested
    std::string not_predicted = {};      ///< why a requested prediction is missing

    /// Records the outcome, the shape and the reason.
    void end(Outcome new_outcome, Shape last_shape, const std::string& explanation) {
        outcome = new_outcome;
        shape = last_shape;
        reason = explanation;
    }
    /// Returns the speed in 10^9 bytes read and written per second, or 0 if no time was measured.
    double gbps() const;
};

/// The table of results. It returns the heading and one row at a time.
class Table {
public:
    /// Creates a table. If `is_measured` is true, it has columns for counters or times. If
    /// `is_predicted` is true, it also has predicted times next to the counters.
    Table(const Device& device, bool is_measured, const std::vector<const Variant*>& variants,
          bool is_predicted = false);

    /// Returns the heading, which contains the names of the columns.
    std::string head() const;
    /// Returns the row for a result. `copy_gbps` is the measured speed of cudaMemcpy on the device,
    /// or 0 if it was not measured.
    std::string row(const Result& result, double copy_gbps) const;

private:
    std::string format_columns(const Result& result, double copy_gbps) const;

    const Device& device_;
    bool is_measured_, is_predicted_;
    int name_width_;
};

/// Returns the notes below a table of predicted times. The notes explain the times, and say why
/// some are missing.
std::string notes_on_predictions(const std::vector<Result>& results);

/// Returns the results of the program `step` as JSON, one result per line.
std::string to_json(const Device& device, const std::string& step,
                    const std::vector<Result>& results, double copy_gbps);

}  // namespace coalesce
