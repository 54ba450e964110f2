#include "transpose/compiled.h"

namespace coalesce {
COALESCE_COMPILED()
}  // namespace coalesce
