// The two compressions that nvcc uses, through the system's libraries.
#pragma once

#include <span>
#include <string>

#include "base/types.h"

namespace coalesce::sim::fatbin {

/// `size` is what the container promises. Throws FatbinError when the data does not keep it.
std::string decompress_zstd(std::span<const u8> compressed, u64 size);
std::string decompress_lz4(std::span<const u8> compressed, u64 size);

}  // namespace coalesce::sim::fatbin
