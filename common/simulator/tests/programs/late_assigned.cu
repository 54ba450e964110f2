// Tests variables that are first assigned inside a loop and used after it, as in a search for the
// smallest element. Between two iterations, their registers must not be used for other values.
// expect: smallest: ok
// expect: last of each kind: ok
// expect: nested: ok
// expect: previous turn: ok
#include "check.h"

/// Finds the smallest element, and keeps the values of several widths that belong to it.
__global__ void smallest(const float* values, const unsigned* names, unsigned long long* out,
                         int count) {
    float least = 1e30f;
    unsigned best;
    unsigned short low, high;
    unsigned long long wide;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        const unsigned name = names[i];
        const float x = values[i] * values[i];
        if (x < least) {
            least = x;
            best = name;
            low = name * 3;
            high = name >> 2;
            wide = 0x100000001ull * name;
        }
    }
    out[threadIdx.x] = best + low + high + wide;
}

/// Returns the last element of each residue class mod 3. The input contains every class.
__global__ void last_of_each_kind(const unsigned* in, unsigned* out, int count) {
    unsigned zero, one, two;
    for (int i = 0; i < count; ++i) {
        const unsigned x = in[i] + threadIdx.x;
        switch (x % 3) {
            case 0: zero = x * 7; break;
            case 1: one = x ^ 0x55; break;
            default: two = x << 3;
        }
    }
    out[threadIdx.x] = zero + 3 * one + 5 * two;
}

__global__ void nested(const unsigned* in, unsigned* out, int count) {
    unsigned row_of_largest, col_of_largest, largest = 0;
    for (int row = 0; row < count; ++row) {
        unsigned best_col, best = 0;
        for (int col = 0; col < count; ++col) {
            const unsigned x = in[row * count + col] ^ (threadIdx.x << 2);
            if (x >= best) {
                best = x;
                best_col = col;
            }
        }
        if (best >= largest) {
            largest = best;
            row_of_largest = row;
            col_of_largest = best_col;
        }
    }
    out[threadIdx.x] = largest * 1000 + row_of_largest * 30 + col_of_largest;
}

/// Copies a value that changes in every iteration.
__global__ void previous_turn(const unsigned* in, unsigned* out, int count) {
    unsigned before = 0, kept = 0;
    for (int i = 0; i < count; ++i) {
        const unsigned x = in[i] * (threadIdx.x + 1);
        if (x & 4) kept = before;
        before = x;
    }
    out[threadIdx.x] = kept * 2 + before;
}

int main() {
    const int count = 256;
    std::vector<float> values(count);
    std::vector<unsigned> names(count), mixed(count);
    for (int i = 0; i < count; ++i) {
        values[i] = static_cast<float>((i * 37) % 101 + 1);
        names[i] = 1000 + i;
        mixed[i] = (i * 2654435761u) >> 20;
    }
    const DeviceArray<float> d_values(values);
    const DeviceArray<unsigned> d_names(names), d_mixed(mixed), out(32);
    const DeviceArray<unsigned long long> wide(32);

    smallest<<<1, 32>>>(d_values, d_names, wide, count);
    expect_equal("smallest", wide.read(), for_threads<unsigned long long>(32, [&](int t) {
                     int best = t;
                     for (int i = t; i < count; i += 32)
                         if (values[i] * values[i] < values[best] * values[best]) best = i;
                     const unsigned name = names[best];
                     return name + static_cast<unsigned short>(name * 3) +
                            static_cast<unsigned short>(name >> 2) + 0x100000001ull * name;
                 }));

    last_of_each_kind<<<1, 32>>>(d_mixed, out, count);
    expect_equal("last of each kind", out.read(), for_threads<unsigned>(32, [&](int t) {
                     unsigned last[3] = {};
                     for (unsigned x : mixed) last[(x + t) % 3] = x + t;
                     return last[0] * 7 + 3 * (last[1] ^ 0x55) + 5 * (last[2] << 3);
                 }));

    nested<<<1, 32>>>(d_mixed, out, 16);
    expect_equal("nested", out.read(), for_threads<unsigned>(32, [&](int t) {
                     unsigned largest = 0, at = 0;
                     for (unsigned k = 0; k < 256; ++k)
                         if ((mixed[k] ^ (t << 2)) >= largest)
                             largest = mixed[k] ^ (t << 2), at = k;
                     return largest * 1000 + at / 16 * 30 + at % 16;
                 }));

    previous_turn<<<1, 32>>>(d_mixed, out, count);
    expect_equal("previous turn", out.read(), for_threads<unsigned>(32, [&](int t) {
                     unsigned before = 0, kept = 0;
                     for (unsigned m : mixed) {
                         const unsigned x = m * (t + 1);
                         if (x & 4) kept = before;
                         before = x;
                     }
                     return kept * 2 + before;
                 }));
}
