#include "base/descriptor.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace coalesce {

Pipe::Pipe() {
    int pipe_ends[2];
    if (pipe2(pipe_ends, O_CLOEXEC) != 0)
        throw std::runtime_error(std::string("a pipe cannot be created: ") + std::strerror(errno));
    read.reset(pipe_ends[0]);
    write.reset(pipe_ends[1]);
}

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
