# Skip CMake's own test of the compiler. If the compiler does not work, compiling the first .cu file fails.
set(CMAKE_CLANGCUDA_COMPILER_WORKS 1 CACHE INTERNAL "")
