// Lists the fields of a signature once, for both reading and writing with codec.h.
#pragma once

#include "base/codec.h"
#include "examiner/signature.h"

namespace coalesce {

/// Lists only those fields of a parameter that affect compilation.
template <class Codec>
void describe(Codec& codec, Parameter& parameter) {
    std::string type = parameter.type.name;
    fields(codec, "type", type, "name", parameter.name, "is_array", parameter.is_array, "is_const",
           parameter.is_const);
    if constexpr (Codec::kIsReading) {
        parameter.type = find_element_type(type).value_or(ElementType{});
    }
}

void describe(auto& codec, Signature& signature) {
    fields(codec, "kernel", signature.kernel, "parameters", signature.parameters, "sizes",
           signature.sizes);
}

}  // namespace coalesce
