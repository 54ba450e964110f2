/// \file
/// Selects items by the name given in an option.
#pragma once

#include <string>
#include <vector>

#include "base/errors.h"
#include "base/text.h"

namespace coalesce {

/// Returns the items of `items` with this name, or all items if the name is empty. If no item has
/// the name, throws a UsageError that names the option and lists all names.
template <class Named>
std::vector<const Named*> select_by_name(const std::vector<Named>& items, const std::string& option,
                                         const std::string& kind, const std::string& name) {
    std::vector<const Named*> selected_items;
    for (const Named& item : items) {
        if (name.empty() || item.name == name) selected_items.push_back(&item);
    }
    if (selected_items.empty()) {
        throw UsageError(option + " " + name + ": unknown " + kind + "; choose one of " +
                         joined(items, ", ", &Named::name));
    }
    return selected_items;
}

}  // namespace coalesce
