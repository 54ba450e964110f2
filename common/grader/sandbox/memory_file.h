/// \file
/// Memory that two processes share and one of them can lock: memfds with seals.
///
/// What the grader gives is sealed before it is given: nobody can change it. What the grader gets
/// has a fixed size, and is sealed once its writer is dead: the kernel refuses the seal while anybody
/// could still write, so what is read afterwards cannot change under the reader's eyes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace coalesce::grader {

/// Bytes of a memfd, seen through a mapping that goes with it.
class Mapping {
public:
    Mapping() = default;
    /// Maps the whole of it; throws std::runtime_error when that cannot be done.
    Mapping(int descriptor, bool is_writable);
    ~Mapping();
    /// Takes over what `other` has.
    Mapping(Mapping&& other) noexcept;
    /// Unmaps what it had and takes over what `other` has.
    Mapping& operator=(Mapping&& other) noexcept;

    /// The first byte.
    std::byte* data() const { return data_; }
    /// How many there are.
    std::size_t size() const { return size_; }

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Memory that holds these bytes and will never hold others. Throws std::runtime_error.
Descriptor sealed_memory(std::string_view bytes);
/// Memory of a size that nobody can change, full of zeros. Throws std::runtime_error.
Descriptor blank_memory(std::size_t bytes);
/// From now on nobody can write to it. False when somebody still can, or nobody can tell.
bool seal(int descriptor);
/// Whether it is sealed against writing and change of size.
bool is_sealed(int descriptor);

/// Writes a text to the front of a memory, its length before it. False: it has no room.
bool put_text(std::span<std::byte> memory, std::string_view text);
/// The text that `put_text` wrote; nothing sensible when the length is a lie, but never more than
/// the memory has.
std::string_view text_in(std::span<const std::byte> memory);

}  // namespace coalesce::grader
