// Finds reads of registers in PTX text that are not preceded by a write on every path.
//
// Builds on  the simulator's parser and control-flow analysis. It does not use the code under test,
//            which tracks what each register contains.
// Rules      After a write under a guard, reads under the same guard are defined. If a write under
//            the opposite guard follows before the guard changes, all reads are defined. A line
//            that ends in `// late` is trusted: its sources are written before it is executed.
#pragma once

#include <string>

namespace coalesce::campaign {

/// Returns a message about the first read that may come before a write, such as "%r5 is read at
/// line 12 ...". Returns "" if there is no such read, and the parser's message if `ptx` cannot be
/// parsed.
std::string find_undefined_read(const std::string& ptx);

}  // namespace coalesce::campaign
