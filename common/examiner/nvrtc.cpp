// NVRTC, opened when it is first needed, so that programs start without it and run where it is not.
#include <dlfcn.h>

#include <filesystem>
#include <vector>

#include "examiner/compilers.h"

namespace coalesce {
namespace {

/// What NVRTC compiles; none of its headers is needed to build this.
using nvrtcProgram = struct _nvrtcProgram*;

/// Calls a function of NVRTC, with arguments of just its types. False: it failed, or the library has none.
template <class... Arguments>
bool call_nvrtc(void* library, const char* name, Arguments... arguments) {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
    return function && function(arguments...) == 0;
}

/// NVRTC opens this library by its name alone, which finds it only where the toolkit's folder is one of
/// the system's (not in a toolkit that was unpacked by hand). One that is open already is found anywhere.
void open_builtins(const std::filesystem::path& folder) {
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
        if (!entry.path().filename().string().starts_with("libnvrtc-builtins.so.")) continue;
        dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    }
}

/// NVRTC itself; null when it cannot be opened. Never closed: it keeps threads and tables.
void* library_at(const std::string& path) {
    open_builtins(std::filesystem::path(path).parent_path());
    return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// Headers of the host that kernels written elsewhere begin with. NVRTC has none of them, and what
/// a kernel needs of them, printf and assert, it knows by itself.
constexpr const char* kHostHeaders[] = {"cstdio",  "stdio.h",  "cassert", "assert.h",
                                        "cstdlib", "stdlib.h", "cstddef", "stddef.h",
                                        "cmath",   "math.h",   "cstdint", "stdint.h"};

constexpr const char* kIntegerTypes = R"(#pragma once
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
namespace std {
using ::int8_t, ::int16_t, ::int32_t, ::int64_t;
using ::uint8_t, ::uint16_t, ::uint32_t, ::uint64_t;
}
)";

/// What NVRTC is to find in such a header.
const char* text_of_header(const std::string& name) {
    return name == "cstdint" || name == "stdint.h" ? kIntegerTypes : "";
}

/// A program of that text; null when NVRTC makes none.
nvrtcProgram program_of(void* library, const std::string& wrapped) {
    std::vector<const char*> texts;
    for (const char* name : kHostHeaders) texts.push_back(text_of_header(name));
    nvrtcProgram program = nullptr;
    const bool is_made =
        call_nvrtc(library, "nvrtcCreateProgram", &program, wrapped.c_str(), "/coalesce/kernel.cu",
                   static_cast<int>(texts.size()), texts.data(), kHostHeaders);
    return is_made ? program : nullptr;
}

/// A text that NVRTC gives, by the functions for its size, with a zero at its end, and for itself.
std::string text_of(void* library, nvrtcProgram program, const char* size, const char* get) {
    std::size_t bytes = 0;
    if (!call_nvrtc(library, size, program, &bytes) || bytes == 0) return "";
    std::string text(bytes, '\0');
    if (!call_nvrtc(library, get, program, text.data())) return "";
    text.resize(bytes - 1);
    return text;
}

}  // namespace

RawOutput run_nvrtc(const std::string& path, const std::string& wrapped,
                    const std::string& architecture) {
    RawOutput result;
    void* const library = library_at(path);
    nvrtcProgram program = library ? program_of(library, wrapped) : nullptr;
    if (!program) {
        result.output = path + " cannot be used";
        return result;
    }
    // Functions without __device__ are for the device: there is no host here. Headers are looked
    // for in the toolkit, and beside the source: in a folder that does not exist.
    std::vector<std::string> options = {"-std=c++20", "-lineinfo", "-default-device",
                                        "--gpu-architecture=" + architecture};
    const std::string headers = toolkit_headers();
    if (!headers.empty()) {
        options.push_back("-I" + headers);
        options.push_back("-I" + headers + "/cccl");
    }
    std::vector<const char*> pointers;
    for (const std::string& option : options) pointers.push_back(option.c_str());
    const bool is_compiled = call_nvrtc(library, "nvrtcCompileProgram", program,
                                        static_cast<int>(pointers.size()), pointers.data());
    result.output = text_of(library, program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
    if (is_compiled) result.ptx = text_of(library, program, "nvrtcGetPTXSize", "nvrtcGetPTX");
    result.is_good = !result.ptx.empty();
    call_nvrtc(library, "nvrtcDestroyProgram", &program);
    return result;
}

std::string nvrtc_version(const std::string& path) {
    int major = 0, minor = 0;
    void* const library = library_at(path);
    if (!library || !call_nvrtc(library, "nvrtcVersion", &major, &minor)) return "";
    return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace coalesce
