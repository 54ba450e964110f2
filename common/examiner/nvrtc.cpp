// Loads NVRTC only when it is needed, so that programs start quickly and also run on computers
// without NVRTC.
#include <dlfcn.h>

#include <filesystem>
#include <vector>

#include "examiner/compilers.h"

namespace coalesce {
namespace {

/// NVRTC's handle for a program, declared here so that the build does not need NVRTC's headers.
using nvrtcProgram = struct _nvrtcProgram*;

/// Calls an NVRTC function. The types of the arguments must be exactly those of the function's
/// parameters. Returns false if the function fails or does not exist.
template <class... Arguments>
bool call_nvrtc(void* library, const char* name, Arguments... arguments) {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
    return function && function(arguments...) == 0;
}

/// Opens NVRTC's library of built-in functions. NVRTC looks for this library only by its file name.
/// If the toolkit is outside the system's folders, NVRTC therefore finds the library only if it is
/// already open.
void open_builtins(const std::filesystem::path& folder) {
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
        if (!entry.path().filename().string().starts_with("libnvrtc-builtins.so.")) continue;
        dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    }
}

/// Opens NVRTC. Returns null on failure. The library is never closed, because it owns threads and
/// tables.
void* open_library(const std::string& path) {
    open_builtins(std::filesystem::path(path).parent_path());
    return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// Host headers that kernels often include and that NVRTC does not provide. printf and assert
/// themselves are built into NVRTC.
constexpr const char* kHostHeaders[] = {"cstdio",   "stdio.h",  "cassert",  "assert.h", "cstdlib",
                                        "stdlib.h", "cstddef",  "stddef.h", "cmath",    "math.h",
                                        "cstdint",  "stdint.h", "climits",  "limits.h", "cstring",
                                        "string.h", "new"};

constexpr const char* kIntegerTypes = R"(#pragma once
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
namespace std {
using ::int8_t, ::int16_t, ::int32_t, ::int64_t;
using ::uint8_t, ::uint16_t, ::uint32_t, ::uint64_t;
using ::intptr_t, ::uintptr_t;
}
)";

constexpr const char* kLimits = R"(#pragma once
#define CHAR_BIT 8
#define INT_MAX 0x7fffffff
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 0xffffffffu
#define LLONG_MAX 0x7fffffffffffffffll
#define LLONG_MIN (-LLONG_MAX - 1)
#define ULLONG_MAX 0xffffffffffffffffull
)";

/// NVRTC declares size_t and ptrdiff_t itself, outside of namespace std.
constexpr const char* kPointerTypes = R"(#pragma once
#define offsetof(type, member) __builtin_offsetof(type, member)
namespace std {
using ::size_t, ::ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
}
)";

constexpr const char* kStandardMathematics = R"(#pragma once
namespace std {
using ::abs, ::ceil, ::copysign, ::cos, ::exp, ::fabs, ::floor, ::fma, ::fmax, ::fmin, ::log;
using ::pow, ::rint, ::round, ::sin, ::sqrt, ::trunc;
}
)";

/// Returns the text of a host header that NVRTC does not provide.
const char* find_header_text(const std::string& name) {
    if (name == "cstdint" || name == "stdint.h") return kIntegerTypes;
    if (name == "cstddef" || name == "stddef.h") return kPointerTypes;
    if (name == "climits" || name == "limits.h") return kLimits;
    if (name == "cmath") return kStandardMathematics;
    return name == "cstring" ? "namespace std { using ::memcpy, ::memset; }\n" : "";
}

/// Creates an NVRTC program from the wrapped source code, or returns null on failure.
nvrtcProgram create_program(void* library, const std::string& wrapped_source) {
    std::vector<const char*> texts;
    for (const char* name : kHostHeaders) texts.push_back(find_header_text(name));
    nvrtcProgram program = nullptr;
    const bool is_program_created = call_nvrtc(
        library, "nvrtcCreateProgram", &program, wrapped_source.c_str(), "/coalesce/kernel.cu",
        static_cast<int>(texts.size()), texts.data(), kHostHeaders);
    return is_program_created ? program : nullptr;
}

/// Returns a string that NVRTC generated for a program. The function `size` returns the length of
/// the string, including the terminating null character. The function `get` returns the string
/// itself.
std::string read_text(void* library, nvrtcProgram program, const char* size, const char* get) {
    std::size_t bytes = 0;
    if (!call_nvrtc(library, size, program, &bytes) || bytes == 0) return "";
    std::string text(bytes, '\0');
    if (!call_nvrtc(library, get, program, text.data())) return "";
    text.resize(bytes - 1);
    return text;
}

/// Compiles with these options, in addition to those that every compilation needs.
RawOutput run_with_options(const std::string& path, const std::string& wrapped_source,
                           const std::string& architecture, std::vector<std::string> options) {
    RawOutput result;
    void* const library = open_library(path);
    nvrtcProgram program = library ? create_program(library, wrapped_source) : nullptr;
    if (!program) {
        result.output = path + " cannot be used";
        return result;
    }
    // Compile functions without __device__ for the device too, because the program contains no host
    // code. NVRTC searches for headers in the toolkit and in the folder of the source. The latter
    // does not exist, so no other file can be included.
    options.insert(options.end(),
                   {"-std=c++20", "-default-device", "--gpu-architecture=" + architecture});
    const std::string headers = toolkit_headers();
    if (!headers.empty()) {
        options.push_back("-I" + headers);
        options.push_back("-I" + headers + "/cccl");
    }
    std::vector<const char*> pointers;
    for (const std::string& option : options) pointers.push_back(option.c_str());
    const bool is_compiled = call_nvrtc(library, "nvrtcCompileProgram", program,
                                        static_cast<int>(pointers.size()), pointers.data());
    result.output = read_text(library, program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
    if (is_compiled) result.ptx = read_text(library, program, "nvrtcGetPTXSize", "nvrtcGetPTX");
    result.is_good = !result.ptx.empty();
    call_nvrtc(library, "nvrtcDestroyProgram", &program);
    return result;
}

}  // namespace

RawOutput run_nvrtc(const std::string& path, const std::string& wrapped_source,
                    const std::string& architecture, bool keeps_variables) {
    return run_with_options(path, wrapped_source, architecture,
                            {keeps_variables ? "-G" : "-lineinfo"});
}

RawOutput run_nvrtc_quickly(const std::string& path, const std::string& source,
                            const std::string& architecture) {
    return run_with_options(path, source, architecture, {"-Ofc=mid"});
}

std::string nvrtc_version(const std::string& path) {
    int major = 0, minor = 0;
    void* const library = open_library(path);
    if (!library || !call_nvrtc(library, "nvrtcVersion", &major, &minor)) return "";
    return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace coalesce
