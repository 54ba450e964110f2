/// \file
/// What the input holds: in element i, an invertible mix of i.
///
/// Every element differs from every other (as far as its size allows), so a value in the wrong
/// place names the cell that it came from. Small matrices too hold the values that only a copy of
/// the bits keeps: NaNs with payloads, -0.0, subnormals, the largest numbers. Two values never
/// occur: zero, so that memory which nothing wrote is not mistaken for input, and the poison that
/// the output is filled with. (Elements of 1 and 2 bytes cannot differ all; there only the poison
/// is left out.)
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace coalesce {

/// The byte that fills the output before a launch. Four of them are an ordinary small number.
constexpr unsigned char kPoisonByte = 0xA7;
/// The byte that fills the guard bands.
constexpr unsigned char kGuardByte = 0x5C;

/// A mix of 32 bits in which every bit of the argument changes about half of the result's.
std::uint32_t mix(std::uint32_t value);
/// The value that `mix` turned into this one.
std::uint32_t unmix(std::uint32_t mixed);
/// A mix of 64 bits, likewise.
std::uint64_t mix(std::uint64_t value);
/// The value that `mix` turned into this one.
std::uint64_t unmix(std::uint64_t mixed);

/// The bits of an element of at most 16 bytes.
struct Bits {
    std::uint64_t low = 0;   ///< the first 8 bytes, or as many as there are
    std::uint64_t high = 0;  ///< the other 8 of an element of 16
    /// Equal in every bit.
    bool operator==(const Bits&) const = default;
};

/// The elements of an input. `seed` gives different ones, so that nobody can know them beforehand.
class Pattern {
public:
    /// For elements of 1, 2, 4, 8 or 16 bytes; throws UsageError for other sizes.
    explicit Pattern(std::size_t element_size, std::uint64_t seed = 0);

    /// Bytes of one element.
    std::size_t element_size() const { return size_; }
    /// Element `index`. The index is below 2^32 - 64 for elements of 4 bytes or fewer.
    Bits at(std::uint64_t index) const;
    /// The element that holds these bits: less than `count`, or nothing. Elements of 1 and 2 bytes
    /// do not say.
    std::optional<std::uint64_t> index_of(Bits bits, std::uint64_t count) const;
    /// Whether every element differs from every other, so that a value names its place.
    bool names_its_place() const { return size_ >= 4; }
    /// What the output holds where nothing was written.
    Bits poison() const { return poison_; }

    /// Writes the elements `first`, `first` + 1, ... to `to`.
    void fill(void* to, std::uint64_t first, std::size_t count) const;
    /// Element `index` of an array of elements of this size.
    Bits load(const void* elements, std::size_t index) const;

private:
    /// Exchanges a few indices, so that special values come where small matrices have them.
    std::uint64_t exchanged(std::uint64_t index) const;
    template <class Element>
    void fill_as(void* to, std::uint64_t first, std::size_t count) const;
    /// The index that took this one's place.
    std::uint64_t holder(std::uint64_t original) const;
    void exchange(std::uint64_t index, std::uint64_t other);
    void place_special_values();
    std::uint64_t preimage(Bits special) const;
    Bits mixed(std::uint64_t index) const;

    std::size_t size_;
    std::uint64_t seed_;
    Bits poison_;
    std::map<std::uint64_t, std::uint64_t> exchanges_;
    /// Which low bits of an index may be in `exchanges_`: nearly all are not.
    std::bitset<4096> may_be_exchanged_;
};

}  // namespace coalesce
