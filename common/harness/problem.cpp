#include "harness/problem.h"

namespace coalesce {

bool is_nan(Bits bits, std::size_t element_size) {
    if (element_size == 4) return (bits.low & 0x7fffffff) > 0x7f800000;
    if (element_size == 8) return (bits.low & ~(std::uint64_t{1} << 63)) > 0x7ff0000000000000;
    return false;
}

}  // namespace coalesce
