// A set of memory sectors (32 bytes each). It computes how many runs and pages the sectors form.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace coalesce::timing {

inline constexpr std::uint32_t kSectorBytes = 32;

struct SectorRun {
    std::uint64_t first = 0;  ///< address of the first sector, divided by 32
    std::uint32_t count = 0;
    bool operator==(const SectorRun&) const = default;
};

class SectorSet {
public:
    void add(SectorRun run) { add(run, 0); }
    void add(const SectorSet& other);
    /// Adds the sectors of `run`, and returns the number of those sectors that no earlier call of
    /// the same round has added. Calls with the same `add_round` form a round, for example the
    /// calls for one block. `add_round` must not decrease from call to call.
    std::uint64_t add(SectorRun run, std::uint64_t add_round);
    /// Prefetches the slot of the hash table that adding `run` will access.
    void prefetch_slot(SectorRun run) const;
    std::uint64_t size() const;
    /// Returns the number of cache lines (128 bytes) that contain at least one sector.
    std::uint64_t count_lines() const;
    std::uint64_t count_pages() const { return used_slots_; }
    /// Returns this set, extended by the missing sector of each incomplete aligned pair, because
    /// memory reads sectors in such pairs.
    SectorSet extend_to_pairs() const;
    /// Returns the number of sectors that are in this set and also in `other`.
    std::uint64_t count_common(const SectorSet& other) const;
    /// Returns the length of each run in sectors. Sectors in the same memory page (2048 bytes)
    /// count as one run even with gaps between them, because memory opens the page only once.
    std::vector<std::uint64_t> run_lengths() const;
    /// Like run_lengths(), but splits sparse pages. A page is sparse if less than a third of its
    /// sectors are in the set. Accesses to a sparse page are as slow as scattered accesses, so each
    /// contiguous range in the page counts as a run.
    std::vector<std::uint64_t> dense_page_run_lengths() const;
    /// Returns the runs of adjacent sectors in ascending order. A run ends at the end of its page.
    std::vector<SectorRun> contiguous_runs() const;
    bool empty() const { return used_slots_ == 0; }
    void clear();

private:
    static constexpr std::uint64_t kEmptySlot = ~std::uint64_t{0};
    static constexpr std::uint32_t kSectorsOfPage = 64;

    /// 64 consecutive sectors with one bit each, in a slot of a hash table. The struct is aligned,
    /// so that a lookup touches only one cache line of the host.
    struct alignas(32) SectorPage {
        std::uint64_t number = kEmptySlot;
        std::uint64_t sectors = 0;
        /// The last round in which sectors of this page were added, and the sectors added in that
        /// round.
        std::uint64_t add_round = 0, round_sectors = 0;
    };
    /// Returns the slot at which the search for a page starts. The table must not be empty.
    std::size_t hash_slot(std::uint64_t number) const;
    SectorPage& find_or_add_page(std::uint64_t number);
    void grow_table();
    std::vector<SectorPage> sorted_pages() const;
    std::vector<std::uint64_t> collect_run_lengths(bool splits_sparse_pages) const;

    std::vector<SectorPage> table_;
    std::size_t used_slots_ = 0;
    /// The slot of the last lookup, which often contains the sectors of the next lookup too.
    std::size_t last_used_slot_ = 0;
};

// The following functions are inline, because a recorded launch adds millions of runs.

inline std::size_t SectorSet::hash_slot(std::uint64_t number) const {
    return number * 0x9e3779b97f4a7c15ull >> (64 - std::bit_width(table_.size() - 1));
}

inline void SectorSet::prefetch_slot(SectorRun run) const {
    if (!table_.empty()) __builtin_prefetch(&table_[hash_slot(run.first / kSectorsOfPage)], 1);
}

inline SectorSet::SectorPage& SectorSet::find_or_add_page(std::uint64_t number) {
    if (last_used_slot_ < table_.size() && table_[last_used_slot_].number == number)
        return table_[last_used_slot_];
    if (2 * (used_slots_ + 1) > table_.size()) grow_table();
    const std::size_t slot_mask = table_.size() - 1;
    std::size_t slot = hash_slot(number);
    while (table_[slot].number != number) {
        if (table_[slot].number == kEmptySlot) {
            table_[slot].number = number;
            ++used_slots_;
            break;
        }
        slot = (slot + 1) & slot_mask;
    }
    last_used_slot_ = slot;
    return table_[slot];
}

inline std::uint64_t SectorSet::add(SectorRun run, std::uint64_t add_round) {
    std::uint64_t added_sectors = 0;
    while (run.count > 0) {
        const auto first_bit = static_cast<std::uint32_t>(run.first % kSectorsOfPage);
        const std::uint32_t count = std::min(run.count, kSectorsOfPage - first_bit);
        const std::uint64_t sectors = ~std::uint64_t{0} >> (kSectorsOfPage - count) << first_bit;
        SectorPage& p = find_or_add_page(run.first / kSectorsOfPage);
        p.sectors |= sectors;
        if (p.add_round != add_round) {
            p.add_round = add_round;
            p.round_sectors = 0;
        }
        const std::uint64_t new_sectors = sectors & ~p.round_sectors;
        // Test for zero first, because popcount is slow if the host has no instruction for it.
        added_sectors +=
            count == 1 ? new_sectors != 0 : static_cast<std::uint64_t>(std::popcount(new_sectors));
        p.round_sectors |= sectors;
        run.first += count;
        run.count -= count;
    }
    return added_sectors;
}

}  // namespace coalesce::timing
