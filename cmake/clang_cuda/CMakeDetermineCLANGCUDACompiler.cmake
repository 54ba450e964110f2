# Defines the language CLANGCUDA: .cu files that clang compiles for the simulated GPU. CMake's own language CUDA
# requires a toolkit. This folder contains the four files that CMake requires for every language.
find_clang(14)
if(NOT COALESCE_CLANG)
  message(FATAL_ERROR "Neither nvcc nor clang++ was found to compile .cu files. Run ./learn, which installs clang, or name its path: cmake -DCOALESCE_CLANG=/path/to/clang++")
endif()
set(CMAKE_CLANGCUDA_COMPILER ${CMAKE_CURRENT_LIST_DIR}/../../common/cuda_headers/bin/cuda-clang)
cmake_path(NORMAL_PATH CMAKE_CLANGCUDA_COMPILER)
set(CMAKE_CLANGCUDA_COMPILER_ENV_VAR "")
configure_file(${CMAKE_CURRENT_LIST_DIR}/CMakeCLANGCUDACompiler.cmake.in
               ${CMAKE_PLATFORM_INFO_DIR}/CMakeCLANGCUDACompiler.cmake @ONLY)
