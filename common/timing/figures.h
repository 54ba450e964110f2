// Numbers as people say them: two or three digits and a unit.
#pragma once

#include <string>

namespace coalesce::timing {

/// There is something to say: a number, and one that does not round to nothing.
bool is_count(double value);  ///< bytes, cycles, blocks: 1 or more
bool is_part(double part);    ///< of 1: half a percent or more

std::string percent_text(double part);  ///< "43 %"
std::string time_text(double ms);       ///< "4.6 ms", "12 us", "1.3 s"
/// On a multiprocessor, where KB are 1024 bytes: "128 bytes", "3.4 KB", "16 KB".
std::string bytes_text(double bytes);
/// Of memory, where GB are 10^9 bytes, as in GB/s: "8.6 GB".
std::string traffic_text(double bytes);
/// Of cycles, blocks: "14", "350", "2370", "12300".
std::string number_text(double count);
std::string times_text(double ratio);  ///< "1.9", "1.06", "24"

}  // namespace coalesce::timing
