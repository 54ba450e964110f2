// ld.shared and st.shared: the table of shared_access.h's shapes.
#include "execute/shared_access.h"

namespace coalesce::sim {

Handler shared_handler(const MemoryAccessKind& kind) {
    return handler_of_shape(kind.bytes, kind.count, [&]<class Shape>() {
        if (kind.plain)
            return kind.store ? access_in_plain_mode<Shape, true>
                              : access_in_plain_mode<Shape, false>;
        return kind.store ? access_shared<Shape, true> : access_shared<Shape, false>;
    });
}

}  // namespace coalesce::sim
