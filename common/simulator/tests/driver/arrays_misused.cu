// simulator only: destroys an array twice. An H200 returns different errors, or ends the program.
// nvcc: -lcuda
// expect: an array destroyed twice: CUDA_ERROR_INVALID_VALUE
// expect-stderr: apicheck: CUDA_ERROR_INVALID_VALUE from cuArrayDestroy
#include "driver_check.h"

int main() {
    use_first_device();
    CUDA_ARRAY_DESCRIPTOR descriptor = {};
    descriptor.Width = 4;
    descriptor.Height = 2;
    descriptor.Format = CU_AD_FORMAT_SIGNED_INT32;
    descriptor.NumChannels = 1;
    CUarray array;
    need(cuArrayCreate(&array, &descriptor));
    need(cuArrayDestroy(array));
    result("an array destroyed twice", cuArrayDestroy(array));
}
