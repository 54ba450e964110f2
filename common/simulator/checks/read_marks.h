// Records which bytes of memory a launch reads, for the check of order between streams.
//
// Idea   Memory that a launch only reads has no races within the launch, so the race check ignores
//        it. To find out which bytes of this memory were read, it is enough to mark them. As in the
//        shadow of initialized bytes, there is a mark byte for each word of memory, with a bit for
//        each of the word's bytes.
// Cost   Checking and setting the marks of a 32-lane access takes a few nanoseconds.
#pragma once

#include <atomic>
#include <cstdlib>
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

    /// Returns the mark of the word that contains the address.
    u8* word(u64 address) const { return words_.get() + ((address >> 2) - (begin_ >> 2)); }
    /// Marks bytes that the load at a site reads.
    void mark(u64 address, u64 bytes, u32 site);
    void add_to(AccessedRanges& ranges, const Kernel& kernel) const;

private:
    /// The base-2 logarithm of the bytes in a page. All reads in a page are attributed to the first
    /// site that reads the page.
    static constexpr u64 kPageShift = 12;
    static constexpr u32 kNoSite = 0;
    void note_site(u64 address, u32 site);
    template <class Use>
    void for_each_run(const Use& use) const;

    u64 begin_, end_;
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    std::unique_ptr<u8[], Free> words_;
    /// For each page, 1 + the first site that reads it, or kNoSite.
    std::unique_ptr<std::atomic<u32>[]> sites_;
};

/// The marks of a launch. Thread-safe.
class ReadMarks {
public:
    MarkedReads& of(const Allocation& allocation);
    void add_to(AccessedRanges& ranges, const Kernel& kernel) const;

private:
    std::mutex mutex_;
    std::map<u64, std::unique_ptr<MarkedReads>> by_begin_;
};

}  // namespace coalesce::simulator
