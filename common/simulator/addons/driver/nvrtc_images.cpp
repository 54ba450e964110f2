// Programs that compile with NVRTC for a real GPU and take machine code: they get the PTX of the same
// compilation, which NVRTC has as well, and which loads wherever a cubin does.
//
// `simulate` has this library loaded before NVRTC's, so that it is asked first.
#include <dlfcn.h>

#include <cstddef>

namespace {

using Program = void*;    // nvrtcProgram
using NvrtcResult = int;  // nvrtcResult
constexpr NvrtcResult kInternalError = 11;

template <class Argument>
NvrtcResult ask_nvrtc(const char* function, Program program, Argument argument) {
    const auto found =
        reinterpret_cast<NvrtcResult (*)(Program, Argument)>(dlsym(RTLD_NEXT, function));
    return found ? found(program, argument) : kInternalError;
}

}  // namespace

extern "C" {

NvrtcResult nvrtcGetCUBINSize(Program program, std::size_t* size) {
    return ask_nvrtc("nvrtcGetPTXSize", program, size);
}

NvrtcResult nvrtcGetCUBIN(Program program, char* image) {
    return ask_nvrtc("nvrtcGetPTX", program, image);
}

}  // extern "C"
