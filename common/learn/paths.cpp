#include "learn/paths.h"

namespace coalesce::learn {

std::filesystem::path repository() {
    return COALESCE_REPOSITORY;
}

std::filesystem::path program_of(const std::string& step) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / step;
}

}  // namespace coalesce::learn
