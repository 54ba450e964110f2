/// \file
/// Memory that two processes share and one of them can lock: memfds with seals.
///
/// What the grader gives is sealed before it is given: nobody can change it. What the grader gets has
/// a fixed size and is copied before it is read: whoever could still write to it changes nothing that
/// is looked at. (A seal would be refused while anybody can write, but also while the kernel moves a
/// page of it about, which is nobody's fault.)
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.h"

namespace coalesce::grader {

/// Bytes of a memfd, seen through a mapping that goes with it.
class Mapping {
public:
    /// Maps the whole of it; throws std::runtime_error when that cannot be done.
    Mapping(int descriptor, bool is_writable);
    ~Mapping();
    /// Takes over what `other` has.
    Mapping(Mapping&& other) noexcept;

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
/// From now on nobody can write to it. Waits while a page of it is held; false when somebody can still
/// write, or holds a page for very long.
bool seal(int descriptor);

/// Writes a text to the front of a memory, its length before it. False: it has no room.
bool put_text(std::span<std::byte> memory, std::string_view text);

/// What a worker wrote into memory that was blank.
class Answer {
public:
    Answer() = default;
    /// Takes over the memory.
    explicit Answer(Descriptor memory) : memory_(std::move(memory)) {}
    /// A copy of so many bytes. Throws std::runtime_error when there are fewer.
    std::string bytes(std::size_t offset, std::size_t count) const;
    /// A copy of the text that `put_text` wrote there; nothing sensible when the length is a lie, but
    /// never more than the memory has.
    std::string text(std::size_t offset = 0) const;

private:
    Descriptor memory_;
};

}  // namespace coalesce::grader
