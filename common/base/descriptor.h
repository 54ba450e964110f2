/// \file
/// An open file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

namespace coalesce {

/// Owns a descriptor; moves, never copies.
class Descriptor {
public:
    Descriptor() = default;
    /// Takes over `number`; -1: none.
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() { reset(); }
    /// Takes over what `other` has.
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    /// Closes what it had and takes over what `other` has.
    Descriptor& operator=(Descriptor&& other) noexcept {
        reset(std::exchange(other.number_, -1));
        return *this;
    }

    /// The number; -1 when there is none.
    int get() const { return number_; }
    /// Whether there is one.
    explicit operator bool() const { return number_ >= 0; }
    /// Closes it, and owns `number` instead.
    void reset(int number = -1) {
        if (number_ >= 0) close(number_);
        number_ = number;
    }
    /// Gives it away.
    int release() { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};

/// The two ends of a pipe, neither inherited by other programs.
struct Pipe {
    /// Throws std::runtime_error when none can be made.
    Pipe();
    Descriptor read, write;
};

/// Writes all of it. False when that cannot be done; errno says why.
bool write_all(int descriptor, std::string_view bytes);
/// Appends what is there, up to its end or until `limit` bytes are surpassed. False likewise.
bool read_all(int descriptor, std::string& bytes, std::size_t limit = std::string::npos);

}  // namespace coalesce
