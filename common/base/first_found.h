/// \file
/// Defines first_found, which applies rules in order until one of them succeeds. The examiner uses
/// this function to find the cause of a failure.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>

namespace coalesce {

/// Calls the rules in order and returns the first result that is not empty, or an empty optional if
/// there is none. Each rule takes `arguments` and returns an optional.
template <class Rule, class... Arguments>
auto first_found(std::initializer_list<Rule> rules, const Arguments&... arguments) {
    std::invoke_result_t<Rule, const Arguments&...> found;
    for (const Rule rule : rules) {
        if ((found = std::invoke(rule, arguments...))) break;
    }
    return found;
}

}  // namespace coalesce
