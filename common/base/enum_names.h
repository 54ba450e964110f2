// Derives the names of an enumeration's values from their spelling in the code.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace coalesce {

/// Returns the name of an enumerator, such as "not_examined" for Outcome::not_examined.
template <auto value>
constexpr std::string_view enumerator_name() {
    // GCC's __PRETTY_FUNCTION__ ends with "[with auto value = coalesce::Fault::none; ...]", and
    // clang's ends with "[value = ...]".
    constexpr std::string_view function = __PRETTY_FUNCTION__;
    constexpr std::size_t end = function.find_first_of(";]", function.find("value = "));
    constexpr std::size_t begin = function.rfind("::", end) + 2;
    return function.substr(begin, end - begin);
}

/// Returns the name of a value, such as "not-examined" for Outcome::not_examined. The values must
/// be numbered consecutively from 0, and an overload `constexpr E last_of(E)` must return the last
/// value.
template <class E>
std::string dashed_name(E value) {
    constexpr auto names = []<std::size_t... i>(std::index_sequence<i...>) {
        return std::array{enumerator_name<static_cast<E>(i)>()...};
    }
    (std::make_index_sequence<static_cast<std::size_t>(last_of(E{})) + 1>());
    std::string name(names.at(static_cast<std::size_t>(value)));
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

}  // namespace coalesce
