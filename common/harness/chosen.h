/// \file
/// What an option chooses by its name.
#pragma once

#include <string>
#include <vector>

#include "base/errors.h"
#include "base/text.h"

namespace coalesce {

/// Those in `all` that have this name; all of them when it is empty. Throws UsageError when there are
/// none, with the names that there are. `option` is "--variant", say, and `kind` what it chooses.
template <class Named>
std::vector<const Named*> chosen(const std::vector<Named>& all, const std::string& option,
                                 const std::string& kind, const std::string& name) {
    std::vector<const Named*> chosen;
    for (const Named& one : all) {
        if (name.empty() || one.name == name) chosen.push_back(&one);
    }
    if (chosen.empty()) {
        throw UsageError(option + " " + name + ": there is no such " + kind + "; there are " +
                         joined(all, ", ", &Named::name));
    }
    return chosen;
}

}  // namespace coalesce
