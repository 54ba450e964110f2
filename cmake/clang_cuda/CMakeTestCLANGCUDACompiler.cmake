# What it can do is seen when the first file is compiled.
set(CMAKE_CLANGCUDA_COMPILER_WORKS 1 CACHE INTERNAL "")
