// See host_region.h.
//
// Watch   Variables without an initial value are in pages that belong to no file. The loader puts
//         these pages directly after the writable pages of the file that defines the variables. For
//         the bytes of the device and their shadow, this library reserves far more addresses than
//         there is memory. Such addresses belong to no variable.
#include "simulator/memory/host_region.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace coalesce::simulator {

static u64 machine_memory_bytes() {
    return static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGESIZE));
}

HostRegion host_region(u64 address) {
    std::ifstream maps("/proc/self/maps");
    u64 end_of_file_part = 0;
    for (std::string line; std::getline(maps, line);) {
        unsigned long long begin = 0, end = 0;
        char access[5] = "";
        int name_at = 0;
        // The fields of a line, for example: "55d0c0a00000-55d0c0a01000 rw-p 00003000 08:01 1234
        // /home/ada/program".
        if (std::sscanf(line.c_str(), "%llx-%llx %4s %*x %*x:%*x %*u %n", &begin, &end, access,
                        &name_at) != 3)
            continue;
        const std::string name = line.substr(static_cast<std::size_t>(name_at));
        const bool is_of_file =
            name.starts_with('/') || (name.empty() && begin == end_of_file_part);
        end_of_file_part = is_of_file ? end : 0;
        if (address < begin || address >= end) continue;
        if (access[0] != 'r' || end - begin > machine_memory_bytes()) return HostRegion::none;
        if (is_of_file) return HostRegion::variable;
        if (name == "[heap]") return HostRegion::heap;
        if (name == "[stack]") return HostRegion::stack;
        return name.empty() ? HostRegion::anonymous : HostRegion::none;
    }
    return HostRegion::none;
}

}  // namespace coalesce::simulator
