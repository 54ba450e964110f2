// Tracks which bytes of the device's memory are initialized. See device_memory.h.
#include <algorithm>
#include <cstring>

#include "simulator/memory/device_memory.h"

namespace coalesce::simulator {

namespace {

/// Returns the bits for bytes [from, to) of a word.
u8 byte_mask(u64 from, u64 to) {
    return static_cast<u8>((1u << to) - (1u << from));
}

/// Calls edit(shadow byte, bits) for the partial words at both ends of a range, and fill(shadow
/// bytes, words) for the whole words between them. `shadow` is the shadow of the first word.
template <class Edit, class Fill>
void edit_words(u8* shadow, u64 address, u64 bytes, Edit edit, Fill fill) {
    const u64 begin = address & 3, end = begin + bytes;
    if (bytes == 0) return;
    if (end < 4) return edit(*shadow, byte_mask(begin, end));
    if (begin) edit(*shadow, byte_mask(begin, 4));
    const u64 first_whole = begin ? 1 : 0;
    if (end / 4 > first_whole) fill(shadow + first_whole, end / 4 - first_whole);
    if (end & 3) edit(shadow[end / 4], byte_mask(0, end & 3));
}

}  // namespace

void DeviceMemory::set_shadow(u64 address, u64 bytes, u8 fill_byte) {
    if (!has_shadow(address)) return;
    edit_words(
        shadow(address), address, bytes,
        [=](u8& word, u8 bits) { word |= (bits | bits << 4) & fill_byte; },
        [=](u8* first, u64 words) { std::memset(first, fill_byte, words); });
}

void DeviceMemory::mark_bytes_unwritten(u64 address, u32 bytes) {
    const auto clear_bits = [this](u64 word_address, u32 bits) {
        if (*shadow(word_address) & bits)
            __atomic_fetch_and(shadow(word_address), static_cast<u8>(~bits), __ATOMIC_RELAXED);
    };
    // Bytes that are at most this many bytes away from a kernel's write no longer count as written
    // by the host.
    constexpr u64 kAround = 16;
    const u64 begin = std::max(address - std::min(address - device_base(), kAround), device_base());
    const u64 end = std::min(address + kAround + 16, device_base() + range_bytes_);
    for (u64 at = begin; at < end; at += 4) clear_bits(at, 0xf0);
    for (u64 at = address; bytes; ++at, bytes >>= 1)
        if (bytes & 1) clear_bits(at, 1u << (at & 3));
}

u32 DeviceMemory::unwritten_bytes(u64 address, u32 bytes) const {
    u32 unwritten_mask = 0;
    for (u32 k = 0; k < bytes; ++k) unwritten_mask |= u32{!is_written(address + k)} << k;
    return unwritten_mask;
}

void DeviceMemory::mark_unwritten(u64 address, u64 bytes) {
    if (!has_shadow(address)) return;
    edit_words(
        shadow(address), address, bytes,
        [](u8& word, u8 bits) { word &= static_cast<u8>(~(bits | bits << 4)); },
        [](u8* first, u64 words) { clear_shadow(first, words); });
}

void DeviceMemory::copy_shadow(u64 to, u64 from, u64 bytes) {
    if (!has_shadow(to)) return;
    if (!has_shadow(from)) return mark_written_by_host(to, bytes);
    if (((to | from | bytes) & 3) == 0) {
        std::memmove(shadow(to), shadow(from), bytes / 4);
        return;
    }
    // Copy byte by byte, in the direction that is correct even if source and destination overlap.
    const auto copy_byte = [&](u64 i) {
        const u32 bits = *shadow(from + i) >> ((from + i) & 3) & 0x11, place = (to + i) & 3;
        u8& word = *shadow(to + i);
        word = static_cast<u8>((word & ~(0x11u << place)) | bits << place);
    };
    if (to <= from) {
        for (u64 i = 0; i < bytes; ++i) copy_byte(i);
    } else {
        for (u64 i = bytes; i-- > 0;) copy_byte(i);
    }
}

}  // namespace coalesce::simulator
