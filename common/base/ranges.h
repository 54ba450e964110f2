/// \file
/// Standard algorithms that take a whole container, like those of std::ranges. The standard library
/// used for the web pages lacks std::ranges.
#pragma once

#include <algorithm>

namespace coalesce {

template <class Container, class Predicate>
bool any_of(const Container& container, Predicate predicate) {
    return std::any_of(container.begin(), container.end(), predicate);
}

template <class Container, class Predicate>
bool all_of(const Container& container, Predicate predicate) {
    return std::all_of(container.begin(), container.end(), predicate);
}

template <class Container, class Predicate>
bool none_of(const Container& container, Predicate predicate) {
    return std::none_of(container.begin(), container.end(), predicate);
}

}  // namespace coalesce
