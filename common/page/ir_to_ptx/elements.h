// Applies an operation to vectors element by element.
#pragma once

#include <string>

#include "page/ir_to_ptx/emitter.h"

namespace coalesce::translator {

/// Returns the element type of a vector. Returns any other type unchanged.
inline const Type& element_of(const Type& type) {
    return type.has_kind(Type::Kind::vector) ? *type.element() : type;
}
inline std::size_t element_count(const Type& type) {
    return type.has_kind(Type::Kind::vector) ? type.count : 1;
}

/// Returns the width, in bits, that an instruction's type suffix contains, such as "32" in
/// "add.f32".
inline std::string register_width(const Type& element) {
    return std::to_string(register_bits(element));
}

/// Calls make(part) for each element. `part` is the index of the element's first register. An
/// element of type i128 has two registers, one for each half.
template <class Make>
void for_each_element(const Type& type, Make make) {
    const std::size_t step = register_count(element_of(type));
    for (std::size_t k = 0; k < element_count(type); ++k) make(k * step);
}

}  // namespace coalesce::translator
