#include "execute/shared_ledger.h"

#include <cstring>

namespace coalesce::sim {
namespace {

/// Beyond this the ledger costs more memory than it saves time.
constexpr u32 kMaxSteps = 16'384;
/// A kernel whose blocks differ this often is checked in full.
constexpr u32 kMaxGiveUps = 8;

}  // namespace

void SharedLedger::begin_launch(u32 warps, bool allowed) {
    allowed_ = allowed;
    recorded_ = false;
    give_ups_ = 0;
    blocks_compared_ = 0;
    steps_.assign(warps + 1, {});  // one more for the steps of the block as a whole
    cursors_.assign(warps + 1, {});
    addresses_.clear();
    undefined_.clear();
    order_.clear();
}

void SharedLedger::begin_block() {
    if (!allowed_) {
        mode_ = Mode::off;
    } else if (!recorded_) {
        mode_ = Mode::recording;
        for (auto& steps : steps_) steps.clear();
        addresses_.clear();
        undefined_.clear();
        order_.clear();
    } else {
        mode_ = Mode::comparing;
        ++blocks_compared_;
        for (std::size_t w = 0; w < steps_.size(); ++w)
            cursors_[w] = {steps_[w].data(), steps_[w].data() + steps_[w].size()};
    }
}

void SharedLedger::end_block(bool clean, bool by_values) {
    if (mode_ == Mode::recording) {
        recorded_ = clean && !by_values;
        give_ups_ += by_values;
    }
    if (give_ups_ > kMaxGiveUps && give_ups_ > blocks_compared_ / 2) allowed_ = false;
}

void SharedLedger::record(u32 warp, const Step& step, const u32* addresses, const u32* undefined) {
    if (order_.size() == kMaxSteps) {
        mode_ = Mode::off;
        allowed_ = false;
        return;
    }
    steps_[warp].push_back(step);
    if (step.is_access) {
        steps_[warp].back().addresses = static_cast<u32>(addresses_.size() / kLanes);
        addresses_.insert(addresses_.end(), addresses, addresses + kLanes);
    }
    if (undefined) {
        steps_[warp].back().undefined = static_cast<u32>(undefined_.size() / kLanes) + 1;
        undefined_.insert(undefined_.end(), undefined, undefined + kLanes);
    }
    order_.push_back(warp);
}

void SharedLedger::give_up(const std::function<void(u32, const Step&, const u32*)>& replay) {
    ++give_ups_;
    mode_ = Mode::off;
    std::vector<const Step*> at(steps_.size());
    for (std::size_t w = 0; w < steps_.size(); ++w) at[w] = steps_[w].data();
    for (u32 warp : order_) {
        const Step* step = at[warp]++;
        if (step < cursors_[warp].next)
            replay(warp, *step, addresses_.data() + u64{step->addresses} * kLanes);
    }
}

bool SharedLedger::same_addresses(const Step& step, const u32* addresses) const {
    const u32* recorded = addresses_.data() + u64{step.addresses} * kLanes;
    u32 differ = 0;
    for (int l = 0; l < kLanes; ++l) {
        const u32 active = step.active >> l & 1 ? kAllLanes : 0;
        differ |= (recorded[l] ^ addresses[l]) & active;
    }
    return differ == 0;
}

bool SharedLedger::same_undefined(const Step& step, const u32* stored) const {
    const u32* recorded = undefined(step);
    return recorded && stored && std::memcmp(recorded, stored, kLanes * sizeof(u32)) == 0;
}

}  // namespace coalesce::sim
