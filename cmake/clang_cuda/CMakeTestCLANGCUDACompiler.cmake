# Skip CMake's own test of the compiler. The first .cu file shows whether the compiler works.
set(CMAKE_CLANGCUDA_COMPILER_WORKS 1 CACHE INTERNAL "")
