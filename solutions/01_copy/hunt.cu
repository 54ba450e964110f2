// Bug hunt 01_copy -- a colleague's copy that moves 16 bytes per thread.
//
// Seen    The result was correct for 256 x 256, 1024 x 1024 and 32768 x 32768.
// Fix     the bug, and change as little as you can (about 5 lines).
// Check   ./learn check 01 --hunt
#include "exercise.h"  // Launch, ceil_div

constexpr int BLOCK = 256;

// A copy can treat the whole matrix as one long row.
__global__ void copy(float* out, const float* in, int rows, int cols) {
    int count = rows * cols;
    int first = (blockIdx.x * BLOCK + threadIdx.x) * 4;

    //! [blank]
    //! if (first + 3 < count) {
    //!     *reinterpret_cast<float4*>(out + first) = *reinterpret_cast<const float4*>(in + first);
    //! }
    if (first + 3 < count) {
        *reinterpret_cast<float4*>(out + first) = *reinterpret_cast<const float4*>(in + first);
    } else {
        for (int i = first; i < count; i++) {
            out[i] = in[i];
        }
    }
    //! [blank]
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows * cols, BLOCK * 4)}, .block = {BLOCK}};
}
