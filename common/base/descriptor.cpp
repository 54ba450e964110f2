#include "base/descriptor.h"

#include <cerrno>

namespace coalesce {

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool read_all(int descriptor, std::string& bytes, std::size_t limit) {
    char buffer[65536];
    while (bytes.size() <= limit) {
        const ssize_t count = read(descriptor, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count == 0;
        bytes.append(buffer, static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace coalesce
