// Takes the PTX out of what nvcc embeds in a program.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator::fatbin {

struct FatbinError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct PtxImage {
    u32 arch = 0;  ///< 90 for compute_90
    std::string text;
};

/// Every PTX entry of the container that starts at `data`, decompressed. When `limit` is not 0 no
/// byte at or past data + limit is read. Throws FatbinError: malformed, or holding machine code
/// only.
std::vector<PtxImage> read_ptx(const void* data, std::size_t limit = 0);

/// The same for an image given to cudaLibraryLoadData: PTX text, a fatbin, or a fatbin wrapper.
std::vector<PtxImage> read_image(const void* data);

/// The newest of them that a device of compute capability `arch` may run, as a driver chooses. Where all are for newer
/// devices, the one closest to `arch`: a driver would refuse it, but most kernels use nothing that is new.
/// nullptr when there is none.
const PtxImage* choose(const std::vector<PtxImage>& images, u32 arch);

}  // namespace coalesce::simulator::fatbin
