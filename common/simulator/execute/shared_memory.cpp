// ld.shared and st.shared: the table of shared_access.h's shapes.
#include "execute/shared_access.h"

namespace coalesce::sim {

Handler shared_handler(const MemoryAccessKind& kind) {
    Handler handler = nullptr;
    with_shape(kind.bytes, kind.count, [&]<class Shape>() {
        if (kind.plain)
            handler =
                kind.store ? access_in_plain_mode<Shape, true> : access_in_plain_mode<Shape, false>;
        else
            handler = kind.store ? access_shared<Shape, true> : access_shared<Shape, false>;
    });
    return handler;
}

}  // namespace coalesce::sim
