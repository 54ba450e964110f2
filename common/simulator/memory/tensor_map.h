// A tensor map, which a kernel passes to cp.async.bulk.tensor. The map describes an array in global
// memory, and the size of the box that a copy transfers.
//
// Builds on  base/types.h.
// Idea       A map consists of 128 bytes. Their layout is not documented, so programs cannot depend
//            on it.
// Trust      Kernels can change the bytes of a map, so the bytes are never interpreted.
//            `encode_map` stores the contents of each map where kernels have no access, and
//            `decode_map` finds the contents by the map's bytes. Unknown bytes are rejected. The
//            bytes need not be secret, because a program that guesses the bytes of a map only gets
//            a copy of this map.
// Watch      Dimension 0 is the innermost one, whose elements are adjacent. The stride of dimension
//            0 is the element's size.
#pragma once

#include <optional>
#include <string>

#include "simulator/base/types.h"

namespace coalesce::simulator {

inline constexpr u32 kTensorMapBytes = 128;
inline constexpr u32 kMaxDimensions = 5;
/// The size in bytes of a chunk, the unit of copies and of swizzling.
inline constexpr u32 kCopyChunkBytes = 16;

enum class Swizzle : u8 { none, by_32, by_64, by_128 };

/// The contents of a tensor map. The bytes of this struct, padded to kTensorMapBytes, are the map
/// that a kernel passes.
struct TensorMap {
    u64 address = 0;
    u64 size[kMaxDimensions] = {};    ///< the size of each dimension, in elements
    u64 stride[kMaxDimensions] = {};  ///< strides in bytes; stride[0] is element_bytes
    u32 box[kMaxDimensions] = {};     ///< the size of the box that a copy transfers, in elements
    u32 rank = 0;
    u32 element_bytes = 0;
    Swizzle swizzle = Swizzle::none;
    /// true if elements outside the array are copied as NaN, false if they are copied as zero
    bool fills_with_nan = false;
    u16 type = 0;  ///< a CUtensorMapDataType

    u32 row_bytes() const { return box[0] * element_bytes; }
    /// Returns the number of rows in a box: the product of all its extents except the innermost.
    /// There are at most 2^32 rows.
    u64 rows() const;
    u64 box_bytes() const { return row_bytes() * rows(); }
};

/// The arguments of cuTensorMapEncodeTiled, with enumerators as integers.
struct TensorMapArguments {
    void* encoded_map = nullptr;
    u32 type = 0, rank = 0;
    u64 address = 0;
    const u64* size = nullptr;  ///< the size of each dimension, as an array of `rank` elements
    /// The strides in bytes of all dimensions except the innermost, as an array of `rank` - 1
    /// elements.
    const u64* strides = nullptr;
    const u32* box = nullptr;  ///< the size of the box, as an array of `rank` elements
    /// The strides in elements, as an array of `rank` elements.
    const u32* element_strides = nullptr;
    u32 interleave = 0, swizzle = 0, promotion = 0, fill = 0;
};

/// Creates and stores a map for these arguments. Returns "", or a message that says what is wrong
/// with the arguments.
std::string encode_map(const TensorMapArguments& arguments);

/// Returns the map with these 128 bytes, or nothing if `encode_map` has not created such a map.
std::optional<TensorMap> decode_map(const u8* bytes);

/// Returns the address in shared memory to which swizzling moves the byte at `address`. Swizzling
/// permutes 16-byte chunks within spans of 32, 64 or 128 bytes. The permutation of a span depends
/// on the 128-byte line that contains the span.
u32 swizzle_address(Swizzle swizzle, u32 address);

}  // namespace coalesce::simulator
