// Reads the entries of a fat binary. format.h describes the format.
#include "simulator/fatbin/fatbin.h"

#include <lz4.h>
#include <zstd.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <span>

#include "simulator/base/subjects.h"
#include "simulator/fatbin/format.h"

namespace coalesce::simulator::fatbin {

namespace {

/// The maximum size of PTX text in bytes. The limit keeps a small malformed file from exhausting
/// memory. Compilers reject PTX that is far smaller than this.
constexpr u64 kMaxTextBytes = u64{512} << 20;
constexpr std::size_t kMaxPrelinkedImages = 1 << 16;

constexpr const char* kRebuildHint =
    ": build with an -arch that embeds PTX, e.g. -arch=sm_90 or "
    "-gencode arch=compute_90,code=compute_90";

[[noreturn]] void fail_malformed(const std::string& reason) {
    throw FatbinError("malformed fatbin: " + reason + "; build the program again with nvcc");
}

/// A range of a container's bytes, which has been checked to be within bounds.
using CheckedBytes = std::span<const u8>;

/// Returns the `size` bytes at `offset` in `bytes`. Throws an error that names `part_name` if they
/// are out of bounds.
CheckedBytes take_bytes(CheckedBytes bytes, u64 offset, u64 size, const char* part_name) {
    if (offset > bytes.size() || size > bytes.size() - offset)
        fail_malformed(std::string(part_name) + " reaches past the end");
    return bytes.subspan(offset, size);
}

template <typename T>
T read_value(CheckedBytes bytes, const char* part_name) {
    T value;  // copied, because the address may not be aligned
    std::memcpy(&value, take_bytes(bytes, 0, sizeof(T), part_name).data(), sizeof(T));
    return value;
}

// ---- decompression with the system's libraries, for the two formats that nvcc uses ----
//
// If the compressed data shows that the stated size is impossible, it is rejected before any memory
// is allocated.

/// The maximum compression ratio of LZ4. A file that states a larger decompressed size is rejected
/// before any memory is allocated.
constexpr u64 kMaxLz4Ratio = 255;

[[noreturn]] void fail_decompressing(const char* compression, const std::string& reason) {
    throw FatbinError(std::string("a PTX entry of the fatbin cannot be decompressed (") +
                      compression + "): " + reason + "; the program is damaged: build it again");
}

/// Decompresses data. `size` is the size of the decompressed data that the container states.
std::string decompress_zstd(CheckedBytes compressed, u64 size) {
    // First compare `size` with the size that the compressed frame states. The check costs nothing,
    // and `size` may be wrong by gigabytes.
    const unsigned long long frame_size =
        ZSTD_getFrameContentSize(compressed.data(), compressed.size());
    if (frame_size == ZSTD_CONTENTSIZE_ERROR)
        fail_decompressing("zstd", "the data is not a zstd frame");
    if (frame_size != ZSTD_CONTENTSIZE_UNKNOWN && frame_size != size) {
        fail_decompressing("zstd", "the frame and the header state different sizes");
    }
    std::string text(size, '\0');
    const std::size_t decompressed_size =
        ZSTD_decompress(text.data(), text.size(), compressed.data(), compressed.size());
    if (ZSTD_isError(decompressed_size))
        fail_decompressing("zstd", ZSTD_getErrorName(decompressed_size));
    if (decompressed_size != size)
        fail_decompressing("zstd", "the data is shorter than the header states");
    return text;
}

std::string decompress_lz4(CheckedBytes compressed, u64 size) {
    if (size > compressed.size() * kMaxLz4Ratio)
        fail_decompressing("LZ4", "the header states too large a size");
    std::string text(size, '\0');
    const int decompressed_size =
        LZ4_decompress_safe(reinterpret_cast<const char*>(compressed.data()), text.data(),
                            static_cast<int>(compressed.size()), static_cast<int>(size));
    if (decompressed_size < 0 || static_cast<u64>(decompressed_size) != size)
        fail_decompressing("LZ4", "the data is malformed");
    return text;
}

// ---- entries ----

/// Returns the text up to the first zero byte. Everything after it is padding.
std::string_view cut_at_zero_byte(std::string_view text) {
    return text.substr(0, text.find('\0'));
}

std::string read_entry_text(const EntryHeader& entry, CheckedBytes payload, u64& text_budget) {
    const bool is_zstd = entry.flags & kZstdFlag;
    const bool is_lz4 = entry.flags & kLz4Flag;
    const u64 size = is_zstd || is_lz4 ? entry.uncompressed_size : payload.size();
    if (size > text_budget) fail_malformed("the fatbin contains more PTX than any real program");
    text_budget -= size;

    std::string text;
    if (is_zstd || is_lz4) {
        const CheckedBytes compressed =
            take_bytes(payload, 0, entry.compressed_size, "compressed PTX");
        text = is_zstd ? decompress_zstd(compressed, size) : decompress_lz4(compressed, size);
    } else {
        text.assign(reinterpret_cast<const char*>(payload.data()), size);
    }
    text.resize(cut_at_zero_byte(text).size());
    return text;
}

/// The contents of a container. If the container has no PTX, the error message lists the rest.
struct ContainerContents {
    std::vector<PtxImage> images;
    u32 other_entries = 0;
    u32 other_capability = 0;
    bool has_intermediate = false;  ///< whether there is an intermediate form, as with -dlto
};

void read_entries(CheckedBytes entries, u64& text_budget, ContainerContents& contents) {
    while (!entries.empty()) {
        const auto entry = read_value<EntryHeader>(entries, "the header of an entry");
        if (entry.header_size < sizeof(EntryHeader)) {
            fail_malformed("an entry's header of " + std::to_string(entry.header_size) + " bytes");
        }
        const CheckedBytes payload =
            take_bytes(entries, entry.header_size, entry.payload_size, "an entry");
        if (entry.kind == static_cast<u16>(EntryKind::ptx)) {
            contents.images.push_back(
                {entry.compute_capability, read_entry_text(entry, payload, text_budget)});
        } else {
            ++contents.other_entries;
            contents.other_capability = entry.compute_capability;
            if (entry.kind == static_cast<u16>(EntryKind::nvvm_ir))
                contents.has_intermediate = true;
        }
        const u64 entry_size = entry.header_size + entry.payload_size;
        entries = take_bytes(entries, entry_size, entries.size() - entry_size, "an entry");
    }
}

void read_container(const void* data, std::size_t readable_bytes, u64& text_budget,
                    ContainerContents& contents) {
    if (!data) fail_malformed("no data");
    const u8* container_begin = static_cast<const u8*>(data);
    // Without a limit, the container itself is the only source for its length.
    const CheckedBytes readable(container_begin,
                                readable_bytes ? readable_bytes : std::numeric_limits<u64>::max());
    const auto header = read_value<ContainerHeader>(readable, "the header of the container");
    if (header.magic != kContainerMagic)
        fail_malformed("the container does not begin with its magic number");
    if (header.version != kContainerVersion) {
        throw FatbinError("a fatbin of version " + std::to_string(header.version) +
                          " is not supported: build the program with CUDA 13");
    }
    if (header.header_size < sizeof(ContainerHeader))
        fail_malformed("the header of the container is too short");
    read_entries(take_bytes(readable, header.header_size, header.size, "the container"),
                 text_budget, contents);
}

std::vector<PtxImage> require_ptx(ContainerContents contents) {
    if (!contents.images.empty()) return std::move(contents.images);
    if (contents.other_entries == 0) {
        throw FatbinError(std::string("the program embeds an empty fatbin") + kRebuildHint);
    }
    if (contents.has_intermediate) {
        throw FatbinError(
            "the program was built with -dlto and embeds no PTX, but the simulated GPU runs only "
            "PTX; " +
            std::string(subjects::late_optimisation.alternative));
    }
    throw FatbinError("the program embeds machine code (sm_" +
                      std::to_string(contents.other_capability) +
                      ") but no PTX, and the simulated GPU runs only PTX" + kRebuildHint);
}

/// Reads a program that was built with -rdc=true. In such a program, the linked container contains
/// the machine code, and the containers of the translation units contain the PTX.
std::vector<PtxImage> read_wrapper(const FatbinWrapper& wrapper) {
    ContainerContents contents;
    u64 text_budget = kMaxTextBytes;
    read_container(wrapper.container, 0, text_budget, contents);
    if (wrapper.version == kLinkedWrapperVersion && wrapper.prelinked_containers) {
        const u8* prelinked_list = static_cast<const u8*>(wrapper.prelinked_containers);
        for (std::size_t i = 0; i < kMaxPrelinkedImages; ++i) {
            const void* container;
            std::memcpy(&container, prelinked_list + i * sizeof(container), sizeof(container));
            if (!container) break;
            read_container(container, 0, text_budget, contents);
        }
    }
    return require_ptx(std::move(contents));
}

/// Returns the architecture in the PTX's .target line, such as 90 for ".target sm_90a, debug".
/// Returns 0 if there is no such line.
u32 read_target(std::string_view ptx) {
    constexpr std::string_view kTargetDirective = ".target";
    const std::size_t directive_position = ptx.find(kTargetDirective);
    if (directive_position == std::string_view::npos) return 0;
    const std::size_t name_position = ptx.find("sm_", directive_position + kTargetDirective.size());
    if (name_position == std::string_view::npos) return 0;
    u32 compute_capability = 0;
    std::from_chars(ptx.data() + name_position + 3, ptx.data() + ptx.size(), compute_capability);
    return compute_capability;
}

}  // namespace

std::vector<PtxImage> read_ptx(const void* data, std::size_t readable_bytes) {
    ContainerContents contents;
    u64 text_budget = kMaxTextBytes;
    read_container(data, readable_bytes, text_budget, contents);
    return require_ptx(std::move(contents));
}

std::vector<PtxImage> read_image(const void* data) {
    if (!data) fail_malformed("no data");
    // Compare byte by byte, because PTX text may be shorter than the magic numbers of the other
    // formats.
    const char* text = static_cast<const char*>(data);
    const std::size_t text_length = strnlen(text, sizeof(u32));
    u32 magic = 0;
    if (text_length == sizeof(u32)) std::memcpy(&magic, text, sizeof(magic));
    if (magic == kContainerMagic) return read_ptx(data);
    if (magic == kWrapperMagic) {
        FatbinWrapper wrapper;
        std::memcpy(&wrapper, data, sizeof(wrapper));
        return read_wrapper(wrapper);
    }
    if (std::string_view(text, text_length) ==
        "\x7f"
        "ELF") {
        throw FatbinError(std::string("this image is machine code (a cubin), but the simulated "
                                      "GPU runs PTX") +
                          kRebuildHint);
    }
    PtxImage image;
    image.text = text;
    image.compute_capability = read_target(image.text);
    return {std::move(image)};
}

const PtxImage* choose_image(const std::vector<PtxImage>& images, u32 compute_capability) {
    const auto is_better_capability = [&](u32 left_capability, u32 right_capability) {
        const bool can_run_left = left_capability <= compute_capability,
                   can_run_right = right_capability <= compute_capability;
        if (can_run_left != can_run_right) return can_run_left;
        return can_run_left ? left_capability > right_capability
                            : left_capability < right_capability;
    };
    const PtxImage* best_image = nullptr;
    for (const PtxImage& image : images)
        if (!best_image ||
            is_better_capability(image.compute_capability, best_image->compute_capability))
            best_image = &image;
    return best_image;
}

}  // namespace coalesce::simulator::fatbin
