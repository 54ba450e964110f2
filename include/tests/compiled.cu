#include "tests/compiled.h"

namespace coalesce {
COALESCE_COMPILED()
}  // namespace coalesce
