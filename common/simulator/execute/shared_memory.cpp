// Instantiates the handlers of ld.shared and st.shared (shared_access.h) for each shape.
#include "simulator/execute/shared_access.h"

namespace coalesce::simulator {

Handler shared_handler(const MemoryAccessKind& kind) {
    if (kind.has_clusters)
        return choose_handler_by_shape(
            kind.bytes, kind.count, kind.is_store, [&]<class Shape, bool Store>() {
                return kind.is_own_block ? access_in_cluster<Shape, Store, true>
                                         : access_in_cluster<Shape, Store, false>;
            });
    return choose_handler_by_shape(
        kind.bytes, kind.count, kind.is_store, [&]<class Shape, bool Store>() {
            return kind.is_plain ? access_in_plain_mode<Shape, Store> : access_shared<Shape, Store>;
        });
}

}  // namespace coalesce::simulator
