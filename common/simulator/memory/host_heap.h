// Finds the block of host memory from malloc or new that contains an address.
//
// Idea   The heap of glibc consists of adjacent chunks, each with its size in front. Walking over
//        them from the first one proves where a chunk begins. Large blocks have mappings of their
//        own, and begin at a fixed offset in a page.
// Watch  Anything else gives no answer: other allocators, the heaps of other threads, the stack,
//        variables, and an address inside a large block.
#pragma once

#include "simulator/base/types.h"
#include "simulator/memory/address_zone.h"

namespace coalesce::simulator {

/// Returns the block that an access to [address, address + bytes) begins in, if the access goes
/// past the end of that block. Otherwise, or if that is not known, returns an empty interval.
Interval find_overrun_host_block(u64 address, u64 bytes);

}  // namespace coalesce::simulator
