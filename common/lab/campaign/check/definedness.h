// Does a PTX text read a register that was not written on every way to it?
//
// Builds on  the simulator's parser, and nothing else of it that decides what a register holds.
// Rules      A write under a guard counts under that guard: for reads with the same guard, and for
//            all when a write under the opposite guard follows before the guard changes. A line that
//            ends in `// late` is believed: what it reads is written when it is executed.
#pragma once

#include <string>

namespace coalesce::campaign {

/// Empty, or what is wrong with the first such read: "%r5 is read at line 12 ...". A text that cannot
/// be parsed is wrong, too.
std::string undefined_read(const std::string& ptx);

}  // namespace coalesce::campaign
