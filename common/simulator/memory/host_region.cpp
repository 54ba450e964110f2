// See host_region.h.
//
// Watch   Variables without an initial value are in pages that belong to no file. The loader puts
//         these pages directly after the writable pages of the file that defines the variables.
//         This library reserves far more addresses for device memory and its shadow than there is
//         memory. Those addresses belong to no variable.
#include "simulator/memory/host_region.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

namespace coalesce::simulator {

static u64 machine_memory_bytes() {
    return static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGESIZE));
}

namespace {

/// A part of this process's memory.
struct Mapping {
    unsigned long long begin = 0, end = 0;
    char access[5] = "";  ///< such as "rw-p" or "r-xp"
    std::string name;
    bool is_file_mapping = false;
};

/// Finds the mapping that contains the address. If there is none, `end` of the result is 0.
Mapping find_mapping(u64 address) {
    std::ifstream maps("/proc/self/maps");
    u64 end_of_file_part = 0;
    for (std::string line; std::getline(maps, line);) {
        Mapping mapping;
        int name_at = 0;
        // The fields of a line, for example: "55d0c0a00000-55d0c0a01000 rw-p 00003000 08:01 1234
        // /home/ada/program".
        if (std::sscanf(line.c_str(), "%llx-%llx %4s %*x %*x:%*x %*u %n", &mapping.begin,
                        &mapping.end, mapping.access, &name_at) != 3)
            continue;
        mapping.name = line.substr(static_cast<std::size_t>(name_at));
        mapping.is_file_mapping = mapping.name.starts_with('/') ||
                                  (mapping.name.empty() && mapping.begin == end_of_file_part);
        end_of_file_part = mapping.is_file_mapping ? mapping.end : 0;
        if (address >= mapping.begin && address < mapping.end) return mapping;
    }
    return {};
}

bool holds_pointer_to_code(u64 address) {
    u64 pointer = 0;
    if (address % sizeof pointer != 0) return false;
    std::memcpy(&pointer, reinterpret_cast<const void*>(address), sizeof pointer);
    return find_mapping(pointer).access[2] == 'x';
}

}  // namespace

HostRegion find_host_region(u64 address) {
    const Mapping mapping = find_mapping(address);
    if (mapping.access[0] != 'r' || mapping.end - mapping.begin > machine_memory_bytes())
        return HostRegion::none;
    if (mapping.is_file_mapping)
        return holds_pointer_to_code(address) ? HostRegion::functions : HostRegion::variable;
    if (mapping.name == "[heap]") return HostRegion::heap;
    if (mapping.name == "[stack]") return HostRegion::stack;
    return mapping.name.empty() ? HostRegion::anonymous : HostRegion::none;
}

}  // namespace coalesce::simulator
