/// \file Standard algorithms that take a whole container. std::ranges has the same algorithms, but
/// the standard library used for the web pages lacks them.
#pragma once

#include <algorithm>

namespace coalesce {

template <class Container, class Is>
bool any_of(const Container& container, Is is) {
    return std::any_of(container.begin(), container.end(), is);
}

template <class Container, class Is>
bool all_of(const Container& container, Is is) {
    return std::all_of(container.begin(), container.end(), is);
}

template <class Container, class Is>
bool none_of(const Container& container, Is is) {
    return std::none_of(container.begin(), container.end(), is);
}

}  // namespace coalesce
