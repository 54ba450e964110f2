// An operation on vectors is one on each pair of elements.
#pragma once

#include <string>

#include "page/ir_to_ptx/emitter.h"

namespace coalesce::translator {

/// The type itself, or that of a vector's elements.
inline const Type& element_of(const Type& type) {
    return type.is(Type::Kind::vector) ? *type.element() : type;
}
inline std::size_t element_count(const Type& type) {
    return type.is(Type::Kind::vector) ? type.count : 1;
}

/// "32" in an instruction's type.
inline std::string register_width(const Type& element) {
    return std::to_string(register_bits(element));
}

/// Calls make(part) for each element; an i128's halves are parts of their own: give it `step` 2.
template <class Make>
void for_each_element(const Type& type, Make make) {
    const std::size_t step = registers_in(element_of(type));
    for (std::size_t k = 0; k < element_count(type); ++k) make(k * step);
}

}  // namespace coalesce::translator
