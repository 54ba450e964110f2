// A fake NVRTC that belongs to a toolkit in a folder that the system's loader does not search. It
// compiles only if it can load its library of built-in functions by name.
#include <dlfcn.h>

#include <cstddef>
#include <cstring>

namespace {
constexpr const char* kPtx = "// compiled";
}

extern "C" {
int nvrtcVersion(int* major, int* minor) {
    *major = 13, *minor = 9;
    return 0;
}
int nvrtcCreateProgram(void** program, const char*, const char*, int, const char* const*,
                       const char* const*) {
    static int one;
    *program = &one;
    return 0;
}
int nvrtcDestroyProgram(void**) {
    return 0;
}
int nvrtcCompileProgram(void*, int, const char* const*) {
    return dlopen("libnvrtc-builtins.so.13.9", RTLD_NOW) ? 0 : 1;
}
int nvrtcGetProgramLogSize(void*, std::size_t* bytes) {
    *bytes = 1;
    return 0;
}
int nvrtcGetProgramLog(void*, char* text) {
    *text = '\0';
    return 0;
}
int nvrtcGetPTXSize(void*, std::size_t* bytes) {
    *bytes = std::strlen(kPtx) + 1;
    return 0;
}
int nvrtcGetPTX(void*, char* text) {
    std::strcpy(text, kPtx);
    return 0;
}
}
