// A CUDA runtime that launches no kernels. A test preloads it into a program, which must notice
// that its result is wrong.
extern "C" {
int cudaLaunchKernel() {
    return 0;
}  // called by programs that clang or an older toolkit built
int __cudaLaunchKernel() {
    return 0;
}  // nvcc's
int cudaLaunchKernelExC() {
    return 0;
}  // with attributes
int cudaLaunchCooperativeKernel() {
    return 0;
}
}
