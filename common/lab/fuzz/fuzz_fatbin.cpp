// libFuzzer target: reads arbitrary bytes as a fat binary. Reading must either throw a FatbinError
// or return PTX texts. The sanitizer detects every read outside of the input.
#include <string>

#include "simulator/fatbin/fatbin.h"
#include "simulator/fatbin/format.h"

using namespace coalesce::simulator;

namespace {

template <typename Read>
void expect_images_or_error(const Read& read) {
    try {
        fatbin::choose_image(read(), 90);
    } catch (const fatbin::FatbinError&) {
    }
}

/// Reports whether the image is PTX text rather than a container. A container states its own size,
/// which the reader can check only if the caller gives a limit.
bool is_text(const std::string& image) {
    u32 magic = 0;
    if (image.size() >= sizeof(magic)) image.copy(reinterpret_cast<char*>(&magic), sizeof(magic));
    return magic != fatbin::kContainerMagic && magic != fatbin::kWrapperMagic;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;  // a limit of 0 would mean no limit
    expect_images_or_error([&] { return fatbin::read_ptx(data, size); });
    const std::string image(reinterpret_cast<const char*>(data), size);
    if (is_text(image)) expect_images_or_error([&] { return fatbin::read_image(image.c_str()); });
    return 0;
}
