#include "simulator/execute/shared_ledger.h"

#include <algorithm>
#include <cstring>

namespace coalesce::simulator {
namespace {

/// The maximum number of steps, and of distinct lists of 32 addresses, that a worker stores for a
/// block. A step takes 28 bytes, and a list 128 bytes. A tiled 1024 x 1024 matrix product with
/// blocks of 32 x 32 takes 67 thousand steps.
constexpr u32 kMaxSteps = 1 << 20, kMaxAddresses = 1 << 17;
/// The number of blocks that may differ from the clean block. After that, all blocks of the kernel
/// are checked in full.
constexpr u32 kMaxStoppedComparisons = 8;

}  // namespace

void SharedLedger::begin_launch(u32 warps, bool allowed, std::shared_ptr<const Steps> clean) {
    allowed_ = allowed;
    stopped_comparisons_ = 0;
    blocks_compared_ = 0;
    clean_ = std::move(clean);
    // Another worker may still be using the steps that were recorded here in an earlier launch.
    if (!recorded_ || recorded_.use_count() > 1) recorded_ = std::make_shared<Steps>();
    recorded_->of_warp.assign(warps + 1, {});  // the last row is for the whole block
    cursors_.assign(warps + 1, {});
}

void SharedLedger::begin_block() {
    if (!allowed_) {
        mode_ = Mode::off;
    } else if (!clean_) {
        mode_ = Mode::recording;
        for (auto& steps : recorded_->of_warp) steps.clear();
        recorded_->addresses.clear();
        address_index_.clear();
        recorded_->undefined.clear();
        recorded_->order.clear();
    } else {
        mode_ = Mode::comparing;
        ++blocks_compared_;
        for (std::size_t w = 0; w < cursors_.size(); ++w) {
            const std::vector<Step>& steps = clean_->of_warp[w];
            cursors_[w] = {steps.data(), steps.data() + steps.size()};
        }
    }
}

void SharedLedger::end_block(bool clean, bool by_values) {
    if (mode_ == Mode::recording) {
        address_index_.clear();
        // Do not compare other blocks with a block without steps, because most of them would differ
        // from it.
        if (clean && !by_values && !recorded_->order.empty()) clean_ = recorded_;
        stopped_comparisons_ += by_values;
    }
    if (stopped_comparisons_ > kMaxStoppedComparisons &&
        stopped_comparisons_ > blocks_compared_ / 2)
        allowed_ = false;
}

void SharedLedger::record(u32 warp, const Step& step, const u32* addresses, const u32* undefined) {
    Steps& to = *recorded_;
    if (to.order.size() == kMaxSteps || to.addresses.size() >= u64{kMaxAddresses} * kLanes) {
        mode_ = Mode::off;
        allowed_ = false;
        return;
    }
    Step& added = to.of_warp[warp].emplace_back(step);
    if (step.is_access()) added.addresses = intern_addresses(addresses, step.active);
    if (undefined) {
        added.undefined = static_cast<u32>(to.undefined.size() / kLanes) + 1;
        to.undefined.insert(to.undefined.end(), undefined, undefined + kLanes);
    }
    to.order.push_back(warp);
}

/// Stores a list of 32 addresses if it is not stored yet, and returns its index. The addresses of
/// inactive lanes count as 0.
u32 SharedLedger::intern_addresses(const u32* addresses, Mask active) {
    std::vector<u32>& all = recorded_->addresses;
    u32 row[kLanes];
    u64 hash = 0;
    for (u32 l = 0; l < kLanes; ++l) {
        row[l] = active >> l & 1 ? addresses[l] : 0;
        hash = (hash ^ row[l]) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 32;
    }
    const auto [begin, end] = address_index_.equal_range(hash);
    for (auto kept = begin; kept != end; ++kept)
        if (std::equal(row, row + kLanes, all.begin() + kept->second * kLanes)) return kept->second;
    const auto index = static_cast<u32>(all.size() / kLanes);
    all.insert(all.end(), row, row + kLanes);
    address_index_.emplace(hash, index);
    return index;
}

void SharedLedger::stop_comparing(const std::function<void(u32, const Step&, const u32*)>& replay) {
    ++stopped_comparisons_;
    mode_ = Mode::off;
    std::vector<const Step*> at;
    for (const std::vector<Step>& steps : clean_->of_warp) at.push_back(steps.data());
    for (u32 warp : clean_->order) {
        const Step* step = at[warp]++;
        if (step < cursors_[warp].next) replay(warp, *step, addresses(*step));
    }
}

bool SharedLedger::same_addresses(const Step& step, const u32* addresses) const {
    const u32* recorded = this->addresses(step);
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

}  // namespace coalesce::simulator
