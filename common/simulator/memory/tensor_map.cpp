// See tensor_map.h.
#include "simulator/memory/tensor_map.h"

#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <type_traits>
#include <unordered_map>

namespace coalesce::simulator {

namespace {

/// The size of an element in bytes, indexed by CUtensorMapDataType. (The packed 4-bit and 6-bit
/// types exist only on other devices.)
constexpr u8 kElementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
constexpr u32 kFirstFloatType = 6;

constexpr u32 kMaxBoxElements = 256, kLargestElementStride = 8;
constexpr u64 kMaxDimensionSize = u64{1} << 32, kStrideEnd = u64{1} << 40;
constexpr u32 kMapAlignment = 64;

// TensorMap must have no padding, because padding bytes could make equal maps differ.
static_assert(std::has_unique_object_representations_v<TensorMap>);
static_assert(sizeof(TensorMap) <= kTensorMapBytes);

/// The maps created in this process, keyed by their bytes. Workers may look up maps while the host
/// adds others.
struct KnownMaps {
    std::shared_mutex mutex;
    std::unordered_map<std::string, TensorMap> maps;
};
KnownMaps& known_maps() {
    static KnownMaps& instance =
        *new KnownMaps;  // never destroyed, because programs launch kernels during exit
    return instance;
}

std::string copy_map_bytes(const void* map) {
    return {static_cast<const char*>(map), kTensorMapBytes};
}

std::string format_dimension(const char* dimension_name, u32 number) {
    return std::string(dimension_name) + "[" + std::to_string(number) + "]";
}

u32 swizzle_span_bytes(u32 swizzle) {
    return 16u << swizzle;
}

std::string find_invalid_dimension(const TensorMapArguments& a, u32 d) {
    if (a.size[d] == 0 || a.size[d] > kMaxDimensionSize)
        return format_dimension("globalDim", d) + " is not between 1 and 2^32";
    if (a.box[d] == 0 || a.box[d] > kMaxBoxElements)
        return format_dimension("boxDim", d) + " is not between 1 and 256";
    if (a.element_strides[d] == 0 || a.element_strides[d] > kLargestElementStride)
        return format_dimension("elementStrides", d) + " is not between 1 and 8";
    if (a.element_strides[d] != 1)
        return format_dimension("elementStrides", d) + " is not 1: other values are not simulated";
    if (d == 0) return "";
    const u64 stride = a.strides[d - 1];
    if (stride % kCopyChunkBytes != 0)
        return format_dimension("globalStrides", d - 1) + " is not a multiple of 16 bytes";
    if (stride >= kStrideEnd)
        return format_dimension("globalStrides", d - 1) + " is not below 2^40";
    return "";
}

std::string find_invalid_argument(const TensorMapArguments& a) {
    if (!a.encoded_map || reinterpret_cast<std::uintptr_t>(a.encoded_map) % kMapAlignment != 0)
        return "tensorMap is not aligned to 64 bytes: declare it as a CUtensorMap, or with "
               "alignas(64)";
    if (a.type >= std::size(kElementBytes))
        return "the device does not support this tensorDataType";
    if (a.rank == 0 || a.rank > kMaxDimensions) return "tensorRank is not between 1 and 5";
    if (!a.size || !a.box || !a.element_strides || (a.rank > 1 && !a.strides))
        return "globalDim, globalStrides, boxDim or elementStrides is a null pointer";
    if (a.address == 0 || a.address % kCopyChunkBytes != 0)
        return "globalAddress is not a multiple of 16 bytes";
    if (a.interleave != 0) return "interleave is not NONE: other values are not simulated";
    if (a.swizzle > 3) return "swizzle is not one of NONE, 32B, 64B and 128B";
    if (a.promotion > 3) return "l2Promotion is not one of NONE, 64B, 128B and 256B";
    if (a.fill > 1) return "oobFill is neither NONE nor NAN_REQUEST_ZERO_FMA";
    if (a.fill == 1 && a.type < kFirstFloatType)
        return "oobFill requests NaNs, but the elements are integers";
    for (u32 d = 0; d < a.rank; ++d)
        if (const std::string error_text = find_invalid_dimension(a, d); !error_text.empty())
            return error_text;
    const u32 row = a.box[0] * kElementBytes[a.type];
    if (row % kCopyChunkBytes != 0)
        return "a row of boxDim[0] elements is not a multiple of 16 bytes";
    if (a.swizzle != 0 && row > swizzle_span_bytes(a.swizzle))
        return "a row of boxDim[0] elements is longer than the " +
               std::to_string(swizzle_span_bytes(a.swizzle)) + " bytes that this swizzle spans";
    return "";
}

/// Returns the map that the arguments describe. The arguments must be valid.
TensorMap make_tensor_map(const TensorMapArguments& a) {
    TensorMap map;
    map.address = a.address;
    map.rank = a.rank;
    map.type = static_cast<u16>(a.type);
    map.element_bytes = kElementBytes[a.type];
    map.swizzle = static_cast<Swizzle>(a.swizzle);
    map.fills_with_nan = a.fill != 0;
    for (u32 d = 0; d < a.rank; ++d) {
        map.box[d] = a.box[d];
        map.size[d] = a.size[d];
        map.stride[d] = d == 0 ? map.element_bytes : a.strides[d - 1];
    }
    return map;
}

}  // namespace

u64 TensorMap::rows() const {
    u64 product = 1;
    for (u32 d = 1; d < rank; ++d) product *= box[d];
    return product;
}

std::string encode_map(const TensorMapArguments& a) {
    if (std::string error_text = find_invalid_argument(a); !error_text.empty()) return error_text;
    const TensorMap map = make_tensor_map(a);
    std::memset(a.encoded_map, 0, kTensorMapBytes);
    std::memcpy(a.encoded_map, &map, sizeof map);
    const std::unique_lock lock(known_maps().mutex);
    known_maps().maps.insert_or_assign(copy_map_bytes(a.encoded_map), map);
    return "";
}

std::optional<TensorMap> decode_map(const u8* bytes) {
    const std::shared_lock lock(known_maps().mutex);
    const auto entry = known_maps().maps.find(copy_map_bytes(bytes));
    return entry == known_maps().maps.end() ? std::nullopt : std::optional(entry->second);
}

u32 swizzle_address(Swizzle swizzle, u32 address) {
    constexpr u32 kLineBytes = 128;
    const u32 pieces = 1u << static_cast<u32>(swizzle);  // the number of chunks to permute: 1, 2, 4
                                                         // or 8
    return address ^ (address / kLineBytes % pieces) * kCopyChunkBytes;
}

}  // namespace coalesce::simulator
