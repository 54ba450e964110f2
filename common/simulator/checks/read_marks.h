// Records which bytes of memory a launch reads, for streamcheck.
//
// Idea   The race check ignores memory that a launch only reads. This file marks which of these
//        bytes were read. Each 4-byte word of memory has a mark, with one bit per byte. Most reads
//        cover whole lines of 128 bytes, so each line has a mark, too. A line was read if it is
//        marked or if all of its words are marked.
// Cost   Checking and setting the marks of a 32-lane access takes a few nanoseconds. The marks stay
//        allocated for the next launch, because fresh pages from the OS would take longer than a
//        short kernel. Only the pages that contain marks are cleared.
#pragma once

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "simulator/base/types.h"
#include "simulator/checks/accessed_ranges.h"

namespace coalesce::simulator {

struct Allocation;
struct Kernel;

/// The marks of one allocation.
class MarkedReads {
public:
    explicit MarkedReads(u64 begin, u64 end);

    /// Marks [address, address + bytes) as read by the load at `site`.
    void mark(u64 address, u64 bytes, u32 site) {
        // Most loads read only words that are already marked.
        const bool is_marked =
            is_lines(address, bytes)
                ? are_marked(line(address), bytes / kLineBytes)
                : address % 4 == 0 && bytes % 4 == 0 && are_marked(word(address), bytes / 4);
        if (!is_marked) mark_new(address, bytes, site);
    }
    void add_to(AccessedRanges& ranges, const Kernel& kernel) const;
    void clear();
    u64 end() const { return end_; }

private:
    static constexpr u8 kWholeMark =
        0x0f;  ///< the mark of a word or line whose bytes have all been read
    static constexpr u64 kEightWholeMarks = 0x0f0f'0f0f'0f0f'0f0full;
    static constexpr u64 kLineBytes = 128;

    /// Reports whether the first `count` words or lines in `marks` are marked.
    static bool are_marked(const u8* marks, u64 count) {
        u64 all = kEightWholeMarks;
        for (; count >= 8; count -= 8, marks += 8) {
            u64 eight;
            std::memcpy(&eight, marks, sizeof eight);
            all &= eight;
        }
        for (u64 k = 0; k < count; ++k) all &= marks[k] == kWholeMark ? kEightWholeMarks : 0;
        return all == kEightWholeMarks;
    }
    /// Reports whether the bytes form whole lines.
    bool is_lines(u64 address, u64 bytes) const {
        return bytes % kLineBytes == 0 && (address - begin_) % kLineBytes == 0;
    }
    /// Returns the mark of the word (or of the line) that contains the address.
    u8* word(u64 address) const { return words_.get() + ((address >> 2) - (begin_ >> 2)); }
    u8* line(u64 address) const { return lines_.get() + (address - begin_) / kLineBytes; }
    void mark_new(u64 address, u64 bytes, u32 site);

    /// The base-2 logarithm of the page size in bytes. All reads in a page are attributed to the
    /// first site that reads the page.
    static constexpr u64 kPageShift = 12;
    static constexpr u32 kNoSite = 0;
    u64 page_of(u64 address) const { return (address - begin_) >> kPageShift; }
    void note_site(u64 address, u32 site);
    template <class Open, class Close>
    void visit_words(u64 begin, u64 end, const Open& open, const Close& close) const;
    template <class Use>
    void for_each_run(const Use& use) const;

    u64 begin_, end_;
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    std::unique_ptr<u8[], Free> words_, lines_;
    /// For each page, whether any of its words are marked.
    std::unique_ptr<std::atomic<bool>[]> has_words_;
    /// For each page, 1 + the first site that reads it, or kNoSite.
    std::unique_ptr<std::atomic<u32>[]> sites_;
};

/// The marks of a launch. Thread-safe.
class ReadMarks {
public:
    MarkedReads& marks_of(const Allocation& allocation);
    void add_to(AccessedRanges& ranges, const Kernel& kernel) const;
    /// Removes all marks after a launch. Keeps the mark arrays of allocations that were read.
    void clear();

private:
    struct Entry {
        std::unique_ptr<MarkedReads> marks;
        bool is_used = false;  ///< whether the current launch has read from the allocation
    };
    std::mutex mutex_;
    std::map<u64, Entry> by_begin_;
};

}  // namespace coalesce::simulator
