#include "harness/pattern.h"

#include <bit>
#include <cstring>
#include <string>

#include "base/errors.h"

namespace coalesce {
namespace {

// These hashes use only xorshifts and multiplications by odd numbers, so they can be inverted. The
// constants are known to mix well: they come from lowbias32 by Chris Wellons, and from the
// finalizer of splitmix64.
constexpr std::uint32_t kHashIncrement32 = 0x9e3779b9;
constexpr std::uint64_t kHashIncrement64 = 0x9e3779b97f4a7c15;

/// Returns the multiplicative inverse of an odd number by Newton's method. Each step doubles the
/// number of correct bits.
template <class Word>
constexpr Word invert_multiplier(Word multiplier) {
    Word result = multiplier;
    for (int step = 0; step < 6; ++step) result *= 2 - multiplier * result;
    return result;
}

template <class Word>
constexpr Word undo_shift(Word value, int shift) {
    Word result = value;
    for (int known_bits = shift; known_bits < static_cast<int>(8 * sizeof(Word));
         known_bits += shift) {
        result = value ^ (result >> shift);
    }
    return result;
}

/// Floats that arithmetic would change, or that a conversion easily loses.
constexpr std::uint32_t kSpecialFloats[] = {
    0x80000000,  // -0.0
    0x7fc01234,  // a quiet NaN with a payload
    0x00000001,  // the smallest subnormal
    0xffa5a5a5,  // a negative signalling NaN with a payload
    0x807fffff,  // the largest negative subnormal
    0x7f7fffff,  // the largest number
    0x7f800000,  // infinity
    0xff800000,  // -infinity
    0x00400000,  // a subnormal in the middle
    0x7f800001,  // the first signalling NaN
    0x3f800001,  // the next float after 1
    0xff7fffff,  // the most negative number
};
constexpr std::uint64_t kSpecialDoubles[] = {
    0x8000000000000000, 0x7ff8000000001234, 0x0000000000000001, 0xfff5a5a5a5a5a5a5,
    0x800fffffffffffff, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
    0x0008000000000000, 0x7ff0000000000001, 0x3ff0000000000001, 0xffefffffffffffff,
};
constexpr std::uint16_t kSpecialHalves[] = {
    0x8000, 0x7e12, 0x0001, 0xfd5a, 0x83ff, 0x7bff, 0x7c00, 0xfc00, 0x0200, 0x7c01, 0x3c01, 0xfbff,
};
static_assert(std::size(kSpecialFloats) == std::size(kSpecialDoubles) &&
              std::size(kSpecialFloats) == std::size(kSpecialHalves));

/// Returns the index of a special value. Special values are at the first few odd indices.
constexpr std::uint64_t special_index(std::size_t special_number) {
    return 2 * special_number + 1;
}

template <class Word>
Word repeat_byte(unsigned char byte) {
    Word word;
    std::memset(&word, byte, sizeof word);
    return word;
}

/// Maps `scrambled_index` to a number below `limit` that is not the poison value.
std::uint64_t scale_avoiding_poison(std::uint32_t scrambled_index, std::uint64_t limit,
                                    std::uint64_t poison) {
    const std::uint64_t value = (std::uint64_t{scrambled_index} * (limit - 1)) >> 32;
    return value >= poison ? value + 1 : value;
}

/// Returns a float in the range [0.5, 1) that depends on the upper 23 bits of `mixed`.
float make_number(std::uint32_t mixed) {
    constexpr float kUnit = 1.0f / (1 << 24);  // one unit in the last place of a float below 1
    return 0.5f + kUnit * static_cast<float>(mixed >> 9);
}

}  // namespace

std::uint32_t mix(std::uint32_t value) {
    value += kHashIncrement32;
    value ^= value >> 16;
    value *= 0x7feb352d;
    value ^= value >> 15;
    value *= 0x846ca68b;
    return value ^ (value >> 16);
}

std::uint32_t unmix(std::uint32_t scrambled_index) {
    constexpr std::uint32_t first_inverse = invert_multiplier(0x7feb352du),
                            second_inverse = invert_multiplier(0x846ca68bu);
    scrambled_index = undo_shift(scrambled_index, 16) * second_inverse;
    scrambled_index = undo_shift(scrambled_index, 15) * first_inverse;
    return undo_shift(scrambled_index, 16) - kHashIncrement32;
}

std::uint64_t mix(std::uint64_t value) {
    value += kHashIncrement64;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

std::uint64_t unmix(std::uint64_t scrambled_index) {
    constexpr std::uint64_t first_inverse = invert_multiplier(0xbf58476d1ce4e5b9u),
                            second_inverse = invert_multiplier(0x94d049bb133111ebu);
    scrambled_index = undo_shift(scrambled_index, 31) * second_inverse;
    scrambled_index = undo_shift(scrambled_index, 27) * first_inverse;
    return undo_shift(scrambled_index, 30) - kHashIncrement64;
}

Pattern::Pattern(std::size_t element_size, std::uint64_t seed, InputValues values)
    : size_(element_size), seed_(seed), values_(values) {
    if (values_ == InputValues::numbers && size_ != sizeof(float)) {
        throw UsageError("a task that computes values takes floats, not " + std::to_string(size_) +
                         "-byte elements");
    }
    switch (size_) {
        case 1: poison_.low = kPoisonByte; break;
        case 2: poison_.low = repeat_byte<std::uint16_t>(kPoisonByte); break;
        case 4: poison_.low = repeat_byte<std::uint32_t>(kPoisonByte); break;
        case 16: poison_.high = repeat_byte<std::uint64_t>(kPoisonByte); [[fallthrough]];
        case 8: poison_.low = repeat_byte<std::uint64_t>(kPoisonByte); break;
        default:
            throw UsageError("an element has 1, 2, 4, 8 or 16 bytes, not " + std::to_string(size_));
    }
    if (has_unique_values()) assign_special_values();
}

void Pattern::exchange(std::uint64_t index, std::uint64_t other_index) {
    // Apply each swap on top of the earlier ones, so that the mapping stays one to one.
    const std::uint64_t exchanged_first = exchanged_index(index),
                        exchanged_second = exchanged_index(other_index);
    const auto set_exchange = [&](std::uint64_t from, std::uint64_t to) {
        exchanges_[from] = to;
        may_be_exchanged_.set(from % 4096);
    };
    set_exchange(index, exchanged_second);
    set_exchange(other_index, exchanged_first);
}

void Pattern::assign_special_values() {
    // Move the values that must not occur to indices beyond the end of the largest possible array.
    const std::uint64_t last_index = size_ == 4 ? 0xffffffff : ~std::uint64_t{0};
    exchange(last_index, index_holding(preimage(poison_)));
    exchange(last_index - 1, index_holding(preimage(Bits{})));
    for (std::size_t i = 0; i < std::size(kSpecialFloats); ++i) {
        Bits value;
        value.low = size_ == 4   ? kSpecialFloats[i]
                    : size_ == 8 ? kSpecialDoubles[i]
                                 : kSpecialFloats[i] * 0x100000001u;
        exchange(special_index(i), index_holding(preimage(value)));
    }
}

std::uint64_t Pattern::preimage(Bits special) const {
    if (size_ == 4) {
        return unmix(static_cast<std::uint32_t>(special.low)) ^ static_cast<std::uint32_t>(seed_);
    }
    return unmix(special.low) ^ seed_;
}

std::uint64_t Pattern::exchanged_index(std::uint64_t index) const {
    if (!may_be_exchanged_[index % 4096]) return index;
    const auto exchange = exchanges_.find(index);
    return exchange == exchanges_.end() ? index : exchange->second;
}

std::uint64_t Pattern::index_holding(std::uint64_t original) const {
    for (const auto& [index, value_index] : exchanges_) {
        if (value_index == original) return index;
    }
    return original;
}

Bits Pattern::scrambled_index(std::uint64_t index) const {
    if (size_ == 4) {
        return {mix(static_cast<std::uint32_t>(index) ^ static_cast<std::uint32_t>(seed_)), 0};
    }
    const std::uint64_t low_bits = mix(index ^ seed_);
    return {low_bits, size_ == 16 ? mix(~low_bits) : 0};
}

Bits Pattern::value_at(std::uint64_t index) const {
    if (values_ == InputValues::numbers) {
        return {std::bit_cast<std::uint32_t>(
                    make_number(static_cast<std::uint32_t>(scrambled_index(index).low))),
                0};
    }
    if (size_ >= 4) return scrambled_index(exchanged_index(index));
    const std::uint32_t value =
        mix(static_cast<std::uint32_t>(index) ^ static_cast<std::uint32_t>(seed_));
    if (size_ == 1) return {scale_avoiding_poison(value, 1u << 8, poison_.low), 0};
    if (index < special_index(std::size(kSpecialHalves)) && index % 2 == 1) {
        return {kSpecialHalves[index / 2], 0};
    }
    return {scale_avoiding_poison(value, 1u << 16, poison_.low), 0};
}

std::optional<std::uint64_t> Pattern::index_of(Bits bits, std::uint64_t count) const {
    if (!has_unique_values()) return std::nullopt;
    const std::uint64_t index = index_holding(preimage(bits));
    if (index >= count || value_at(index) != bits) return std::nullopt;
    return index;
}

template <class Element>
void Pattern::fill_as(void* to, std::uint64_t first_index, std::size_t count) const {
    auto* bytes = static_cast<unsigned char*>(to);
    for (std::size_t i = 0; i < count; ++i) {
        const Bits value = value_at(first_index + i);
        std::memcpy(bytes + i * sizeof(Element), &value, sizeof(Element));
    }
}

void Pattern::fill(void* to, std::uint64_t first_index, std::size_t count) const {
    switch (size_) {
        case 1: fill_as<std::uint8_t>(to, first_index, count); break;
        case 2: fill_as<std::uint16_t>(to, first_index, count); break;
        case 4: fill_as<std::uint32_t>(to, first_index, count); break;
        case 8: fill_as<std::uint64_t>(to, first_index, count); break;
        default: fill_as<Bits>(to, first_index, count); break;
    }
}

Bits Pattern::load(const void* elements, std::size_t index) const {
    const auto* element = static_cast<const unsigned char*>(elements) + index * size_;
    Bits value;
    // With a constant size, the compiler replaces memcpy with a single instruction.
    switch (size_) {
        case 1: std::memcpy(&value.low, element, 1); break;
        case 2: std::memcpy(&value.low, element, 2); break;
        case 4: std::memcpy(&value.low, element, 4); break;
        case 8: std::memcpy(&value.low, element, 8); break;
        default: std::memcpy(&value, element, 16); break;
    }
    return value;
}

}  // namespace coalesce
