__device__ int multiply(int a, int b) {
    return a * b;
}
