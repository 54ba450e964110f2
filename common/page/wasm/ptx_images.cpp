// Implements fatbin/fatbin.h in a page. There, a program contains uncompressed PTX text for all
// devices.
#include "simulator/fatbin/fatbin.h"

namespace coalesce::simulator::fatbin {

std::vector<PtxImage> read_ptx(const void*, std::size_t) {
    throw FatbinError("a page cannot load programs");
}

std::vector<PtxImage> read_image(const void* data) {
    return {{.text = static_cast<const char*>(data)}};
}

const PtxImage* choose_image(const std::vector<PtxImage>& images, u32) {
    return images.empty() ? nullptr : &images.front();
}

std::vector<const PtxImage*> choose_each(const std::vector<PtxImage>& images, u32) {
    std::vector<const PtxImage*> image_list;
    for (const PtxImage& image : images) image_list.push_back(&image);
    return image_list;
}

}  // namespace coalesce::simulator::fatbin
