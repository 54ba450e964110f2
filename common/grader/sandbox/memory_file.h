/// \file
/// Memory that two processes share and that one of them can make read-only: memfds with seals.
///
/// The grader seals a file before it sends it, so that nobody can change it. A file that the grader receives has a fixed
/// size, and the grader copies it before reading it, so later writes have no effect. (Sealing the received file instead
/// would fail while another process can write to it, and also while Linux moves one of its pages.)
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.h"

namespace coalesce::grader {

/// A mapping of a memfd, which is removed with this object.
class Mapping {
public:
    /// Maps the whole memfd. Throws std::runtime_error if that fails.
    Mapping(int descriptor, bool is_writable);
    ~Mapping();
    /// Takes over the mapping of `other`.
    Mapping(Mapping&& other) noexcept;

    /// Returns the first byte.
    std::byte* data() const { return data_; }
    /// Returns the number of bytes.
    std::size_t size() const { return size_; }

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Returns a memfd with these bytes, which can never change. Throws std::runtime_error.
Descriptor sealed_memory(std::string_view bytes);
/// Returns a memfd of a fixed size, filled with zeros. Throws std::runtime_error.
Descriptor blank_memory(std::size_t bytes);
/// Makes the memfd read-only. Waits while the kernel holds one of its pages. Returns false if another process can
/// still write, or a page is held for very long.
bool seal(int descriptor);

/// Writes a text with its length to the front of a memory. Returns false if it does not fit.
bool put_text(std::span<std::byte> memory, std::string_view text);

/// The answer that a worker wrote into blank memory.
class Answer {
public:
    Answer() = default;
    /// Takes over the memory.
    explicit Answer(Descriptor memory) : memory_(std::move(memory)) {}
    /// Returns a copy of `count` bytes. Throws std::runtime_error if there are fewer.
    std::string bytes(std::size_t offset, std::size_t count) const;
    /// Returns a copy of the text that `put_text` wrote. If the length is wrong the text is meaningless, but never
    /// longer than the memory.
    std::string text(std::size_t offset = 0) const;

private:
    Descriptor memory_;
};

}  // namespace coalesce::grader
