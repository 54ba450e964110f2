# Defines the functions and settings that all targets of the project use.

# The warnings for the project's own code. They are treated as errors. -Wno-restrict suppresses false warnings of g++ 12
# about overlapping copies in std::string's operator+.
set(COALESCE_WARNINGS
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Werror;-Wno-restrict;-Wno-psabi>
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings;-Xcompiler=-Wall,-Wextra,-Werror>"
  $<$<COMPILE_LANGUAGE:CLANGCUDA>:-Wall;-Wextra;-Werror>)

# Sets VARIABLE to the path that find-cuda-compiler prints when it is called with the remaining arguments, or to "" if
# the script finds no compiler.
set(COALESCE_FIND_COMPILER ${CMAKE_CURRENT_LIST_DIR}/../common/cuda_headers/bin/find-cuda-compiler)
function(find_cuda_compiler variable)
  execute_process(COMMAND ${COALESCE_FIND_COMPILER} ${ARGN} OUTPUT_VARIABLE found
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# Sets VARIABLE to nvcc or clang, unless it is already set. If nvcc is found, sets CMAKE_CUDA_COMPILER to its path.
function(choose_cuda_compiler variable)
  set(chosen ${${variable}})
  if(chosen AND NOT chosen MATCHES "^(nvcc|clang)$")
    message(FATAL_ERROR "COALESCE_COMPILER is ${chosen}, but it must be nvcc or clang.")
  endif()
  if(NOT chosen STREQUAL clang AND NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_cuda_compiler(nvcc nvcc)
    if(nvcc)
      set(CMAKE_CUDA_COMPILER ${nvcc} CACHE FILEPATH "nvcc")
    endif()
  endif()
  if(NOT chosen)
    set(chosen clang)
    if(DEFINED CMAKE_CUDA_COMPILER OR DEFINED ENV{CUDACXX})
      set(chosen nvcc)
    endif()
  endif()
  set(${variable} ${chosen} CACHE STRING "" FORCE)
endfunction()

# Sets COALESCE_CLANG to a clang++ whose version is at least OLDEST, unless it is already set. The course is tested with
# clang 19 and later. Programs built by older versions work, but reports may name different source lines.
macro(find_clang oldest)
  if(NOT COALESCE_CLANG)
    find_cuda_compiler(found_clang clang ${oldest})
    set(COALESCE_CLANG "${found_clang}" CACHE FILEPATH "clang++ for .cu files" FORCE)
  endif()
endmacro()
macro(find_tested_clang)
  find_clang(19)
endmacro()

# The options with which clang parses the device code of a .cu file, using the project's own CUDA headers.
set(COALESCE_CLANG_READS_CUDA -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -fdeclspec
    -std=c++20 -Xclang -target-sdk-version=11.5 -Wno-unknown-cuda-version -Wno-unused-command-line-argument
    -isystem ${CMAKE_CURRENT_LIST_DIR}/../common/cuda_headers/include
    # These headers must be included first. CUDA's headers define the macro __noinline__, and older versions of clangd
    # cannot parse the standard headers once it is defined.
    -include memory -include functional -include cuda_runtime.h)

# Defines the target CUDA::cudart and the variables of CUDAToolkit. If no toolkit is installed, the target and the
# variables refer to the project's own headers and to the simulated GPU.
macro(use_cuda_runtime)
  if(COALESCE_COMPILER STREQUAL clang)
    set(CUDAToolkit_INCLUDE_DIRS ${PROJECT_SOURCE_DIR}/common/cuda_headers/include)
    add_library(CUDA::cudart INTERFACE IMPORTED GLOBAL)
    target_include_directories(CUDA::cudart SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
    target_link_libraries(CUDA::cudart INTERFACE simulated_cudart)
  else()
    # CMake 3.25.1 (Debian 12) requires nvToolsExt, which CUDA 13 no longer has. A dummy target with this name avoids an
    # error.
    if(CMAKE_VERSION VERSION_LESS 3.25.2 AND NOT TARGET CUDA::nvToolsExt)
      add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
    endif()
    find_package(CUDAToolkit 13.0 REQUIRED)
  endif()
endmacro()

# Sets VARIABLE to the architectures for which CUDA code is built. PTX is built for the simulated GPU's architecture, so
# that a program's counters are the same on every machine. Machine code is built for the GPU of this machine. For any
# other GPU that is at least as new as the simulated one, the driver compiles the PTX when the program starts.
function(choose_cuda_architectures variable)
  set(architectures 90-virtual)
  find_program(NVIDIA_SMI nvidia-smi)
  mark_as_advanced(NVIDIA_SMI)
  if(NVIDIA_SMI)
    execute_process(COMMAND ${NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE answer RESULT_VARIABLE failed ERROR_QUIET TIMEOUT 60)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${answer}")
    list(REMOVE_DUPLICATES capabilities)
    if(NOT failed)
      foreach(capability ${capabilities})
        string(REPLACE "." "" capability ${capability})
        list(APPEND architectures ${capability}-real)
      endforeach()
    endif()
  endif()
  if(COALESCE_REQUIRE_GPU AND architectures STREQUAL 90-virtual)
    message(FATAL_ERROR "nvidia-smi found no GPU, but COALESCE_REQUIRE_GPU is ON (the preset gpu "
                        "sets it). Use the preset default: it works with and without a GPU.")
  endif()
  set(${variable} ${architectures} PARENT_SCOPE)
endfunction()

# Builds a program of the course for the real and the simulated GPU. The program is linked to the shared CUDA runtime,
# so it runs on the GPU whose runtime library the loader finds first. -lineinfo adds the source lines that the
# simulator's reports name.
function(build_for_both_gpus target)
  target_compile_options(${target} PRIVATE ${COALESCE_WARNINGS}
    $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
  set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
  # LD_LIBRARY_PATH takes precedence over DT_RUNPATH, but not over the older DT_RPATH. With DT_RPATH, the loader would
  # not find the simulator.
  target_link_options(${target} PRIVATE LINKER:--enable-new-dtags)
endfunction()

function(add_course_program name)
  add_executable(${name} ${ARGN})
  build_for_both_gpus(${name})
  target_link_libraries(${name} PRIVATE harness)
  add_dependencies(${name} simulated_cudart)
endfunction()

# The names of the parts that can be tested in addition to the course itself. COALESCE_TESTS and ./learn test accept
# them.
set(COALESCE_PARTS simulator timing translator headers grader proof docs)

# Adds FOLDER, which belongs to PART. If PART is not tested, the folder has no tests, and its targets are built only on
# demand.
function(add_for part folder)
  if(COALESCE_ALL_TESTS OR part IN_LIST COALESCE_TESTS)
    add_subdirectory(${folder})
  else()
    set(COALESCE_TESTS OFF)
    add_subdirectory(${folder} EXCLUDE_FROM_ALL)
    # CMake omits the installation rules of a folder with EXCLUDE_FROM_ALL. Include them here, because the programs that
    # they install are part of every build.
    install(CODE "include(\"${CMAKE_CURRENT_BINARY_DIR}/${folder}/cmake_install.cmake\")")
  endif()
endfunction()

# Sets VARIABLE to WHOLE if ./learn test was run with --whole, and to SAMPLE otherwise. The value determines how many
# cases a test runs.
function(choose_sample variable sample whole)
  if(COALESCE_TESTS STREQUAL whole)
    set(sample ${whole})
  endif()
  set(${variable} ${sample} PARENT_SCOPE)
endfunction()

# Sets VARIABLE to ALL if ./learn test was run with --all or --whole, and to QUICK otherwise. ./learn test should take
# five minutes, and half an hour with --all.
function(choose_extent variable quick all)
  if(COALESCE_ALL_TESTS)
    set(quick ${all})
  endif()
  set(${variable} ${quick} PARENT_SCOPE)
endfunction()

# Keeps every fourth entry of a list, beginning with the first. With ./learn test --whole, keeps the entire list.
function(sample_list variable)
  if(COALESCE_TESTS STREQUAL whole)
    return()
  endif()
  take_of_list(${variable} 4)
  set(${variable} ${${variable}} PARENT_SCOPE)
endfunction()

# Keeps one of every EVERY entries of a list, beginning with the first.
function(take_of_list variable every)
  set(sample)
  set(number 0)
  foreach(one ${${variable}})
    math(EXPR rest "${number} % ${every}")
    if(rest EQUAL 0)
      list(APPEND sample ${one})
    endif()
    math(EXPR number "${number} + 1")
  endforeach()
  set(${variable} ${sample} PARENT_SCOPE)
endfunction()

# Adds a test that needs a real GPU: add_gpu_test(NAME COMMAND ...). Without a GPU, ctest shows the test as skipped.
function(add_gpu_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "COMMAND")
  add_test(NAME ${name} COMMAND on_gpu ${test_COMMAND})
  # GPU tests must not run at the same time, because each would distort the timings of the others.
  set_tests_properties(${name} PROPERTIES LABELS gpu SKIP_RETURN_CODE 77 TIMEOUT 600
                                          RESOURCE_LOCK gpu)
endfunction()

# Compiles the target as position-independent code. common/lab/proof also links the target's objects into a module that
# contains all kernels.
function(compile_for_module target)
  target_compile_options(${target} PRIVATE
    $<IF:$<COMPILE_LANGUAGE:CUDA>,-Xcompiler=-fPIC,-fPIC>)
endfunction()

# Adds a step of the course: builds build/bin/NAME from steps/NAME/main.cu, and tests the program on the simulated and
# the real GPU.
function(add_step name)
  add_course_program(${name} ${PROJECT_SOURCE_DIR}/steps/${name}/main.cu)
  compile_for_module(${name})
  add_dependencies(steps ${name})
  if(COALESCE_TESTS)
    add_test(NAME step.${name} COMMAND ${name} --device sim)
    add_test(NAME step.${name}.time COMMAND ${name} --bench --rows 256 --cols 256 --time --at 4096)
    set_tests_properties(step.${name} step.${name}.time PROPERTIES LABELS sim TIMEOUT 300)
    add_gpu_test(step.${name}.gpu COMMAND $<TARGET_FILE:${name}> --device gpu --verify)
    if(EXISTS ${PROJECT_SOURCE_DIR}/steps/${name}/orders_test.cu)
      add_step_test(${name} orders_test)
    endif()
    if(EXISTS ${PROJECT_SOURCE_DIR}/steps/${name}/example.cu)
      add_example(${name})
    endif()
  endif()
endfunction()

# Adds a lesson that is a complete program, steps/NAME/program.cu. The program is built without the harness, because it
# must not depend on any other file.
function(add_whole_program name)
  add_executable(${name} ${PROJECT_SOURCE_DIR}/steps/${name}/program.cu)
  build_for_both_gpus(${name})
  target_link_libraries(${name} PRIVATE CUDA::cudart)
  add_dependencies(${name} simulate)
  add_dependencies(steps ${name})
  if(COALESCE_TESTS)
    add_test(NAME step.${name} COMMAND simulate --error-exitcode 9 --check all,leakcheck
                                       $<TARGET_FILE:${name}>)
    add_gpu_test(step.${name}.gpu COMMAND $<TARGET_FILE:${name}>)
    # The program's exit code does not prove that its kernel ran. This test checks that the simulator counted the
    # launch.
    add_test(NAME step.${name}.counted COMMAND simulate $<TARGET_FILE:${name}>)
    set_tests_properties(step.${name}.counted PROPERTIES
      PASS_REGULAR_EXPRESSION "twice: 1 launch, grid 4, block 256.*no reports")
    set_tests_properties(step.${name} step.${name}.counted PROPERTIES LABELS sim TIMEOUT 120)
  endif()
endfunction()

# Adds the test steps/NAME/TEST.cu. The test includes the step's main.cu, and tests those of its functions that are not
# variants.
function(add_step_test name test)
  add_course_program(${name}_${test} ${PROJECT_SOURCE_DIR}/steps/${name}/${test}.cu)
  set_target_properties(${name}_${test} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME step.${name}.${test} COMMAND ${name}_${test})
  set_tests_properties(step.${name}.${test} PROPERTIES LABELS sim TIMEOUT 300
    ENVIRONMENT LD_LIBRARY_PATH=$<TARGET_FILE_DIR:simulated_cudart>)
endfunction()

# Adds a lesson's small program, steps/NAME/example.cu, which uses no harness and checks its own result. One test runs
# the program with the simulator's checks. A second test runs it with a CUDA runtime that launches no kernels, and
# expects exit code 1.
function(add_example name)
  set(program ${name}_example)
  add_executable(${program} ${PROJECT_SOURCE_DIR}/steps/${name}/example.cu)
  build_for_both_gpus(${program})
  target_link_libraries(${program} PRIVATE CUDA::cudart)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_dependencies(${program} simulate)
  add_test(NAME step.example.${name}
    COMMAND simulate --error-exitcode 9 --devices 2 $<TARGET_FILE:${program}>)
  if(NOT TARGET no_launch)
    add_library(no_launch MODULE ${PROJECT_SOURCE_DIR}/cmake/no_launch.cpp)
    target_compile_options(no_launch PRIVATE ${COALESCE_WARNINGS})
    set_target_properties(no_launch PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  endif()
  add_dependencies(${program} no_launch)
  # Do not run this test under `simulate`, which would load its own library before no_launch.
  add_test(NAME step.example.${name}.without_kernel
    COMMAND sh -c "LD_PRELOAD=$<TARGET_FILE:no_launch> $<TARGET_FILE:${program}>; test $? -eq 1")
  set_tests_properties(step.example.${name}.without_kernel PROPERTIES ENVIRONMENT
    "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:simulated_cudart>;COALESCE_SIM_DEVICES=2")
  set_tests_properties(step.example.${name} step.example.${name}.without_kernel PROPERTIES
    LABELS sim TIMEOUT 120)
  add_gpu_test(step.example.${name}.gpu COMMAND $<TARGET_FILE:${program}>)
endfunction()

set(COALESCE_CUDA_CLANG ${CMAKE_CURRENT_LIST_DIR}/../common/cuda_headers/bin/cuda-clang)
# add_program_by_clang(WAY NAME SOURCE [THROUGH_IR] [OPTIONS OPTION...] LIBRARIES LIBRARY...): adds a program that
# cuda-clang compiles from the .cu file SOURCE. The target is WAY_NAME, and its program is build/tests/WAY/NAME. With
# THROUGH_IR, ir_to_ptx generates the PTX, as it does in a web page.
function(add_program_by_clang way name source)
  cmake_parse_arguments(PARSE_ARGV 3 arg THROUGH_IR "" "OPTIONS;LIBRARIES")
  set(translator)
  if(arg_THROUGH_IR)
    list(APPEND arg_OPTIONS --through-ir --cudart=$<TARGET_FILE_DIR:simulated_cudart>)
    set(translator ir_to_ptx)
  endif()
  set(folder ${CMAKE_BINARY_DIR}/tests/${way})
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${folder}/${name}.o
    COMMAND ${COALESCE_CUDA_CLANG} --clang=${COALESCE_CLANG} ${arg_OPTIONS} -I${PROJECT_SOURCE_DIR}/common -O3
            -MD -MF ${folder}/${name}.d -c -o ${folder}/${name}.o ${source}
    DEPENDS ${source} ${COALESCE_CUDA_CLANG} ${translator} DEPFILE ${folder}/${name}.d
    COMMENT "${way} ${name}" VERBATIM)
  add_executable(${way}_${name} ${folder}/${name}.o)
  set_target_properties(${way}_${name} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${folder})
  target_link_libraries(${way}_${name} PRIVATE ${arg_LIBRARIES})
endfunction()

option(COALESCE_TOGETHER "Compile source files in batches; OFF: one by one, which is faster after a change to one file" ON)

# Compiles a target's sources in two batches, because headers take most of the compile time. A batch contains at least
# eight files. Every machine uses the same batches as CI, because a file that lacks an include may compile in one batch
# and fail in another. APART lists the files that the two builds of .ci/run compile differently, because they include
# CUDA's headers or depend on the compiler. These files get a batch of their own, so that the second build finds all
# other batches in ccache.
function(compile_together target)
  cmake_parse_arguments(PARSE_ARGV 1 files "" "" "APART")
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  math(EXPR batch "(${count} + 1) / 2")
  if(batch LESS 8)
    set(batch 8)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${COALESCE_TOGETHER} UNITY_BUILD_BATCH_SIZE ${batch})
  if(NOT files_APART)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  set(number 0)
  foreach(source ${sources})
    cmake_path(GET source FILENAME name)
    if(name IN_LIST files_APART)
      set(group apart)
    else()
      math(EXPR group "${number} / ${batch}")
      math(EXPR number "${number} + 1")
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# Precompiles headers that most of a target's sources include. Does nothing if ccache is used, because ccache cannot
# cache files that use precompiled headers.
function(precompile_headers target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    # With precompiled headers, g++ 12 also issues false warnings about out-of-bounds copies in std::string's operator+.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endfunction()
