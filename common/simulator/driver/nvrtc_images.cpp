// Programs that compile with NVRTC for a real GPU and take machine code: they get the PTX of the same
// compilation, which NVRTC has as well, and which loads wherever a cubin does.
//
// `simulate` has this library loaded before NVRTC's, so that it is asked first.
#include <dlfcn.h>

#include <cstddef>

namespace {

using Program = void*;  // nvrtcProgram
using Result = int;     // nvrtcResult
constexpr Result kInternalError = 11;

template <class Argument>
Result ask_nvrtc(const char* function, Program program, Argument argument) {
    const auto found = reinterpret_cast<Result (*)(Program, Argument)>(dlsym(RTLD_NEXT, function));
    return found ? found(program, argument) : kInternalError;
}

}  // namespace

extern "C" {

Result nvrtcGetCUBINSize(Program program, std::size_t* size) {
    return ask_nvrtc("nvrtcGetPTXSize", program, size);
}

Result nvrtcGetCUBIN(Program program, char* image) {
    return ask_nvrtc("nvrtcGetPTX", program, image);
}

}  // extern "C"
