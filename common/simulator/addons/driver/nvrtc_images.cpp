// Replaces NVRTC's functions that return machine code. A program that requests a cubin for a real
// GPU gets the PTX of the same compilation instead, which all functions that load a cubin also
// accept.
//
// `simulate` preloads this library before NVRTC, so that the program finds these functions first.
#include <dlfcn.h>

#include <cstddef>

namespace {

using Program = void*;    // nvrtcProgram
using NvrtcResult = int;  // nvrtcResult
constexpr NvrtcResult kInternalError = 11;

template <class Argument>
NvrtcResult forward_to_nvrtc(const char* function, Program program, Argument argument) {
    const auto nvrtc_function =
        reinterpret_cast<NvrtcResult (*)(Program, Argument)>(dlsym(RTLD_NEXT, function));
    return nvrtc_function ? nvrtc_function(program, argument) : kInternalError;
}

}  // namespace

extern "C" {

NvrtcResult nvrtcGetCUBINSize(Program program, std::size_t* size) {
    return forward_to_nvrtc("nvrtcGetPTXSize", program, size);
}

NvrtcResult nvrtcGetCUBIN(Program program, char* image) {
    return forward_to_nvrtc("nvrtcGetPTX", program, image);
}

}  // extern "C"
