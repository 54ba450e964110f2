/// \file
/// On what a benchmark ran: what a reader needs in order to repeat it.
#pragma once

#include <future>
#include <string>

#include "lab/proof/json_text.h"

namespace coalesce::proof {

/// What nvidia-smi says of the first GPU: name, driver, clocks, power, temperature, as an object;
/// empty when it says nothing. Takes some tenths of a second.
Json ask_nvidia_smi();

/// The same beside what goes on: the clocks of a GPU at work, not of one that waits.
inline std::future<Json> ask_nvidia_smi_meanwhile() {
    return std::async(std::launch::async, ask_nvidia_smi);
}

/// What every run is recorded with, and `more` after it: "date", in UTC; "commit", of the source, as given or as
/// git says, with "-changed" when files differ from it; "toolkit", what this program was built with.
Json run_record(const std::string& commit, const Json& more);

}  // namespace coalesce::proof
