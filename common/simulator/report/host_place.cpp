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
#    include <sstream>
#    include <string>
#    include <string_view>
#    include <system_error>
#    include <utility>
#    include <vector>

#    include "base/child.h"
#endif

namespace coalesce::simulator {

#if defined(__GLIBC__)
namespace {

/// The maximum number of lookups in a process, and the maximum number of failed lookups in one
/// file. Lookups are slow, because each one starts a program.
constexpr std::size_t kMaxLookups = 100;
constexpr int kMaxFailures = 4;
constexpr double kLookupSeconds = 10;

/// A function whose code contains an address, either directly or because it was inlined there, and
/// the line within that function.
struct HostFrame {
    std::string function;  ///< the name that the linker knows, or the name in the source
    Place place;
};

/// Returns the name of the source file from which nvcc generated `file`, or `file` itself if nvcc
/// did not generate it. In some functions, addr2line attributes a line of sum.cu to
/// "/tmp/tmpxft_0000457c_00000000-6_sum.cudafe1.cpp".
std::string find_source_file(const std::string& file) {
    constexpr std::string_view stub_suffix = ".cudafe1.cpp", beginning = "tmpxft_";
    if (!file.ends_with(stub_suffix)) return file;
    std::string name = file.substr(0, file.size() - stub_suffix.size());
    name = name.substr(name.rfind('/') + 1);
    if (name.starts_with(beginning)) name = name.substr(name.find('_', name.find('-')) + 1);
    return name + ".cu";
}

/// Parses a line such as "/home/me/sum.cu:12", which may be followed by "(discriminator 2)".
Place read_place(const std::string& line) {
    const std::size_t end = line.find(' '), colon_position = line.rfind(':', end);
    if (colon_position == line.npos || line.starts_with("??")) return {};
    return {find_source_file(line.substr(0, colon_position)),
            static_cast<u32>(std::strtoul(line.c_str() + colon_position + 1, nullptr, 10))};
}

/// Parses the output of addr2line, which has two lines for each function: its name and its source
/// location.
std::vector<HostFrame> read_frames(const std::string& output) {
    std::vector<HostFrame> frames;
    std::istringstream lines(output);
    for (std::string name, line; std::getline(lines, name) && std::getline(lines, line);)
        if (const Place place = read_place(line); place.line != 0) frames.push_back({name, place});
    return frames;
}

/// Runs addr2line, which comes with every compiler, to find the functions that contain an offset in
/// a file, innermost first.
std::vector<HostFrame> run_lookup(const std::string& file, u64 offset) {
    static std::mutex mutex;
    static std::map<std::pair<std::string, u64>, std::vector<HostFrame>> frames_by_address;
    static std::map<std::string, int> failures_by_file;
    const std::lock_guard lock(mutex);
    const auto [found, is_new] = frames_by_address.try_emplace({file, offset});
    // If kMaxFailures lookups in the file have failed, the file probably has no debug information.
    if (!is_new || frames_by_address.size() > kMaxLookups || failures_by_file[file] == kMaxFailures)
        return found->second;
    char hexadecimal[32];
    std::snprintf(hexadecimal, sizeof hexadecimal, "0x%llx",
                  static_cast<unsigned long long>(offset));
    try {
        const ProcessResult result = run_to_end({.program = "addr2line",
                                                 .arguments = {"-i", "-f", "-e", file, hexadecimal},
                                                 .environment = {"LD_PRELOAD="}},
                                                kLookupSeconds);
        if (result.exit_code == 0) found->second = read_frames(result.output);
    } catch (const std::exception&) {
        // addr2line is not installed, so the line remains unknown.
    }
    if (found->second.empty()) ++failures_by_file[file];
    return found->second;
}

/// Reports whether the file is part of the program. Compiler headers and kernel launch stubs are
/// not.
bool is_program_file(const std::string& file) {
    for (const std::string_view excluded_part : {"/usr/", "/include/", ".stub.c", "cuda_runtime"})
        if (file.find(excluded_part) != file.npos) return false;
    return !file.empty();
}

/// Reports whether nvcc generated this function to launch a kernel. For the function that calls a
/// stub, the debug information gives the line of the kernel's definition instead of the line of the
/// launch.
bool is_launch_stub(const HostFrame& frame) {
    return frame.function.starts_with("__device_stub__") ||
           frame.place.file.find(".stub.c") != frame.place.file.npos;
}

/// Returns the functions that contain the address, innermost first.
std::vector<HostFrame> find_frames(u64 address) {
    Dl_info module{};
    if (!dladdr(reinterpret_cast<void*>(address), &module) || !module.dli_fname) return {};
    const u64 module_base = reinterpret_cast<u64>(module.dli_fbase);
    // The file of a position-dependent program contains absolute addresses, so do not subtract the
    // base address.
    const auto* header = static_cast<const ElfW(Ehdr)*>(module.dli_fbase);
    const u64 offset = header->e_type == ET_DYN ? address - module_base : address;
    if (module.dli_fname[0] == '/') return run_lookup(module.dli_fname, offset);
    // For the program itself, dladdr returns argv[0], which can be any string. Therefore, read the
    // path of the executable.
    std::error_code error;
    const auto program_path = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::vector<HostFrame>{} : run_lookup(program_path.string(), offset);
}

}  // namespace

Place find_host_place(u64 address) {
    const std::vector<HostFrame> frames = find_frames(address);
    for (const HostFrame& frame : frames)
        if (is_program_file(frame.place.file)) return frame.place;
    return frames.empty() ? Place{} : frames.front().place;
}

Place find_calling_place() {
    constexpr int kMaxFrames = 32;
    void* addresses[kMaxFrames];
    const int count = backtrace(addresses, kMaxFrames);
    Dl_info simulator_module{};
    dladdr(reinterpret_cast<void*>(&find_calling_place), &simulator_module);
    bool follows_stub = false;
    for (int k = 0; k < count; ++k) {
        Dl_info module{};
        if (!dladdr(addresses[k], &module) || !module.dli_fname ||
            module.dli_fbase == simulator_module.dli_fbase)
            continue;
        const std::string_view file = module.dli_fname;
        if (file.find("/libcud") != file.npos || file.find("/libcublas") != file.npos ||
            file.starts_with("/lib/") || file.starts_with("/usr/"))
            continue;
        // The return address is that of the instruction after the call, so subtract 1.
        for (const HostFrame& frame : find_frames(reinterpret_cast<u64>(addresses[k]) - 1)) {
            const bool is_stub = is_launch_stub(frame);
            const bool is_launch = std::exchange(follows_stub, is_stub) || is_stub;
            if (!is_launch && is_program_file(frame.place.file)) return frame.place;
        }
    }
    return {};
}
#else
Place find_host_place(u64) {
    return {};
}
Place find_calling_place() {
    return {};
}
#endif

}  // namespace coalesce::simulator
