// NVRTC, opened when it is first needed, so that programs start without it and run where it is not.
#include <dlfcn.h>

#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "kernel/compilers.h"

namespace coalesce {
namespace {

// NVRTC's interface, said here so that no header of the toolkit is needed to build this.
using nvrtcProgram = struct _nvrtcProgram*;
enum nvrtcResult { NVRTC_SUCCESS = 0 };

/// The functions that are used of it.
struct Nvrtc {
    nvrtcResult (*version)(int* major, int* minor) = nullptr;
    nvrtcResult (*create)(nvrtcProgram*, const char* text, const char* name, int headers,
                          const char* const* header_texts,
                          const char* const* header_names) = nullptr;
    nvrtcResult (*destroy)(nvrtcProgram*) = nullptr;
    nvrtcResult (*compile)(nvrtcProgram, int options, const char* const* option_texts) = nullptr;
    nvrtcResult (*log_size)(nvrtcProgram, std::size_t* bytes) = nullptr;
    nvrtcResult (*log)(nvrtcProgram, char* text) = nullptr;
    nvrtcResult (*ptx_size)(nvrtcProgram, std::size_t* bytes) = nullptr;
    nvrtcResult (*ptx)(nvrtcProgram, char* text) = nullptr;
    bool is_complete = false;
};

template <class Function>
bool look_up(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
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

Nvrtc open_library(const std::string& path) {
    Nvrtc found;
    open_builtins(std::filesystem::path(path).parent_path());
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return found;
    found.is_complete = look_up(library, "nvrtcVersion", found.version) &&
                        look_up(library, "nvrtcCreateProgram", found.create) &&
                        look_up(library, "nvrtcDestroyProgram", found.destroy) &&
                        look_up(library, "nvrtcCompileProgram", found.compile) &&
                        look_up(library, "nvrtcGetProgramLogSize", found.log_size) &&
                        look_up(library, "nvrtcGetProgramLog", found.log) &&
                        look_up(library, "nvrtcGetPTXSize", found.ptx_size) &&
                        look_up(library, "nvrtcGetPTX", found.ptx);
    return found;
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
nvrtcProgram program_of(const Nvrtc& nvrtc, const std::string& wrapped) {
    std::vector<const char*> texts;
    for (const char* name : kHostHeaders) texts.push_back(text_of_header(name));
    nvrtcProgram program = nullptr;
    const bool is_made =
        nvrtc.is_complete &&
        nvrtc.create(&program, wrapped.c_str(), "/coalesce/kernel.cu",
                     static_cast<int>(texts.size()), texts.data(), kHostHeaders) == NVRTC_SUCCESS;
    return is_made ? program : nullptr;
}

/// Never closed: it keeps threads and tables.
const Nvrtc& library_at(const std::string& path) {
    static auto& opened = *new std::map<std::string, Nvrtc>;
    const auto known = opened.find(path);
    if (known != opened.end()) return known->second;
    return opened[path] = open_library(path);
}

/// A text that NVRTC gives: its size first, with a zero at its end.
template <class Size, class Get>
std::string text_of(nvrtcProgram program, Size size, Get get) {
    std::size_t bytes = 0;
    if (size(program, &bytes) != NVRTC_SUCCESS || bytes == 0) return "";
    std::string text(bytes, '\0');
    if (get(program, text.data()) != NVRTC_SUCCESS) return "";
    text.resize(bytes - 1);
    return text;
}

}  // namespace

RawOutput run_nvrtc(const std::string& path, const std::string& wrapped,
                    const std::string& architecture) {
    RawOutput result;
    const Nvrtc& nvrtc = library_at(path);
    nvrtcProgram program = program_of(nvrtc, wrapped);
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
    const nvrtcResult ended =
        nvrtc.compile(program, static_cast<int>(pointers.size()), pointers.data());
    result.output = text_of(program, nvrtc.log_size, nvrtc.log);
    if (ended == NVRTC_SUCCESS) result.ptx = text_of(program, nvrtc.ptx_size, nvrtc.ptx);
    result.is_good = !result.ptx.empty();
    nvrtc.destroy(&program);
    return result;
}

std::string nvrtc_version(const std::string& path) {
    int major = 0, minor = 0;
    const Nvrtc& nvrtc = library_at(path);
    if (!nvrtc.is_complete || nvrtc.version(&major, &minor) != NVRTC_SUCCESS) return "";
    return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace coalesce
