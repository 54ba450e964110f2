// An operation on vectors is one on each pair of elements.
#pragma once

#include "translator/emitter.h"

namespace coalesce::translator {

inline const Type& element_of(const Type& type) {
    return type.is(Type::Kind::vector) ? *type.element() : type;
}

/// Calls make(part) for each element; an i128's halves are parts of their own: give it `step` 2.
template <class Make>
void for_each_element(const Type& type, Make make) {
    const std::size_t step = registers_in(element_of(type));
    const std::size_t count = type.is(Type::Kind::vector) ? type.count : 1;
    for (std::size_t k = 0; k < count; ++k) make(k * step);
}

}  // namespace coalesce::translator
