// A CUDA runtime that launches no kernels. Tests preload it into a program, to verify that the
// program then reports an incorrect result.
extern "C" {
int cudaLaunchKernel() {
    return 0;
}  // called by programs built with clang or with an older toolkit
int __cudaLaunchKernel() {
    return 0;
}  // called by programs built with nvcc
int cudaLaunchKernelExC() {
    return 0;
}  // called for launches with attributes
int cudaLaunchCooperativeKernel() {
    return 0;
}
}
