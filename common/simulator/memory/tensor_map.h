// A tensor map: what a kernel hands to cp.async.bulk.tensor, to say how an array lies in global
// memory and which box of it a copy takes.
//
// Builds on  base/types.h.
// Idea       128 bytes, whose layout is the hardware's secret, so programs cannot depend on it.
// Trust      The bytes lie where kernels can write, or are copied there, by kernels too; so nothing is read
//            out of them. They are only looked up among the maps that `encode` has made, which the host keeps
//            where kernels cannot reach: bytes that are not there are no map. A copy is the same map,
//            wherever it lies. No secret is needed: who guesses the bytes of a map has made a copy of it. And
//            none is wanted: the same arguments give the same bytes in every run.
// Watch      Dimension 0 is the innermost one: elements side by side. Its stride is the element's
//            size.
#pragma once

#include <optional>
#include <string>

#include "simulator/base/types.h"

namespace coalesce::simulator {

inline constexpr u32 kTensorMapBytes = 128;
inline constexpr u32 kMostDimensions = 5;
/// Copies move pieces of 16 bytes, and swizzling exchanges those.
inline constexpr u32 kPieceBytes = 16;

enum class Swizzle : u8 { none, by_32, by_64, by_128 };

/// These are the bytes that kernels hand over: each of them counts.
struct TensorMap {
    u64 address = 0;
    u64 size[kMostDimensions] = {};    ///< elements
    u64 stride[kMostDimensions] = {};  ///< bytes from one to the next; [0] is element_bytes
    u32 box[kMostDimensions] = {};     ///< elements that a copy takes
    u32 rank = 0;
    u32 element_bytes = 0;
    Swizzle swizzle = Swizzle::none;
    bool fills_with_nan = false;  ///< elements outside of the array; else zeros
    u16 type = 0;                 ///< CUtensorMapDataType

    u32 row_bytes() const { return box[0] * element_bytes; }
    /// Rows of a box: all that differs in another dimension than the innermost. Up to 2^32.
    u64 rows() const;
    u64 box_bytes() const { return row_bytes() * rows(); }
};

/// The arguments of cuTensorMapEncodeTiled, with its enumerations as the numbers that they are.
struct TensorMapArguments {
    void* map = nullptr;
    u32 type = 0, rank = 0;
    u64 address = 0;
    const u64* size = nullptr;             ///< rank of them
    const u64* strides = nullptr;          ///< rank - 1: the innermost is not told
    const u32* box = nullptr;              ///< rank
    const u32* element_strides = nullptr;  ///< rank
    u32 interleave = 0, swizzle = 0, promotion = 0, fill = 0;
};

/// Writes the map, and keeps it. What is wrong with the arguments, or "" when it was written.
std::string encode(const TensorMapArguments& arguments);

/// The map whose 128 bytes these are; nothing when encode has not made it.
std::optional<TensorMap> decode(const u8* bytes);

/// Where the byte at `address` of shared memory lies when copies are swizzled: within spans of 32,
/// 64 or 128 bytes, pieces of 16 change places with each other, in another way in each line of 128
/// bytes.
u32 swizzled(Swizzle swizzle, u32 address);

}  // namespace coalesce::simulator
