/// \file
/// The engine behind everything that says what is wrong: rules in the order in which they are asked.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>

namespace coalesce {

/// Asks the rules in their order and returns the first result that is not empty. Each rule takes `seen` and returns an
/// optional.
template <class Rule, class... Seen>
auto first_found(std::initializer_list<Rule> rules, const Seen&... seen) {
    std::invoke_result_t<Rule, const Seen&...> found;
    for (const Rule rule : rules) {
        if ((found = std::invoke(rule, seen...))) break;
    }
    return found;
}

}  // namespace coalesce
