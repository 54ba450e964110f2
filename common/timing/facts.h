// Predicates and phrases for sentences about a prediction.
#pragma once

#include <string>
#include <vector>

#include "timing/prediction.h"

namespace coalesce::timing {

/// The minimum length of a long run, in bytes. Memory takes more time per byte for shorter runs.
constexpr double kLongRunBytes = 1024;
/// The ratio of two numbers above which sentences mention their difference.
constexpr double kNotableRatio = 1.1;
/// Sentences mention a unit of the GPU if it is busy for at least this fraction of the time.
constexpr double kNotableUtilization = 0.7;

/// Reports whether the predicted time is at least 10 nanoseconds. Shorter times count as missing.
bool has_predicted_time(const Prediction& prediction);
/// Reports whether on average at least one byte of loads was in flight.
bool has_bytes_in_flight(const Prediction& prediction);
/// Reports whether too few bytes are in flight to keep memory busy (Little's law).
bool has_too_few_bytes_in_flight(const Prediction& prediction);
/// Reports whether waiting warps determine the time, because no unit of the GPU is busy all the
/// time.
bool is_latency_bound(const Prediction& prediction);
bool is_short_run(double run_bytes);

/// Describes the resident blocks of a multiprocessor, for example "2 blocks of 1024 threads".
std::string resident_blocks_text(const Prediction& prediction);
/// Returns a count with its noun, such as "1 block" or "2 blocks".
std::string count_text(int count, const std::string& singular);
/// Returns a list as words: "a", "a and b", "a, b and c".
std::string join_as_list(const std::vector<std::string>& items);
/// Capitalizes the first letter of a sentence.
std::string capitalize(std::string text);

}  // namespace coalesce::timing
