// Records which bytes of memory a launch reads, for streamcheck.
//
// Idea   The race check ignores memory that a launch only reads. For such memory, this file
//        therefore records which bytes were read. Each 4-byte word of memory has a mark, with one
//        bit per byte. Most reads cover whole lines of 128 bytes, so each line has a mark, too. A
//        line was read if it is marked or if all of its words are marked.
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
class AllocationReadMarks {
public:
    explicit AllocationReadMarks(u64 begin, u64 end);

    /// Marks [address, address + bytes) as read by the load at `site`.
    void mark_read(u64 address, u64 bytes, u32 site) {
        // Most loads read only words that are already marked.
        const bool is_already_marked = covers_whole_lines(address, bytes)
                                           ? are_all_marked(line_mark(address), bytes / kLineBytes)
                                           : address % 4 == 0 && bytes % 4 == 0 &&
                                                 are_all_marked(word_mark(address), bytes / 4);
        if (!is_already_marked) mark_unmarked(address, bytes, site);
    }
    void add_to_ranges(AccessedRanges& ranges, const Kernel& kernel) const;
    void clear();
    u64 end() const { return end_; }

private:
    /// The mark of a word or line all of whose bytes have been read.
    static constexpr u8 kFullMark = 0x0f;
    static constexpr u64 kEightFullMarks = 0x0f0f'0f0f'0f0f'0f0full;
    static constexpr u64 kLineBytes = 128;

    /// Reports whether each of the first `count` marks in `marks` says that all bytes of its word
    /// or line have been read.
    static bool are_all_marked(const u8* marks, u64 count) {
        u64 combined_marks = kEightFullMarks;
        for (; count >= 8; count -= 8, marks += 8) {
            u64 mark_group;
            std::memcpy(&mark_group, marks, sizeof mark_group);
            combined_marks &= mark_group;
        }
        for (u64 k = 0; k < count; ++k)
            combined_marks &= marks[k] == kFullMark ? kEightFullMarks : 0;
        return combined_marks == kEightFullMarks;
    }
    /// Reports whether the bytes form whole lines.
    bool covers_whole_lines(u64 address, u64 bytes) const {
        return bytes % kLineBytes == 0 && (address - begin_) % kLineBytes == 0;
    }
    /// Returns a pointer to the mark of the word (word_mark) or of the line (line_mark) that
    /// contains the address.
    u8* word_mark(u64 address) const {
        return word_marks_.get() + ((address >> 2) - (begin_ >> 2));
    }
    u8* line_mark(u64 address) const { return line_marks_.get() + (address - begin_) / kLineBytes; }
    void mark_unmarked(u64 address, u64 bytes, u32 site);

    /// The base-2 logarithm of the page size in bytes. All reads in a page are attributed to the
    /// first site that reads the page.
    static constexpr u64 kPageShift = 12;
    static constexpr u32 kNoSite = 0;
    u64 page_index(u64 address) const { return (address - begin_) >> kPageShift; }
    void record_first_site(u64 address, u32 site);
    template <class BeginRun, class EndRun>
    void visit_words(u64 begin, u64 end, const BeginRun& begin_run, const EndRun& end_run) const;
    template <class UseRun>
    void for_each_run(const UseRun& use_run) const;

    u64 begin_, end_;
    struct FreeMemory {
        void operator()(void* memory) const { std::free(memory); }
    };
    std::unique_ptr<u8[], FreeMemory> word_marks_, line_marks_;
    /// For each page, whether any of its words are marked.
    std::unique_ptr<std::atomic<bool>[]> has_word_marks_;
    /// For each page, 1 + the first site that reads the page, or kNoSite if no site reads it.
    std::unique_ptr<std::atomic<u32>[]> first_sites_;
};

/// The marks of a launch. Thread-safe.
class ReadMarks {
public:
    AllocationReadMarks& find_marks(const Allocation& allocation);
    void add_to_ranges(AccessedRanges& ranges, const Kernel& kernel) const;
    /// Removes all marks after a launch. Keeps the mark arrays of the allocations that the launch
    /// has read.
    void clear();

private:
    struct Entry {
        std::unique_ptr<AllocationReadMarks> marks;
        bool is_used = false;  ///< whether the current launch has read from the allocation
    };
    std::mutex mutex_;
    std::map<u64, Entry> entry_of_begin_;
};

}  // namespace coalesce::simulator
