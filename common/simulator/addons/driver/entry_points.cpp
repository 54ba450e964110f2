// Functions by name, and the maker of tensor maps, for which programs of the runtime come here as well.
//
// Programs and libraries ask for "cuMemAlloc" and the version of CUDA that they know; the
// newest one that is here is what CUDA 13 calls by this name.
#include <dlfcn.h>

#include <string>

#include "simulator/addons/driver/driver.h"
#include "simulator/base/subjects.h"

using namespace coalesce::simulator::driver;
namespace subjects = coalesce::simulator::subjects;

namespace {

/// No function has more versions.
constexpr int kMostVersions = 4;
constexpr unsigned long long kPerThread = 2;  // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM

/// CUdriverProcAddressQueryResult
enum Query { kFound = 0, kSymbolNotFound = 1 };

/// This library, whoever loaded it: others may export the same names.
void* self() {
    static void* const handle = [] {
        Dl_info info{};
        dladdr(reinterpret_cast<void*>(self), &info);
        return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }();
    return handle;
}

void* exported(const std::string& name) {
    return dlsym(self(), name.c_str());
}

void* newest(const std::string& name, const char* suffix) {
    for (int version = kMostVersions; version > 1; --version) {
        if (void* found = exported(name + "_v" + std::to_string(version) + suffix)) return found;
    }
    return exported(name + suffix);
}

void* find(const std::string& name, unsigned long long flags) {
    void* found = nullptr;
    if (flags & kPerThread) {
        found = newest(name, "_ptsz");
        if (!found) found = newest(name, "_ptds");
    }
    return found ? found : newest(name, "");
}

}  // namespace

extern "C" {

/// The enumerations are passed as unsigned numbers.
Result cuTensorMapEncodeTiled(void* map, unsigned type, unsigned rank, void* address,
                              const uint64_t* size, const uint64_t* strides, const unsigned* box,
                              const unsigned* element_strides, unsigned interleave,
                              unsigned swizzle, unsigned promotion, unsigned fill) {
    return coalesceEncodeTensorMap(map, type, rank, address, size, strides, box, element_strides,
                                   interleave, swizzle, promotion, fill);
}

Result cuGetProcAddress_v2(const char* symbol, void** function, int, unsigned long long flags,
                           Query* query) {
    if (!symbol || !function) return cudaErrorInvalidValue;
    const std::string name = symbol;
    *function = name.starts_with("cu") ? find(name, flags) : nullptr;
    if (query) *query = *function ? kFound : kSymbolNotFound;
    return *function || query ? cudaSuccess : kNotFound;
}

/// Tables that only NVIDIA's driver has. Those who ask are its static runtime and its libraries, for whatever
/// they do next; but NVRTC, which looks for a device and needs none.
Result cuGetExportTable(const void** table, const void*) {
    if (table) *table = nullptr;
    Dl_info caller{};
    const bool is_known = dladdr(__builtin_return_address(0), &caller) && caller.dli_fname;
    if (is_known && std::string(caller.dli_fname).find("libnvrtc") != std::string::npos)
        return cudaErrorNotSupported;
    const std::string instead =
        std::string(subjects::static_runtime.instead) + ", without NVIDIA's libraries";
    return coalesceDriverMissing(
        "what the static CUDA runtime and NVIDIA's libraries ask of a driver", instead.c_str());
}

/// Programs that look for this library by its name ask whether it is ours.
int coalesceDriverIsSimulated() {
    return 1;
}

Result cuGetProcAddress(const char* symbol, void** function, int version,
                        unsigned long long flags) {
    return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

}  // extern "C"
