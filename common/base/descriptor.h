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
    /// Takes ownership of `number`, where -1 means no descriptor.
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() { reset(); }
    /// Takes ownership from `other`.
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    /// Closes the current descriptor and takes ownership from `other`.
    Descriptor& operator=(Descriptor&& other) noexcept {
        reset(std::exchange(other.number_, -1));
        return *this;
    }

    /// Returns the descriptor, or -1 if there is none.
    int get() const { return number_; }
    /// Reports whether a descriptor is owned.
    explicit operator bool() const { return number_ >= 0; }
    /// Closes the current descriptor and takes ownership of `number`.
    void reset(int number = -1) {
        if (number_ >= 0) close(number_);
        number_ = number;
    }
    /// Gives up ownership and returns the descriptor.
    int release() { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};

/// The two ends of a pipe. Child processes do not inherit them.
struct Pipe {
    /// Throws std::runtime_error if the pipe cannot be created.
    Pipe();
    Descriptor read, write;
};

/// Writes all bytes. Returns false on failure, with the reason in errno.
bool write_all(int descriptor, std::string_view bytes);
/// Appends the rest of the file to `bytes`, but stops once `bytes` is longer than `limit`. Returns
/// false on failure, with the reason in errno.
bool read_all(int descriptor, std::string& bytes, std::size_t limit = std::string::npos);

}  // namespace coalesce
