#include "simulator/report/host_place.h"

#if defined(__GLIBC__)
#    include <dlfcn.h>
#    include <elf.h>
#    include <execinfo.h>
#    include <link.h>

#    include <cstdio>
#    include <cstdlib>
#    include <cstring>
#    include <exception>
#    include <filesystem>
#    include <map>
#    include <mutex>
#    include <string>
#    include <string_view>
#    include <system_error>
#    include <utility>

#    include "base/child.h"
#endif

namespace coalesce::simulator {

#if defined(__GLIBC__)
namespace {

/// The maximum number of lookups in a process, each of which starts a program, and the maximum
/// number of failed lookups in the same file.
constexpr std::size_t kMaxLookups = 100;
constexpr int kMaxFailures = 4;
constexpr double kLookupSeconds = 10;

/// Parses the output of addr2line, such as "/home/me/sum.cu:12", which may be followed by
/// "(discriminator 2)".
Place read_place(const std::string& line) {
    const std::size_t end = line.find_first_of(" \n"), colon = line.rfind(':', end);
    if (colon == line.npos || line.starts_with("??")) return {};
    return {line.substr(0, colon),
            static_cast<u32>(std::strtoul(line.c_str() + colon + 1, nullptr, 10))};
}

/// Runs addr2line, which comes with every compiler, to find the source line of an offset in a file.
Place look_up(const std::string& file, u64 offset) {
    static std::mutex mutex;
    static std::map<std::pair<std::string, u64>, Place> known;
    static std::map<std::string, int> failures;
    const std::lock_guard lock(mutex);
    const auto [found, is_new] = known.try_emplace({file, offset});
    // After this many failures, the file probably has no debug information.
    if (!is_new || known.size() > kMaxLookups || failures[file] == kMaxFailures)
        return found->second;
    char hexadecimal[32];
    std::snprintf(hexadecimal, sizeof hexadecimal, "0x%llx",
                  static_cast<unsigned long long>(offset));
    try {
        const ProcessResult result = run_to_end({.program = "addr2line",
                                                 .arguments = {"-e", file, hexadecimal},
                                                 .environment = {"LD_PRELOAD="}},
                                                kLookupSeconds);
        if (result.exit_code == 0) found->second = read_place(result.output);
    } catch (const std::exception&) {
        // addr2line is not installed, so the line stays unknown.
    }
    if (found->second.line == 0) ++failures[file];
    return found->second;
}

/// Reports whether the file contains the program's own code, rather than code from a compiler's
/// header or from the stub that launches a kernel.
bool is_of_program(const std::string& file) {
    for (const std::string_view part : {"/usr/", "/include/", ".stub.c", "cuda_runtime"})
        if (file.find(part) != file.npos) return false;
    return !file.empty();
}

}  // namespace

Place host_place(u64 address) {
    Dl_info module{};
    if (!dladdr(reinterpret_cast<void*>(address), &module) || !module.dli_fname) return {};
    const u64 base = reinterpret_cast<u64>(module.dli_fbase);
    // If the program is not position-independent, its file contains absolute addresses, so do not
    // subtract the base address.
    const auto* header = static_cast<const ElfW(Ehdr)*>(module.dli_fbase);
    const u64 offset = header->e_type == ET_DYN ? address - base : address;
    if (module.dli_fname[0] == '/') return look_up(module.dli_fname, offset);
    // For the program itself, dladdr returns argv[0], which the caller may have chosen freely, so
    // read the path of the executable.
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? Place{} : look_up(program.string(), offset);
}

Place calling_place() {
    constexpr int kMostFrames = 32;
    void* frames[kMostFrames];
    const int count = backtrace(frames, kMostFrames);
    Dl_info own{};
    dladdr(reinterpret_cast<void*>(&calling_place), &own);
    for (int k = 0; k < count; ++k) {
        Dl_info module{};
        if (!dladdr(frames[k], &module) || !module.dli_fname || module.dli_fbase == own.dli_fbase)
            continue;
        const std::string_view file = module.dli_fname;
        if (file.find("/libcud") != file.npos || file.find("/libcublas") != file.npos ||
            file.starts_with("/lib/") || file.starts_with("/usr/"))
            continue;
        // The return address is that of the instruction after the call, so subtract 1.
        const Place place = host_place(reinterpret_cast<u64>(frames[k]) - 1);
        if (place.line != 0 && is_of_program(place.file)) return place;
    }
    return {};
}
#else
Place host_place(u64) {
    return {};
}
Place calling_place() {
    return {};
}
#endif

}  // namespace coalesce::simulator
