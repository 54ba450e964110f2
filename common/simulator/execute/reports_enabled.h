// Whether a report belongs to a check that is switched on.
#pragma once

#include <string>

#include "base/options.h"

namespace coalesce::sim {

/// "execution" (asserts, the instruction budget, unknown instructions) cannot be switched off.
inline bool wants(const Checks& checks, const std::string& check) {
    if (check == "memcheck") return checks.memory;
    if (check == "racecheck") return checks.race;
    if (check == "globalrace") return checks.global_race;
    if (check == "initcheck") return checks.init;
    if (check == "synccheck") return checks.sync;
    if (check == "apicheck") return checks.api;
    return true;
}

}  // namespace coalesce::sim
