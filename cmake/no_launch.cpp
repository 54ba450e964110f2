// A CUDA runtime that launches no kernels. Tests preload it into a program, to verify that the
// program detects the incorrect result.
extern "C" {
int cudaLaunchKernel() {
    return 0;
}  // programs that clang or an older toolkit built call this function
int __cudaLaunchKernel() {
    return 0;
}  // programs that nvcc built call this function
int cudaLaunchKernelExC() {
    return 0;
}  // launches with attributes call this function
int cudaLaunchCooperativeKernel() {
    return 0;
}
}
