// What a kernel.cu has beside CUDA itself: Launch, which `configure` returns, and ceil_div.
//
// The examiner puts this text before every kernel.cu that it compiles. Elsewhere, -I finds the header:
//
//     nvcc -arch=sm_90 -c exercises/03_tiled/kernel.cu -I exercises
//
// It has a guard because #pragma once means nothing in a text that is not included.
#ifndef COALESCE_EXERCISE_H
#define COALESCE_EXERCISE_H

/// The grid, the block and the dynamic shared memory of a launch: {.grid = {ceil_div(cols, 32), rows},
/// .block = {32, 8}, .shared_bytes = 4096}. What is left out is 1, or 0 bytes.
struct Launch {
    /// A number of any integer type. It keeps its sign and its size, so that a wrong one can be named: a dim3 would
    /// turn -1 into 4294967295, and braces would refuse every int.
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

/// How many groups of `size` it takes for `count`: the last one may be incomplete.
constexpr unsigned ceil_div(unsigned count, unsigned size) {
    return count / size + (count % size != 0);
}

#endif  // COALESCE_EXERCISE_H
