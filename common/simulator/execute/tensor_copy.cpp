// cp.async.bulk.tensor: copies of boxes of an array.
//
// Tensors  Elements of a box that are outside the array are filled with zeros (or NaNs) in copies
//          to shared memory, and skipped in copies to global memory. The mbarrier counts all bytes
//          of the box in either case.
#include <algorithm>

#include "simulator/execute/bulk_copies.h"
#include "simulator/execute/memory_access.h"

namespace coalesce::simulator::bulk {
namespace {

constexpr u32 kBoxAlignment = 128;

/// Sets the address of a piece that begins at the element coordinates `coordinates`, and counts the
/// piece's bytes that are within the array.
void locate_piece_in_array(const TensorMap& map, const i64* coordinates, Piece& piece) {
    piece.bytes_inside_array = 0;
    u64 address = map.address;
    for (u32 d = 0; d < map.rank; ++d) {
        if (coordinates[d] < 0 || static_cast<u64>(coordinates[d]) >= map.size[d]) return;
        address += static_cast<u64>(coordinates[d]) * map.stride[d];
    }
    piece.global_address = address;
    const u64 bytes_left_in_row =
        (map.size[0] - static_cast<u64>(coordinates[0])) * map.element_bytes;
    piece.bytes_inside_array = static_cast<u32>(std::min<u64>(kCopyChunkBytes, bytes_left_in_row));
}

/// Checks that the box of a store does not begin before the start of the array. Otherwise reports
/// an error, as an H200 does, and returns false. The box of a store may extend beyond the end of
/// the array, and the box of a load may extend beyond both ends.
bool check_corner_is_inside(CopyIssue& issue, const TensorMap& map, const i32* corner) {
    for (u32 d = 0; d < map.rank; ++d) {
        if (corner[d] >= 0) continue;
        return issue.fail_copy(
            Status::illegal_instruction, "out of bounds",
            "a box that is stored must not begin before the start of the array, but coordinate " +
                std::to_string(d) + " is " + std::to_string(corner[d]),
            map.address);
    }
    return true;
}

/// Divides a box into pieces, row by row.
bool split_box(CopyIssue& issue, const TensorMap& map, const i32* corner, u32 shared) {
    if (!issue.copy.writes_shared && !check_corner_is_inside(issue, map, corner)) return false;
    if (static_cast<i64>(corner[0]) * map.element_bytes % kCopyChunkBytes != 0)
        return issue.fail_copy(
            Status::illegal_instruction, "misaligned",
            "the innermost coordinate of a box must be a multiple of 16 bytes; " +
                std::to_string(corner[0]) + " elements are " +
                std::to_string(i64{corner[0]} * map.element_bytes) + " bytes",
            map.address);
    const u32 row_bytes = map.row_bytes();
    const Allocation* last_allocation = nullptr;
    // The box fits into shared memory, so the number of rows and the number of bytes are small.
    for (u32 row = 0, rows = static_cast<u32>(map.rows()); row < rows; ++row) {
        i64 at[kMaxDimensions] = {corner[0]};
        for (u32 d = 1, rest = row; d < map.rank; rest /= map.box[d], ++d)
            at[d] = i64{corner[d]} + rest % map.box[d];
        for (u32 byte = 0; byte < row_bytes; byte += kCopyChunkBytes) {
            at[0] = i64{corner[0]} + byte / map.element_bytes;
            Piece piece;
            // If a box does not fill whole lines of 128 bytes, swizzling may move pieces beyond its
            // end.
            piece.shared_offset = swizzle_address(map.swizzle, shared + row * row_bytes + byte);
            if (!check_shared_range(
                    issue, make_shared_address(*issue.copy.owner_block, piece.shared_offset),
                    kCopyChunkBytes))
                return false;
            locate_piece_in_array(map, at, piece);
            if (piece.bytes_inside_array && !find_host_of_piece(issue, piece, last_allocation))
                return false;
            if (piece.bytes_inside_array || issue.copy.writes_shared)
                issue.copy.pieces.push_back(piece);
        }
    }
    return true;
}

}  // namespace

/// Copies a box. Op::b is the map. Op::v[0] to v[3] and Op::d2 are the coordinates.
bool copy_box(Warp& w, const Op* op, int lane) {
    CopyIssue issue = begin_bulk_copy(w, op, lane);
    const u64 map_address = w.lanes<u64>(op->b)[lane];
    u8 bytes[kTensorMapBytes];
    std::optional<TensorMap> map;
    if (read_bytes(w, map_address, lane, kTensorMapBytes, bytes)) map = decode_map(bytes);
    if (!map)
        return issue.fail_copy(
            Status::illegal_instruction, "no tensor map",
            "there is no tensor map at this address, or its 128 bytes were changed; create one "
            "with cuTensorMapEncodeTiled, and pass it as a const __grid_constant__ parameter",
            map_address);
    if (map->rank != op->count)
        return issue.fail_copy(Status::illegal_instruction, "no tensor map",
                               "the tensor map has " + std::to_string(map->rank) +
                                   " dimensions, but the instruction has " +
                                   std::to_string(op->count),
                               map_address);
    issue.copy.fill_value = map->fills_with_nan ? ~0u : 0;
    if (!check_is_multiple(issue, issue.shared_address, kBoxAlignment,
                           "a box's address in shared memory"))
        return false;
    const Slot slots[kMaxDimensions] = {op->v[0], op->v[1], op->v[2], op->v[3], op->d2};
    i32 corner[kMaxDimensions] = {};
    for (u32 d = 0; d < map->rank; ++d) corner[d] = static_cast<i32>(w.lanes<u32>(slots[d])[lane]);
    return issue_copy(issue, map->box_bytes(), [&](CopyIssue& issue, u32 shared) {
        return split_box(issue, *map, corner, shared);
    });
}

}  // namespace coalesce::simulator::bulk
