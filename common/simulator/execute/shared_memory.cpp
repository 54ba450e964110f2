// ld.shared and st.shared: the table of shared_access.h's shapes.
#include "execute/shared_access.h"

namespace coalesce::sim {

Handler shared_handler(const MemoryAccessKind& kind) {
    Handler handler = nullptr;
    with_shape(kind.bytes, kind.count, kind.sign_extend, [&]<class Shape>() {
        if (kind.plain && kind.narrow_address)
            handler = kind.store ? access_in_plain_mode<Shape, true, true>
                                 : access_in_plain_mode<Shape, false, true>;
        else if (kind.plain)
            handler = kind.store ? access_in_plain_mode<Shape, true, false>
                                 : access_in_plain_mode<Shape, false, false>;
        else if (kind.narrow_address)
            handler =
                kind.store ? access_shared<Shape, true, true> : access_shared<Shape, false, true>;
        else
            handler =
                kind.store ? access_shared<Shape, true, false> : access_shared<Shape, false, false>;
    });
    return handler;
}

}  // namespace coalesce::sim
