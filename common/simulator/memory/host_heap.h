// Finds the block of host memory from malloc or new that contains an address.
//
// Idea   The heap of glibc consists of adjacent chunks, each preceded by its size. Walking over the
//        chunks from the first one shows where each chunk begins. Large blocks have their own
//        mappings, and begin at a fixed offset in a page.
// Watch  No block is found for other allocators, the heaps of other threads, the stack, variables,
//        or an address inside a large block.
#pragma once

#include "simulator/base/types.h"
#include "simulator/memory/address_zone.h"

namespace coalesce::simulator {

/// Returns the block that contains `address`, if the access to [address, address + bytes) extends
/// past the end of this block. Otherwise, or if the block is not known, returns an empty interval.
Interval find_overrun_host_block(u64 address, u64 bytes);

}  // namespace coalesce::simulator
