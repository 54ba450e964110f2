// A size that the data cannot keep is refused before memory is taken for it, where the data tells.
#include "fatbin/decompress.h"

#include <lz4.h>
#include <zstd.h>

#include "fatbin/fatbin.h"

namespace coalesce::sim::fatbin {

namespace {

/// LZ4 cannot do better than this, so a promise past it is a lie: refuse before allocating.
constexpr u64 kBestLz4Ratio = 255;

[[noreturn]] void fail(const char* compression, const std::string& why) {
    throw FatbinError(std::string("a PTX entry of the fatbin does not decompress (") + compression +
                      "): " + why + "; the program is damaged: build it again");
}

}  // namespace

std::string decompress_zstd(std::span<const u8> compressed, u64 size) {
    // Asked first because it costs nothing: `size` alone may be a lie of gigabytes.
    const unsigned long long promised =
        ZSTD_getFrameContentSize(compressed.data(), compressed.size());
    if (promised == ZSTD_CONTENTSIZE_ERROR) fail("zstd", "it is not a zstd frame");
    if (promised != ZSTD_CONTENTSIZE_UNKNOWN && promised != size) {
        fail("zstd", "its frame and its header promise different sizes");
    }
    std::string text(size, '\0');
    const std::size_t made =
        ZSTD_decompress(text.data(), text.size(), compressed.data(), compressed.size());
    if (ZSTD_isError(made)) fail("zstd", ZSTD_getErrorName(made));
    if (made != size) fail("zstd", "it is shorter than its header promises");
    return text;
}

std::string decompress_lz4(std::span<const u8> compressed, u64 size) {
    if (size > compressed.size() * kBestLz4Ratio) fail("LZ4", "its header promises too much");
    std::string text(size, '\0');
    const int made =
        LZ4_decompress_safe(reinterpret_cast<const char*>(compressed.data()), text.data(),
                            static_cast<int>(compressed.size()), static_cast<int>(size));
    if (made < 0 || static_cast<u64>(made) != size) fail("LZ4", "its data is malformed");
    return text;
}

}  // namespace coalesce::sim::fatbin
