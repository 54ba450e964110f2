/// \file
/// An open file descriptor that is closed automatically.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

namespace coalesce {

/// The owner of a file descriptor. It can be moved, but not copied.
class Descriptor {
public:
    Descriptor() = default;
    /// Takes ownership of the descriptor `number`. -1 stands for no descriptor.
    explicit Descriptor(int number) : fd_(number) {}
    ~Descriptor() { reset(); }
    /// Takes ownership from `other`.
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    /// Closes the current descriptor and takes ownership of the descriptor of `other`.
    Descriptor& operator=(Descriptor&& other) noexcept {
        reset(std::exchange(other.fd_, -1));
        return *this;
    }

    /// Returns the descriptor, or -1 if there is none.
    int get() const { return fd_; }
    /// Reports whether this object owns a descriptor.
    explicit operator bool() const { return fd_ >= 0; }
    /// Closes the current descriptor and takes ownership of `number`.
    void reset(int number = -1) {
        if (fd_ >= 0) close(fd_);
        fd_ = number;
    }
    /// Gives up ownership and returns the descriptor.
    int release() { return std::exchange(fd_, -1); }

private:
    int fd_ = -1;
};

/// The two ends of a pipe. Child processes do not inherit them.
struct Pipe {
    /// Creates the pipe. Throws std::runtime_error on failure.
    Pipe();
    Descriptor read, write;
};

/// Writes all bytes. Returns false on failure, with the reason in errno.
bool write_all(int descriptor, std::string_view bytes);
/// Appends the rest of the file to `bytes`, but stops once `bytes` is longer than `limit`. Returns
/// false on failure, with the reason in errno.
bool read_all(int descriptor, std::string& bytes, std::size_t limit = std::string::npos);

}  // namespace coalesce
