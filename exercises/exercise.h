// Declares what a kernel.cu may use besides CUDA: Launch, which `configure` returns, and ceil_div.
//
// The examiner puts this text before every kernel.cu that it compiles. Elsewhere, -I finds the header:
//
//     nvcc -arch=sm_90 -c exercises/03_tiled/kernel.cu -I exercises
//
// The header has a guard because #pragma once has no effect in a file that is not included.
#ifndef COALESCE_EXERCISE_H
#define COALESCE_EXERCISE_H

/// The grid, the block and the dynamic shared memory of a launch: {.grid = {ceil_div(cols, 32), rows},
/// .block = {32, 8}, .shared_bytes = 4096}. An omitted dimension is 1, and omitted bytes are 0.
struct Launch {
    /// A number of any integer type. Keeps the sign and the size, so that a message can name a wrong number. A dim3
    /// would convert -1 to 4294967295, and braces would reject an int.
    struct Count {
        long long value;
        template <class Number>
        constexpr Count(Number number) : value(static_cast<long long>(number)) {}
    };
    /// Up to three numbers, as in dim3.
    struct Extent {
        long long x, y, z;
        constexpr Extent() : x(1), y(1), z(1) {}
        template <class Number>
        constexpr Extent(Number x) : x(Count(x).value), y(1), z(1) {}
        constexpr Extent(Count x, Count y, Count z = 1) : x(x.value), y(y.value), z(z.value) {}
        constexpr Extent(dim3 extent) : x(extent.x), y(extent.y), z(extent.z) {}
    };
    Extent grid, block;
    Count shared_bytes = 0;
};

/// Returns how many groups of `size` cover `count` elements. The last group may be incomplete.
constexpr unsigned ceil_div(unsigned count, unsigned size) {
    return count / size + (count % size != 0);
}

#endif  // COALESCE_EXERCISE_H
