// Another program, run with its output caught and its time limited.
#pragma once

#include <string>
#include <vector>

namespace coalesce {

/// What became of it.
struct ChildResult {
    int status = -1;              ///< exit code; 128 + signal; 127: it could not be started
    bool is_out_of_time = false;  ///< it was ended
    std::string output;           ///< stdout and stderr together, the first megabyte
};

/// Runs `command` in `folder` with nothing on its standard input.
ChildResult run_child(const std::vector<std::string>& command, const std::string& folder,
                      int seconds);

}  // namespace coalesce
