/// \file
/// Memory that two processes share as a memfd. One process can make it read-only with a seal.
///
/// The grader seals each request before sending it, so that no process can change the request. An
/// answer cannot be sealed while a worker can still write to it. Instead, the grader copies the
/// answer and reads only the copy.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.h"

namespace coalesce::grader {

/// A mapping of a memfd. The destructor unmaps it.
class MemoryMapping {
public:
    /// Maps the whole memfd. Throws std::runtime_error on failure.
    MemoryMapping(int descriptor, bool is_writable);
    ~MemoryMapping();
    /// Takes over the mapping owned by `other`.
    MemoryMapping(MemoryMapping&& other) noexcept;

    /// Returns the first byte.
    std::byte* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Returns a sealed memfd that contains these bytes. Throws std::runtime_error on failure.
Descriptor create_sealed_memfd(std::string_view bytes);
/// Returns a memfd of a fixed size, filled with zeros. Throws std::runtime_error on failure.
Descriptor create_blank_memfd(std::size_t bytes);
/// Makes the memfd read-only. Waits while Linux uses one of the memfd's pages. Returns false if
/// another process can still write to the memfd, or if the wait takes too long.
bool seal(int descriptor);

/// Writes a string, preceded by its length, to the start of `memory`. Returns false if it does not
/// fit.
bool write_text_block(std::span<std::byte> memory, std::string_view text);

/// The answer that a worker wrote into a blank memfd.
class Answer {
public:
    Answer() = default;
    /// Takes ownership of the memory.
    explicit Answer(Descriptor memory) : memory_(std::move(memory)) {}
    /// Returns a copy of `count` bytes that start at `offset`. Throws std::runtime_error if the
    /// memory is shorter.
    std::string bytes(std::size_t offset, std::size_t count) const;
    /// Returns a copy of the string that `write_text_block` wrote at `offset`. A worker may store a
    /// wrong length, but the string never extends beyond the memory.
    std::string text(std::size_t offset = 0) const;

private:
    Descriptor memory_;
};

}  // namespace coalesce::grader
