// Finds the block that contains a host address, if malloc or new allocated the block.
//
// Idea   The heap of glibc consists of adjacent chunks, each preceded by its size. Walking over the
//        chunks from the first one shows where each chunk begins. Each large block has its own
//        memory mapping, and begins at a fixed offset from the start of a page.
// Limit  No block is found for an address on the stack, in a variable, inside a large block, or in
//        memory from another allocator or from another thread's heap.
#pragma once

#include "simulator/base/types.h"
#include "simulator/memory/address_zone.h"

namespace coalesce::simulator {

/// Returns the block that contains `address` if [address, address + bytes) extends past the end of
/// the block. Returns an empty interval if the range ends within the block, or if the block is not
/// known.
Interval find_overrun_host_block(u64 address, u64 bytes);

}  // namespace coalesce::simulator
