#include "simulator/memory/host_heap.h"

#include <cstdlib>

#if defined(__GLIBC__) && defined(__LP64__)
#    include <dlfcn.h>
#    include <unistd.h>

#    include <atomic>
#    include <cinttypes>
#    include <cstdio>
#    include <cstring>
#endif

namespace coalesce::simulator {

#if defined(__GLIBC__) && defined(__LP64__)
namespace {

/// The size in bytes of a chunk's header. The header contains the size of the preceding chunk (if
/// that chunk is free) and the size of the chunk itself.
constexpr u64 kHeader = 16;
/// The number of bytes by which a block may extend into the header of the next chunk: the size of
/// the header's first word.
constexpr u64 kBorrowed = 8;
constexpr u64 kFlags = 7, kPreviousInUse = 1, kMapped = 2;
constexpr u64 kHostPage = 4096;

u64 word_at(u64 address) {
    u64 word;
    std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
    return word;
}

/// Reports whether the program uses the malloc of glibc.
bool uses_glibc_malloc() {
    static const bool uses = [] {
        void* libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
        void* own = libc ? dlsym(libc, "malloc") : nullptr;
        if (libc) dlclose(libc);
        return own && dlsym(RTLD_DEFAULT, "malloc") == own;
    }();
    return uses;
}

/// Returns the address of the main heap's first chunk, or 0 if there is no heap yet.
u64 first_chunk() {
    static std::atomic<u64> first{0};
    if (first) return first;
    std::FILE* maps = std::fopen("/proc/self/maps", "r");
    if (!maps) return 0;
    char line[512];
    while (std::fgets(line, sizeof line, maps)) {
        u64 begin = 0;
        if (std::strstr(line, "[heap]") && std::sscanf(line, "%" SCNx64 "-", &begin) == 1)
            first = begin;
    }
    std::fclose(maps);
    return first;
}

bool is_chunk_size(u64 size) {
    return size >= 2 * kHeader && size % kHeader == 0;
}

/// Returns the block in use that contains the address, or an empty interval if there is none. `top`
/// is the end of the heap.
Interval walk_to(u64 address, u64 top) {
    /// The maximum number of chunks that all walks together may visit. Visiting this many chunks
    /// takes about a second.
    static std::atomic<i64> chunks_left{20'000'000};
    for (u64 chunk = first_chunk(); chunk + kHeader < top && --chunks_left > 0;) {
        const u64 size = word_at(chunk + kBorrowed) & ~kFlags;
        const u64 next = chunk + size;
        if (!is_chunk_size(size) || next > top) return {};
        if (address < next) {
            const bool in_use = next + kHeader <= top && word_at(next + kBorrowed) & kPreviousInUse;
            if (!in_use || address < chunk + kHeader) return {};
            return {chunk + kHeader, next + kBorrowed};
        }
        chunk = next;
    }
    return {};
}

/// Returns the large block that begins at the address, or an empty interval if there is none.
Interval mapped_block(u64 address) {
    if (address % kHostPage != kHeader) return {};
    const u64 size = word_at(address - kBorrowed);
    const bool is_block = (size & kFlags) == kMapped && (size & ~kFlags) % kHostPage == 0 &&
                          size > kHostPage && word_at(address - kHeader) == 0;
    if (!is_block) return {};
    return {address, address - kHeader + (size & ~kFlags)};
}

}  // namespace

Interval find_overrun_host_block(u64 address, u64 bytes) {
    if (!uses_glibc_malloc()) return {};
    const u64 first = first_chunk(), top = reinterpret_cast<u64>(sbrk(0));
    Interval block;
    if (address >= first + kHeader && address < top) {
        // Usually the address is the start of a block, and the size of that block precedes it.
        // Search the heap only if the preceding word is not a size, or if that size is too small.
        const u64 size = word_at(address - kBorrowed) & ~kFlags;
        const bool fits = address % kHeader == 0 && is_chunk_size(size) &&
                          size <= top - address + kHeader && bytes <= size - kBorrowed;
        if (!fits) block = walk_to(address, top);
    } else {
        block = mapped_block(address);
    }
    return block.size() > 0 && address + bytes > block.end ? block : Interval{};
}
#else
Interval find_overrun_host_block(u64, u64) {
    return {};
}
#endif

}  // namespace coalesce::simulator
