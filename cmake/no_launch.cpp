// A CUDA runtime in which no kernel runs, to be preloaded: a program that checks its own result has to notice.
extern "C" {
int cudaLaunchKernel() {
    return 0;
}  // clang's launch, and that of older toolkits
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
