#include "simulator/execute/shared_ledger.h"

#include <algorithm>
#include <cstring>

namespace coalesce::simulator {
namespace {

/// The maximum number of steps, and of distinct lists of 32 addresses, that a worker stores for a
/// block. A step takes 28 bytes, and a list 128 bytes. A tiled 1024 x 1024 matrix product with
/// blocks of 32 x 32 takes 67 thousand steps.
constexpr u32 kMaxSteps = 1 << 20, kMaxAddresses = 1 << 17;
/// The number of blocks that may always differ from the clean block. If more blocks differ, and
/// they are more than half of the compared blocks, all further blocks are checked completely.
constexpr u32 kMaxStoppedComparisons = 8;

}  // namespace

void SharedLedger::begin_launch(u32 warps, bool may_compare,
                                std::shared_ptr<const Steps> clean_steps) {
    may_compare_ = may_compare;
    stopped_comparisons_ = 0;
    blocks_compared_ = 0;
    clean_steps_ = std::move(clean_steps);
    // Another worker may still be using the steps that were recorded here in an earlier launch.
    if (!recorded_steps_ || recorded_steps_.use_count() > 1)
        recorded_steps_ = std::make_shared<Steps>();
    recorded_steps_->steps_by_warp.assign(warps + 1, {});  // the last row is for the whole block
    cursors_.assign(warps + 1, {});
}

void SharedLedger::begin_block() {
    if (!may_compare_) {
        mode_ = Mode::off;
    } else if (!clean_steps_) {
        mode_ = Mode::recording;
        for (auto& steps : recorded_steps_->steps_by_warp) steps.clear();
        recorded_steps_->addresses.clear();
        address_index_.clear();
        recorded_steps_->undefined_bytes.clear();
        recorded_steps_->warp_of_step.clear();
    } else {
        mode_ = Mode::comparing;
        ++blocks_compared_;
        for (std::size_t w = 0; w < cursors_.size(); ++w) {
            const std::vector<Step>& steps = clean_steps_->steps_by_warp[w];
            cursors_[w] = {steps.data(), steps.data() + steps.size()};
        }
    }
}

void SharedLedger::end_block(bool is_clean, bool compares_values) {
    if (mode_ == Mode::recording) {
        address_index_.clear();
        // Do not compare other blocks with a block without steps, because most of them would differ
        // from it.
        if (is_clean && !compares_values && !recorded_steps_->warp_of_step.empty())
            clean_steps_ = recorded_steps_;
        stopped_comparisons_ += compares_values;
    }
    if (stopped_comparisons_ > kMaxStoppedComparisons &&
        stopped_comparisons_ > blocks_compared_ / 2)
        may_compare_ = false;
}

void SharedLedger::record(u32 warp, const Step& step, const u32* addresses,
                          const u32* undefined_bytes) {
    Steps& steps = *recorded_steps_;
    if (steps.warp_of_step.size() == kMaxSteps ||
        steps.addresses.size() >= u64{kMaxAddresses} * kLanes) {
        mode_ = Mode::off;
        may_compare_ = false;
        return;
    }
    Step& added_step = steps.steps_by_warp[warp].emplace_back(step);
    if (step.is_access()) added_step.addresses = intern_addresses(addresses, step.active);
    if (undefined_bytes) {
        added_step.undefined_bytes = static_cast<u32>(steps.undefined_bytes.size() / kLanes) + 1;
        steps.undefined_bytes.insert(steps.undefined_bytes.end(), undefined_bytes,
                                     undefined_bytes + kLanes);
    }
    steps.warp_of_step.push_back(warp);
}

/// Stores a list of 32 addresses if it is not stored yet, and returns its index. The addresses of
/// inactive lanes count as 0.
u32 SharedLedger::intern_addresses(const u32* addresses, Mask active) {
    std::vector<u32>& all_addresses = recorded_steps_->addresses;
    u32 row[kLanes];
    u64 hash = 0;
    for (u32 l = 0; l < kLanes; ++l) {
        row[l] = active >> l & 1 ? addresses[l] : 0;
        hash = (hash ^ row[l]) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 32;
    }
    const auto [begin, end] = address_index_.equal_range(hash);
    for (auto address_entry = begin; address_entry != end; ++address_entry)
        if (std::equal(row, row + kLanes, all_addresses.begin() + address_entry->second * kLanes))
            return address_entry->second;
    const auto index = static_cast<u32>(all_addresses.size() / kLanes);
    all_addresses.insert(all_addresses.end(), row, row + kLanes);
    address_index_.emplace(hash, index);
    return index;
}

void SharedLedger::stop_comparing(const std::function<void(u32, const Step&, const u32*)>& replay) {
    ++stopped_comparisons_;
    mode_ = Mode::off;
    std::vector<const Step*> step_positions;
    for (const std::vector<Step>& steps : clean_steps_->steps_by_warp)
        step_positions.push_back(steps.data());
    for (u32 warp : clean_steps_->warp_of_step) {
        const Step* step = step_positions[warp]++;
        if (step < cursors_[warp].next_step) replay(warp, *step, addresses(*step));
    }
}

bool SharedLedger::has_same_addresses(const Step& step, const u32* addresses) const {
    const u32* recorded_undefined = this->addresses(step);
    u32 difference_mask = 0;
    for (int l = 0; l < kLanes; ++l) {
        const u32 active = step.active >> l & 1 ? kAllLanes : 0;
        difference_mask |= (recorded_undefined[l] ^ addresses[l]) & active;
    }
    return difference_mask == 0;
}

bool SharedLedger::has_same_undefined_bytes(const Step& step, const u32* stored_undefined) const {
    const u32* recorded_undefined = undefined_bytes(step);
    return recorded_undefined && stored_undefined &&
           std::memcmp(recorded_undefined, stored_undefined, kLanes * sizeof(u32)) == 0;
}

}  // namespace coalesce::simulator
