// Extracts the PTX from the data that nvcc embeds in a program.
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
    u32 compute_capability = 0;  ///< the compute capability, such as 90 for compute_90
    std::string text;
};

/// Returns every PTX entry of the container that starts at `data`, decompressed. Reads at most
/// `readable_bytes` bytes at `data`, or as many as the container's header says if `readable_bytes`
/// is 0. Throws FatbinError if the container is malformed or contains only machine code.
std::vector<PtxImage> read_ptx(const void* data, std::size_t readable_bytes = 0);

/// Returns the PTX of an image passed to cudaLibraryLoadData: PTX text, a fatbin, or a fatbin
/// wrapper. Throws FatbinError like read_ptx.
std::vector<PtxImage> read_image(const void* data);

/// Returns the image that a driver would choose: the newest one that a device of compute capability
/// `compute_capability` can run. If all images are for newer devices, returns the image for the
/// oldest of these devices, because most kernels use no new features and can run anyway. Returns
/// nullptr if there are no images.
const PtxImage* choose_image(const std::vector<PtxImage>& images, u32 compute_capability);

}  // namespace coalesce::simulator::fatbin
