/// \file
/// The values of the input: element i holds an invertible hash of i.
///
/// All elements are different (as far as their size allows), so a value in the wrong place shows
/// which cell it came from. Even small matrices contain values that survive only if all bits are
/// copied: NaNs with payloads, -0.0, subnormal numbers and the largest numbers. Two values never
/// occur: zero, because memory that nobody wrote often holds zeros, and the poison, which fills the
/// output before a launch. (Elements of 1 and 2 bytes cannot all be different. For them, only the
/// poison is left out.)
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace coalesce {

/// The byte that fills the output before a launch. Four such bytes are an ordinary small float.
constexpr unsigned char kPoisonByte = 0xA7;
/// The byte that fills the guard bands.
constexpr unsigned char kGuardByte = 0x5C;

/// A 32-bit hash. Each bit of the argument changes about half of the bits of the result.
std::uint32_t mix(std::uint32_t value);
/// The inverse of `mix`.
std::uint32_t unmix(std::uint32_t mixed);
/// A 64-bit hash with the same property.
std::uint64_t mix(std::uint64_t value);
/// The inverse of `mix`.
std::uint64_t unmix(std::uint64_t mixed);

/// The bits of an element of up to 16 bytes.
struct Bits {
    std::uint64_t low = 0;   ///< the first 8 bytes, or fewer if the element is smaller
    std::uint64_t high = 0;  ///< the last 8 bytes of a 16-byte element
    /// Compares all bits.
    bool operator==(const Bits&) const = default;
};

/// The elements of an input. A different `seed` gives different elements, so that a program cannot
/// know them in advance.
class Pattern {
public:
    /// Takes the size of an element: 1, 2, 4, 8 or 16 bytes. Throws UsageError for other sizes.
    explicit Pattern(std::size_t element_size, std::uint64_t seed = 0);

    /// The size of an element in bytes.
    std::size_t element_size() const { return size_; }
    /// Returns element `index`. For elements of up to 4 bytes, the index must be below 2^32 - 64.
    Bits at(std::uint64_t index) const;
    /// Returns the index below `count` whose element has these bits, or nothing. Always nothing for
    /// elements of 1 and 2 bytes, which are not unique.
    std::optional<std::uint64_t> index_of(Bits bits, std::uint64_t count) const;
    /// Reports whether all elements are different, so that a value identifies its index.
    bool names_its_place() const { return size_ >= 4; }
    /// The element that fills the output before a launch.
    Bits poison() const { return poison_; }

    /// Writes the elements `first`, `first` + 1 and so on to `to`.
    void fill(void* to, std::uint64_t first, std::size_t count) const;
    /// Reads element `index` of an array with elements of this size.
    Bits load(const void* elements, std::size_t index) const;

private:
    /// Maps an index to the one that it was exchanged with. Exchanges put special values where
    /// small matrices have them.
    std::uint64_t exchanged(std::uint64_t index) const;
    template <class Element>
    void fill_as(void* to, std::uint64_t first, std::size_t count) const;
    /// Returns the index that was exchanged for `original`.
    std::uint64_t holder(std::uint64_t original) const;
    void exchange(std::uint64_t index, std::uint64_t other);
    void place_special_values();
    std::uint64_t preimage(Bits special) const;
    Bits mixed(std::uint64_t index) const;

    std::size_t size_;
    std::uint64_t seed_;
    Bits poison_;
    std::map<std::uint64_t, std::uint64_t> exchanges_;
    /// The low bits of indices that may be in `exchanges_`. This filter makes the lookup fast,
    /// because few indices are.
    std::bitset<4096> may_be_exchanged_;
};

}  // namespace coalesce
