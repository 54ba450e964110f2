// Records which bytes of memory a launch reads, for the check of order between streams.
//
// Idea   Memory that a launch only reads has no races within the launch, so the race check ignores
//        it. To find out which bytes were read there, it is enough to set marks: as in the shadow
//        of initialized bytes, a byte for each word, with a bit for each byte.
// Cost   A row of 32 lanes finds its marks set or sets them, which takes a few nanoseconds.
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
    /// The first site that reads a page names the place of the reads in the page.
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
    std::unique_ptr<std::atomic<u32>[]> sites_;  ///< for each page, a site + 1, or kNoSite
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
