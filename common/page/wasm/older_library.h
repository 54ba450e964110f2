// The parts of the C++20 library that the simulator's sources need and Debian's emscripten lacks.
// Each source includes this header first. There is only one thread, so plain operations replace
// atomic ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <version>

#ifndef __cpp_lib_bit_cast
namespace std {
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
    if constexpr (std::is_pointer_v<To> && sizeof(To) < sizeof(From)) {
        // printf's %p needs this cast, because device addresses have 64 bits, and the host's
        // pointers have fewer.
        return reinterpret_cast<To>(static_cast<uintptr_t>(from));
    } else {
        static_assert(sizeof(To) == sizeof(From));
        return __builtin_bit_cast(To, from);
    }
}
}  // namespace std
#endif

// The module has only one thread, so no loop ever waits for another thread.
#define __builtin_ia32_pause() static_cast<void>(0)

#ifndef __cpp_lib_atomic_ref
#    include <atomic>
namespace std {
template <class T>
class atomic_ref {
public:
    explicit atomic_ref(T& object) : object_(object) {}
    T load(memory_order = memory_order_seq_cst) const { return object_; }
    void store(T value, memory_order = memory_order_seq_cst) const { object_ = value; }
    T exchange(T value, memory_order = memory_order_seq_cst) const {
        return std::exchange(object_, value);
    }
    T fetch_add(T value, memory_order = memory_order_seq_cst) const {
        return std::exchange(object_, object_ + value);
    }
    T fetch_or(T value, memory_order = memory_order_seq_cst) const {
        return std::exchange(object_, object_ | value);
    }
    T fetch_and(T value, memory_order = memory_order_seq_cst) const {
        return std::exchange(object_, object_ & value);
    }
    bool compare_exchange_strong(T& expected, T desired, memory_order = memory_order_seq_cst,
                                 memory_order = memory_order_seq_cst) const {
        if (object_ == expected) {
            object_ = desired;
            return true;
        }
        expected = object_;
        return false;
    }
    bool compare_exchange_weak(T& expected, T desired, memory_order first = memory_order_seq_cst,
                               memory_order second = memory_order_seq_cst) const {
        return compare_exchange_strong(expected, desired, first, second);
    }

private:
    T& object_;
};
}  // namespace std
#endif

#if !defined(__cpp_lib_ranges) || __cpp_lib_ranges < 201911L
#    include <functional>
#    include <iterator>
namespace std::ranges {
struct Itself {
    template <class T>
    constexpr T&& operator()(T&& one) const {
        return std::forward<T>(one);
    }
};
template <class Range, class Test, class Member = Itself>
auto find_if(Range&& range, Test test, Member member = {}) {
    return std::find_if(std::begin(range), std::end(range), [&](auto&& one) -> bool {
        return std::invoke(test, std::invoke(member, one));
    });
}
template <class Range, class Value, class Member = Itself>
auto find(Range&& range, const Value& value, Member member = {}) {
    return ranges::find_if(
        range, [&](const auto& one) { return one == value; }, member);
}
template <class Range, class Test, class Member = Itself>
bool any_of(Range&& range, Test test, Member member = {}) {
    return ranges::find_if(range, test, member) != std::end(range);
}
template <class Range, class Test, class Member = Itself>
bool none_of(Range&& range, Test test, Member member = {}) {
    return !ranges::any_of(range, test, member);
}
template <class Range, class Test, class Member = Itself>
bool all_of(Range&& range, Test test, Member member = {}) {
    return ranges::none_of(
        range, [&](const auto& one) { return !std::invoke(test, one); }, member);
}
template <class Range, class Test, class Member = Itself>
auto count_if(Range&& range, Test test, Member member = {}) {
    return std::count_if(std::begin(range), std::end(range), [&](auto&& one) -> bool {
        return std::invoke(test, std::invoke(member, one));
    });
}
template <class Range, class Value, class Member = Itself>
auto count(Range&& range, const Value& value, Member member = {}) {
    return ranges::count_if(
        range, [&](const auto& one) { return one == value; }, member);
}
template <class Range, class Value>
void fill(Range&& range, const Value& value) {
    std::fill(std::begin(range), std::end(range), value);
}
template <class Range, class Less = std::less<>, class Member = Itself>
auto max_element(Range&& range, Less less = {}, Member member = {}) {
    return std::max_element(std::begin(range), std::end(range), [&](const auto& a, const auto& b) {
        return std::invoke(less, std::invoke(member, a), std::invoke(member, b));
    });
}
}  // namespace std::ranges
#endif

#ifndef __cpp_lib_jthread
namespace std {
/// A replacement for std::jthread that runs the work in its constructor, because there is only one
/// thread.
class jthread {
public:
    template <class Work, class... Arguments>
    explicit jthread(Work&& work, Arguments&&... arguments) {
        work(arguments...);
    }
};
}  // namespace std
#endif

#ifndef __cpp_lib_to_chars
#    include <charconv>
namespace std {
/// Writes the shortest decimal number that reads back as the same value.
inline to_chars_result to_chars(char* first, char* last, double value) {
    int length = 0;
    for (int digits = 1; digits <= 17; ++digits) {
        length = snprintf(first, static_cast<size_t>(last - first), "%.*g", digits, value);
        if (strtod(first, nullptr) == value) break;
    }
    return {first + length, errc{}};
}
/// Reads a double in decimal notation.
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
    const string text(first, last);
    char* end = nullptr;
    value = strtod(text.c_str(), &end);
    const auto length = end - text.c_str();
    return {first + length, length ? errc{} : errc::invalid_argument};
}
}  // namespace std
#endif
