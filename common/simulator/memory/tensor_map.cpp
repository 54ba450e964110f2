// See tensor_map.h.
#include "memory/tensor_map.h"

#include <cstring>

namespace coalesce::sim {

namespace {

/// CUtensorMapDataType: bytes of an element, by its number. The packed types of 4 and 6 bits belong
/// to devices of another kind.
constexpr u8 kElementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
constexpr u32 kFirstFloat = 6;

constexpr u32 kLargestBox = 256, kLargestElementStride = 8;
constexpr u64 kLargestSize = u64{1} << 32, kStrideEnd = u64{1} << 40;
constexpr u32 kMapAlignment = 64;

/// What lies in the 128 bytes.
struct Stored {
    static constexpr u64 kMark = 0x70616d2e736e6574;  ///< tens.map
    u64 mark, address;
    u8 rank, type, swizzle, fill;
    u16 box[kMostDimensions];
    u32 size_less_1[kMostDimensions];
    u64 stride[kMostDimensions - 1];
};
static_assert(sizeof(Stored) <= kTensorMapBytes);

std::string dimension(const char* what, u32 number) {
    return std::string(what) + "[" + std::to_string(number) + "]";
}

u32 span_of(u32 swizzle) {
    return 16u << swizzle;
}

std::string fault_of_dimension(const TensorMapArguments& a, u32 d) {
    if (a.size[d] == 0 || a.size[d] > kLargestSize)
        return dimension("globalDim", d) + " is not between 1 and 2^32";
    if (a.box[d] == 0 || a.box[d] > kLargestBox)
        return dimension("boxDim", d) + " is not between 1 and 256";
    if (a.element_strides[d] == 0 || a.element_strides[d] > kLargestElementStride)
        return dimension("elementStrides", d) + " is not between 1 and 8";
    if (a.element_strides[d] != 1)
        return dimension("elementStrides", d) + " is not 1: others are not simulated";
    if (d == 0) return "";
    const u64 stride = a.strides[d - 1];
    if (stride % kPieceBytes != 0)
        return dimension("globalStrides", d - 1) + " is no multiple of 16 bytes";
    if (stride >= kStrideEnd) return dimension("globalStrides", d - 1) + " is not below 2^40";
    return "";
}

std::string fault_of(const TensorMapArguments& a) {
    if (!a.map || reinterpret_cast<std::uintptr_t>(a.map) % kMapAlignment != 0)
        return "tensorMap is not at a multiple of 64 bytes: declare it a CUtensorMap, or "
               "alignas(64)";
    if (a.type >= std::size(kElementBytes)) return "tensorDataType is none that this device has";
    if (a.rank == 0 || a.rank > kMostDimensions) return "tensorRank is not between 1 and 5";
    if (!a.size || !a.box || !a.element_strides || (a.rank > 1 && !a.strides))
        return "globalDim, globalStrides, boxDim or elementStrides is a null pointer";
    if (a.address == 0 || a.address % kPieceBytes != 0)
        return "globalAddress is no multiple of 16 bytes";
    if (a.interleave != 0) return "interleave is not NONE: others are not simulated";
    if (a.swizzle > 3) return "swizzle is none of NONE, 32B, 64B and 128B";
    if (a.promotion > 3) return "l2Promotion is none of NONE, 64B, 128B and 256B";
    if (a.fill > 1) return "oobFill is neither NONE nor NAN_REQUEST_ZERO_FMA";
    if (a.fill == 1 && a.type < kFirstFloat)
        return "oobFill asks for NaNs where elements are integers";
    for (u32 d = 0; d < a.rank; ++d)
        if (const std::string fault = fault_of_dimension(a, d); !fault.empty()) return fault;
    const u32 row = a.box[0] * kElementBytes[a.type];
    if (row % kPieceBytes != 0) return "boxDim[0] elements are no multiple of 16 bytes";
    if (a.swizzle != 0 && row > span_of(a.swizzle))
        return "boxDim[0] elements are more than the " + std::to_string(span_of(a.swizzle)) +
               " bytes that this swizzle spans";
    return "";
}

}  // namespace

u32 TensorMap::rows() const {
    u32 product = 1;
    for (u32 d = 1; d < rank; ++d) product *= box[d];
    return product;
}

std::string encode(const TensorMapArguments& a) {
    if (std::string fault = fault_of(a); !fault.empty()) return fault;
    Stored stored{};
    stored.mark = Stored::kMark;
    stored.address = a.address;
    stored.rank = static_cast<u8>(a.rank);
    stored.type = static_cast<u8>(a.type);
    stored.swizzle = static_cast<u8>(a.swizzle);
    stored.fill = static_cast<u8>(a.fill);
    for (u32 d = 0; d < a.rank; ++d) {
        stored.box[d] = static_cast<u16>(a.box[d]);
        stored.size_less_1[d] = static_cast<u32>(a.size[d] - 1);
        if (d > 0) stored.stride[d - 1] = a.strides[d - 1];
    }
    std::memset(a.map, 0, kTensorMapBytes);
    std::memcpy(a.map, &stored, sizeof stored);
    return "";
}

std::optional<TensorMap> decode(const u8* bytes) {
    Stored stored;
    std::memcpy(&stored, bytes, sizeof stored);
    if (stored.mark != Stored::kMark || stored.rank == 0 || stored.rank > kMostDimensions ||
        stored.type >= std::size(kElementBytes))
        return std::nullopt;
    TensorMap map;
    map.address = stored.address;
    map.rank = stored.rank;
    map.type = stored.type;
    map.element_bytes = kElementBytes[stored.type];
    map.swizzle = static_cast<Swizzle>(stored.swizzle);
    map.fills_with_nan = stored.fill != 0;
    for (u32 d = 0; d < map.rank; ++d) {
        map.box[d] = stored.box[d];
        map.size[d] = u64{stored.size_less_1[d]} + 1;
        map.stride[d] = d == 0 ? map.element_bytes : stored.stride[d - 1];
    }
    return map;
}

u32 swizzled(Swizzle swizzle, u32 address) {
    constexpr u32 kLineBytes = 128;
    const u32 pieces = 1u << static_cast<u32>(swizzle);  // that change places: 1, 2, 4, 8
    return address ^ (address / kLineBytes % pieces) * kPieceBytes;
}

}  // namespace coalesce::sim
