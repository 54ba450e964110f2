// A set of sectors of memory (32 bytes each), and how they lie: in how many runs, in how many pages.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace coalesce::timing {

inline constexpr std::uint32_t kSectorBytes = 32;

struct SectorRun {
    std::uint64_t first = 0;  ///< address / 32
    std::uint32_t count = 0;
    bool operator==(const SectorRun&) const = default;
};

class SectorSet {
public:
    void add(SectorRun run) { add(run, 0); }
    void add(const SectorSet& other);
    /// How many of them are new in this turn. Turns have rising numbers; a sector that an earlier one added is new
    /// once more.
    std::uint64_t add(SectorRun run, std::uint64_t turn);
    /// `run` will be added soon: what that looks up is fetched meanwhile.
    void expect(SectorRun run) const;
    std::uint64_t size() const;
    /// Lines (128 bytes), and pages of memory (2048 bytes), that have some of them.
    std::uint64_t lines() const;
    std::uint64_t pages() const { return used_; }
    /// The set with the other sector of each aligned pair: memory reads pairs.
    SectorSet in_pairs() const;
    /// Sectors that are in both.
    std::uint64_t common_with(const SectorSet& other) const;
    /// Sectors of each run: a stretch without a gap, the longest possible, or pieces of one page of memory (2048 bytes),
    /// which are as good as a stretch, since the page is opened once.
    std::vector<std::uint64_t> runs() const;
    /// The same, but a page of which less than a third is in the set counts as the stretches in it: opening it once does
    /// not help so few. (Calibrate's strided sectors: pairs 128 bytes apart are nearly as fast as a stretch, pairs 256 bytes
    /// apart as slow as pairs anywhere.)
    std::vector<std::uint64_t> runs_in_dense_pages() const;
    bool empty() const { return used_ == 0; }
    void clear();

private:
    static constexpr std::uint64_t kNothing = ~std::uint64_t{0};
    static constexpr std::uint32_t kSectorsOfPage = 64;

    /// 64 sectors side by side, one bit each: a slot of a table with open addresses. Aligned, so that it is in one
    /// line of the host's cache: waiting for that is most of what a look-up costs.
    struct alignas(32) Page {
        std::uint64_t number = kNothing;
        std::uint64_t sectors = 0;
        std::uint64_t turn = 0, of_turn = 0;  ///< the last turn that added some, and which
    };
    /// Where a page is looked for first. The table is not empty.
    std::size_t slot_of(std::uint64_t number) const;
    Page& page(std::uint64_t number);
    void grow();
    std::vector<Page> sorted() const;
    std::vector<std::uint64_t> runs(bool splits_sparse_pages) const;

    std::vector<Page> table_;
    std::size_t used_ = 0;
    std::size_t last_ = 0;  ///< the slot asked for last: the next sectors are often there, too
};

// Here, because a launch that is recorded adds millions.

inline std::size_t SectorSet::slot_of(std::uint64_t number) const {
    return number * 0x9e3779b97f4a7c15ull >> (64 - std::bit_width(table_.size() - 1));
}

inline void SectorSet::expect(SectorRun run) const {
    if (!table_.empty()) __builtin_prefetch(&table_[slot_of(run.first / kSectorsOfPage)], 1);
}

inline SectorSet::Page& SectorSet::page(std::uint64_t number) {
    if (last_ < table_.size() && table_[last_].number == number) return table_[last_];
    if (2 * (used_ + 1) > table_.size()) grow();
    const std::size_t mask = table_.size() - 1;
    std::size_t at = slot_of(number);
    while (table_[at].number != number) {
        if (table_[at].number == kNothing) {
            table_[at].number = number;
            ++used_;
            break;
        }
        at = (at + 1) & mask;
    }
    last_ = at;
    return table_[at];
}

inline std::uint64_t SectorSet::add(SectorRun run, std::uint64_t turn) {
    std::uint64_t added = 0;
    while (run.count > 0) {
        const auto from = static_cast<std::uint32_t>(run.first % kSectorsOfPage);
        const std::uint32_t count = std::min(run.count, kSectorsOfPage - from);
        const std::uint64_t sectors = kNothing >> (kSectorsOfPage - count) << from;
        Page& p = page(run.first / kSectorsOfPage);
        p.sectors |= sectors;
        if (p.turn != turn) {
            p.turn = turn;
            p.of_turn = 0;
        }
        const std::uint64_t fresh = sectors & ~p.of_turn;
        // Counting bits takes long where the host has no instruction for it.
        added += count == 1 ? fresh != 0 : static_cast<std::uint64_t>(std::popcount(fresh));
        p.of_turn |= sectors;
        run.first += count;
        run.count -= count;
    }
    return added;
}

}  // namespace coalesce::timing
