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
constexpr u64 kHeaderBytes = 16;
/// The number of bytes by which a block may extend into the header of the next chunk: the size of
/// the header's first word.
constexpr u64 kBorrowedBytes = 8;
constexpr u64 kFlagBits = 7, kPreviousInUse = 1, kMapped = 2;
constexpr u64 kHostPageBytes = 4096;

u64 read_word(u64 address) {
    u64 word;
    std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
    return word;
}

/// Reports whether the program uses the malloc of glibc.
bool uses_glibc_malloc() {
    static const bool is_glibc_malloc = [] {
        void* libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
        void* program_malloc = libc ? dlsym(libc, "malloc") : nullptr;
        if (libc) dlclose(libc);
        return program_malloc && dlsym(RTLD_DEFAULT, "malloc") == program_malloc;
    }();
    return is_glibc_malloc;
}

/// Returns the address of the main heap's first chunk, or 0 if there is no heap yet.
u64 find_first_chunk() {
    static std::atomic<u64> first_chunk_address{0};
    if (first_chunk_address) return first_chunk_address;
    std::FILE* maps = std::fopen("/proc/self/maps", "r");
    if (!maps) return 0;
    char line[512];
    while (std::fgets(line, sizeof line, maps)) {
        u64 begin = 0;
        if (std::strstr(line, "[heap]") && std::sscanf(line, "%" SCNx64 "-", &begin) == 1)
            first_chunk_address = begin;
    }
    std::fclose(maps);
    return first_chunk_address;
}

bool is_chunk_size(u64 size) {
    return size >= 2 * kHeaderBytes && size % kHeaderBytes == 0;
}

/// Returns the block in use that contains the address, or an empty interval if there is none.
Interval find_chunk(u64 address, u64 heap_end) {
    /// The maximum number of chunks that all walks together may visit. Visiting this many chunks
    /// takes about a second.
    static std::atomic<i64> chunks_left{20'000'000};
    for (u64 chunk = find_first_chunk(); chunk + kHeaderBytes < heap_end && --chunks_left > 0;) {
        const u64 size = read_word(chunk + kBorrowedBytes) & ~kFlagBits;
        const u64 next_chunk = chunk + size;
        if (!is_chunk_size(size) || next_chunk > heap_end) return {};
        if (address < next_chunk) {
            const bool is_in_use = next_chunk + kHeaderBytes <= heap_end &&
                                   read_word(next_chunk + kBorrowedBytes) & kPreviousInUse;
            if (!is_in_use || address < chunk + kHeaderBytes) return {};
            return {chunk + kHeaderBytes, next_chunk + kBorrowedBytes};
        }
        chunk = next_chunk;
    }
    return {};
}

/// Returns the large block that begins at the address, or an empty interval if there is none.
Interval find_mapped_block(u64 address) {
    if (address % kHostPageBytes != kHeaderBytes) return {};
    const u64 size = read_word(address - kBorrowedBytes);
    const bool is_block = (size & kFlagBits) == kMapped &&
                          (size & ~kFlagBits) % kHostPageBytes == 0 && size > kHostPageBytes &&
                          read_word(address - kHeaderBytes) == 0;
    if (!is_block) return {};
    return {address, address - kHeaderBytes + (size & ~kFlagBits)};
}

}  // namespace

Interval find_overrun_host_block(u64 address, u64 bytes) {
    if (!uses_glibc_malloc()) return {};
    const u64 first_chunk_address = find_first_chunk(), heap_end = reinterpret_cast<u64>(sbrk(0));
    Interval block;
    if (address >= first_chunk_address + kHeaderBytes && address < heap_end) {
        // Usually the address is the start of a block, and the size of that block precedes it.
        // Search the heap only if the preceding word is not a size, or if that size is too small.
        const u64 size = read_word(address - kBorrowedBytes) & ~kFlagBits;
        const bool is_heap_block = address % kHeaderBytes == 0 && is_chunk_size(size) &&
                                   size <= heap_end - address + kHeaderBytes &&
                                   bytes <= size - kBorrowedBytes;
        if (!is_heap_block) block = find_chunk(address, heap_end);
    } else {
        block = find_mapped_block(address);
    }
    return block.size() > 0 && address + bytes > block.end ? block : Interval{};
}
#else
Interval find_overrun_host_block(u64, u64) {
    return {};
}
#endif

}  // namespace coalesce::simulator
