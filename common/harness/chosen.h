/// \file
/// Selects items by the name given in an option.
#pragma once

#include <string>
#include <vector>

#include "base/errors.h"
#include "base/text.h"

namespace coalesce {

/// Returns the items of `all` with this name, or all items if the name is empty. If no item has the
/// name, throws a UsageError that names the option and lists all names.
template <class Named>
std::vector<const Named*> select_by_name(const std::vector<Named>& all, const std::string& option,
                                         const std::string& kind, const std::string& name) {
    std::vector<const Named*> chosen;
    for (const Named& one : all) {
        if (name.empty() || one.name == name) chosen.push_back(&one);
    }
    if (chosen.empty()) {
        throw UsageError(option + " " + name + ": unknown " + kind + "; choose one of " +
                         joined(all, ", ", &Named::name));
    }
    return chosen;
}

}  // namespace coalesce
