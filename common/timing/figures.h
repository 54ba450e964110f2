// Formats numbers for people, with two or three digits and a unit.
#pragma once

#include <string>

namespace coalesce::timing {

/// These functions report whether a number is finite and does not round to 0.
bool is_nonzero_count(double value);        ///< for bytes, cycles and blocks: at least 1
bool is_nonzero_fraction(double fraction);  ///< for a fraction: at least half a percent

std::string percent_text(double fraction);  ///< formats a fraction: "43 %"
std::string time_text(double ms);           ///< formats a time: "4.6 ms", "12 us", "1.3 s"
/// Formats an amount of data in a multiprocessor, where 1 KB is 1024 bytes: "128 bytes", "3.4 KB",
/// "16 KB".
std::string bytes_text(double bytes);
/// Formats an amount of memory traffic, where 1 GB is 10^9 bytes, as in GB/s: "8.6 GB".
std::string traffic_text(double bytes);
/// Formats a number of cycles or blocks: "14", "350", "2370", "12300".
std::string number_text(double count);
std::string ratio_text(double ratio);  ///< formats a ratio: "1.9", "1.06", "24"

}  // namespace coalesce::timing
