// Looks up driver functions by name, and encodes tensor maps. Programs that use the runtime also
// encode tensor maps through this library.
//
// Programs and libraries look up a name such as "cuMemAlloc" for a particular version of CUDA. The
// look-up ignores that version and returns the newest version of the function in this library,
// which is the one that the name stands for in CUDA 13.
#include <dlfcn.h>

#include <string>

#include "simulator/addons/driver/driver.h"
#include "simulator/base/subjects.h"

using namespace coalesce::simulator::driver;
namespace subjects = coalesce::simulator::subjects;

namespace {

/// The highest version suffix of any function name: 4, as in cuFunction_v4.
constexpr int kMaxVersionSuffix = 4;
constexpr unsigned long long kPerThreadStreamFlag =
    2;  // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM

/// The results of a symbol look-up, numbered as in CUdriverProcAddressQueryResult.
enum QueryResult { kFound = 0, kSymbolNotFound = 1 };

/// Returns the handle of this library. Searching the whole process could find functions of the same
/// name in other libraries.
void* own_library_handle() {
    static void* const handle = [] {
        Dl_info info{};
        dladdr(reinterpret_cast<void*>(own_library_handle), &info);
        return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }();
    return handle;
}

void* find_exported(const std::string& name) {
    return dlsym(own_library_handle(), name.c_str());
}

void* find_newest_version(const std::string& name, const char* suffix) {
    for (int version = kMaxVersionSuffix; version > 1; --version) {
        if (void* address = find_exported(name + "_v" + std::to_string(version) + suffix))
            return address;
    }
    return find_exported(name + suffix);
}

void* find_function(const std::string& name, unsigned long long flags) {
    void* address = nullptr;
    if (flags & kPerThreadStreamFlag) {
        address = find_newest_version(name, "_ptsz");
        if (!address) address = find_newest_version(name, "_ptds");
    }
    return address ? address : find_newest_version(name, "");
}

}  // namespace

extern "C" {

/// Enumeration parameters have type `unsigned` here.
Result cuTensorMapEncodeTiled(void* map, unsigned type, unsigned rank, void* address,
                              const uint64_t* size, const uint64_t* strides, const unsigned* box,
                              const unsigned* element_strides, unsigned interleave,
                              unsigned swizzle, unsigned promotion, unsigned fill) {
    return coalesceEncodeTensorMap(map, type, rank, address, size, strides, box, element_strides,
                                   interleave, swizzle, promotion, fill);
}

Result cuGetProcAddress_v2(const char* symbol, void** function, int, unsigned long long flags,
                           QueryResult* query) {
    if (!symbol || !function) return cudaErrorInvalidValue;
    const std::string name = symbol;
    *function = name.starts_with("cu") ? find_function(name, flags) : nullptr;
    if (query) *query = *function ? kFound : kSymbolNotFound;
    return *function || query ? cudaSuccess : kNotFound;
}

/// Returns no table, because only NVIDIA's driver has these tables. NVRTC works without the table
/// that it requests, so a call from NVRTC just returns an error. NVIDIA's static runtime and other
/// libraries need their tables, so their calls are reported as not simulated.
Result cuGetExportTable(const void** table, const void*) {
    if (table) *table = nullptr;
    Dl_info caller_info{};
    const bool is_known =
        dladdr(__builtin_return_address(0), &caller_info) && caller_info.dli_fname;
    if (is_known && std::string(caller_info.dli_fname).find("libnvrtc") != std::string::npos)
        return cudaErrorNotSupported;
    const std::string alternative =
        std::string(subjects::static_runtime.alternative) + ", without NVIDIA's libraries";
    return coalesceDriverMissing(
        "the internal interface through which the static CUDA runtime and NVIDIA's libraries use "
        "the driver",
        alternative.c_str());
}

/// A program that has loaded libcuda.so.1 by name can look up this function to find out whether the
/// driver is simulated.
int coalesceDriverIsSimulated() {
    return 1;
}

Result cuGetProcAddress(const char* symbol, void** function, int version,
                        unsigned long long flags) {
    return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

}  // extern "C"
