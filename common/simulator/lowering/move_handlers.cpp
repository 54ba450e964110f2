#include "simulator/lowering/move_handlers.h"

#include "simulator/execute/warp.h"

namespace coalesce::simulator {
namespace {

template <class Lane>
const Op* move(Warp& warp, const Op* op) {
    const Lane* a = warp.lanes<Lane>(op->a);
    warp.write<Lane>(op->d, [=](int l) { return a[l]; });
    return op + 1;
}

const Op* move_predicate(Warp& warp, const Op* op) {
    warp.write_predicate(op->d, warp.predicate(op->a));
    return op + 1;
}

const Op* not_predicate(Warp& warp, const Op* op) {
    warp.write_predicate(op->d, ~warp.predicate(op->a));
    return op + 1;
}

/// Extracts 32 bits of a, starting at bit b, which is 0 or 32.
const Op* extract_half_of_64(Warp& warp, const Op* op) {
    const u64* a = warp.lanes<u64>(op->a);
    const u32* first = warp.lanes<u32>(op->b);
    warp.write<u32>(op->d, [=](int l) { return static_cast<u32>(a[l] >> first[l]); });
    return op + 1;
}

const Op* join_pair_to_64(Warp& warp, const Op* op) {
    const u32 *low = warp.lanes<u32>(op->a), *high = warp.lanes<u32>(op->b);
    warp.write<u64>(op->d, [=](int l) { return static_cast<u64>(high[l]) << 32 | low[l]; });
    return op + 1;
}

}  // namespace

Handler find_move_handler(const std::string& name) {
    if (name == "mov.b32") return move<u32>;
    if (name == "mov.b64") return move<u64>;
    if (name == "mov.pred") return move_predicate;
    if (name == "not.pred") return not_predicate;
    if (name == "mov.piece.b64") return extract_half_of_64;
    if (name == "mov.pair.b64") return join_pair_to_64;
    return nullptr;
}

}  // namespace coalesce::simulator
