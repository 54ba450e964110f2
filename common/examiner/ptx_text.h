// Searches PTX whose comments and strings may contain arbitrary text.
#pragma once

#include <string>
#include <string_view>

namespace coalesce {

/// Returns the PTX with all comments removed and all strings emptied.
std::string ptx_code(std::string_view ptx);

/// Reports whether the code, as returned by ptx_code, calls the function.
bool calls_function(std::string_view code, std::string_view name);

}  // namespace coalesce
