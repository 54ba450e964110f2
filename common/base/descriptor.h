#pragma once

#include <unistd.h>

#include <utility>

namespace coalesce {

/// What the system opened, closed when this goes; below 0: nothing.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }
    operator int() const { return number_; }

private:
    int number_ = -1;
};

}  // namespace coalesce
