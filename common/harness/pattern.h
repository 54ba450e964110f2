/// \file
/// Computes the values of the input. Element i is an invertible hash of i, so a misplaced value
/// shows which cell it came from.
///
/// Even small matrices contain values that survive only if all bits are copied, such as NaNs with
/// payloads and -0.0. Two values never occur: zero, which unwritten memory often contains, and the
/// poison, which fills the output before a launch. Elements of 1 and 2 bytes cannot all differ.
/// They may be zero, but never equal the poison.
///
/// A kernel that computes needs numbers instead. They are floats from 0.5 to just below 1, so that
/// a sum changes clearly if one of them is missing.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace coalesce {

/// The byte that fills the output before a launch. Four such bytes form an ordinary small float.
constexpr unsigned char kPoisonByte = 0xA7;
/// The byte that fills the guard bands.
constexpr unsigned char kGuardByte = 0x5C;

/// Returns a 32-bit hash. Each bit of the argument affects about half of the bits of the result.
std::uint32_t mix(std::uint32_t value);
/// Inverts `mix`: returns the number whose hash is `mixed`.
std::uint32_t unmix(std::uint32_t mixed);
/// Returns a 64-bit hash. Each bit of the argument affects about half of the bits of the result.
std::uint64_t mix(std::uint64_t value);
/// Inverts `mix`: returns the number whose hash is `mixed`.
std::uint64_t unmix(std::uint64_t mixed);

/// The bits of an element of up to 16 bytes.
struct Bits {
    std::uint64_t low = 0;   ///< the first 8 bytes, or the whole element if it is smaller
    std::uint64_t high = 0;  ///< the last 8 bytes of a 16-byte element
    /// Compares all bits.
    bool operator==(const Bits&) const = default;
};

/// The values of an input: unique bits, or numbers to compute with.
enum class InputValues { unique_bits, numbers };

/// The elements of an input. Each `seed` gives different elements, so that a program cannot know
/// them in advance.
class Pattern {
public:
    /// Creates a pattern for elements of 1, 2, 4, 8 or 16 bytes. Throws UsageError for other sizes,
    /// and if `values` is `numbers` and the size is not 4 bytes.
    explicit Pattern(std::size_t element_size, std::uint64_t seed = 0,
                     InputValues values = InputValues::unique_bits);

    /// Returns the size of an element in bytes.
    std::size_t element_size() const { return size_; }
    /// Returns element `index`. For elements of up to 4 bytes, the index must be below 2^32 - 64.
    Bits value_at(std::uint64_t index) const;
    /// Returns the index of the element with these bits among the first `count` elements, or
    /// nothing if there is none. Also returns nothing if the elements are not unique.
    std::optional<std::uint64_t> index_of(Bits bits, std::uint64_t count) const;
    /// Reports whether all elements differ, so that a value identifies its index.
    bool has_unique_values() const { return size_ >= 4 && values_ == InputValues::unique_bits; }
    /// Returns the element that fills the output before a launch.
    Bits poison() const { return poison_; }

    /// Fills memory with `count` elements, starting with element `first_index`.
    void fill(void* to, std::uint64_t first_index, std::size_t count) const;
    /// Returns element `index` of the array `elements`. The size of the array's elements is
    /// element_size().
    Bits load(const void* elements, std::size_t index) const;

private:
    /// Returns the index that `index` was exchanged with, or `index` itself. Exchanges move special
    /// values to indices that occur even in small matrices.
    std::uint64_t exchanged_index(std::uint64_t index) const;
    template <class Element>
    void fill_as(void* to, std::uint64_t first_index, std::size_t count) const;
    /// Returns the index to which the exchanges have moved the value of index `original`.
    std::uint64_t index_holding(std::uint64_t original) const;
    void exchange(std::uint64_t index, std::uint64_t other_index);
    void assign_special_values();
    std::uint64_t preimage(Bits special) const;
    Bits scrambled_index(std::uint64_t index) const;

    std::size_t size_;
    std::uint64_t seed_;
    InputValues values_;
    Bits poison_;
    std::map<std::uint64_t, std::uint64_t> exchanges_;
    /// Bit i is set if an index in `exchanges_` is i modulo 4096. Few indices are exchanged, so
    /// this filter alone decides most lookups.
    std::bitset<4096> may_be_exchanged_;
};

}  // namespace coalesce
