# What the project's targets have in common.

# Warnings that our own code is built with. They are errors.
# (g++ 12 sees overlapping copies in std::string's own operator+ where there are none.)
set(COALESCE_WARNINGS
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Werror;-Wno-restrict>
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings;-Xcompiler=-Wall,-Wextra,-Werror>")

# Sets VARIABLE to the architectures that CUDA code is built for: PTX of the simulated GPU's, so that
# its counters are the same whoever built it, and machine code for the GPU in this machine. Another
# GPU that is at least as new translates the PTX when a program starts.
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
    message(FATAL_ERROR "nvidia-smi names no GPU here, and COALESCE_REQUIRE_GPU is ON (the preset gpu "
                        "sets it). Use the preset default: it works with and without a GPU.")
  endif()
  set(${variable} ${architectures} PARENT_SCOPE)
endfunction()

# How every program of the course is built: with the shared CUDA runtime, so that the library found
# first decides which GPU it runs on, and with source lines for the simulator's reports.
function(add_course_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE harness)
  target_compile_options(${name} PRIVATE ${COALESCE_WARNINGS}
    $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
  set_target_properties(${name} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
  # A run path in the new manner comes after LD_LIBRARY_PATH; in the old manner it would hide the
  # simulator.
  target_link_options(${name} PRIVATE LINKER:--enable-new-dtags)
  add_dependencies(${name} simulated_cudart)
endfunction()

# A test that needs a real GPU: add_gpu_test(NAME COMMAND ...). Shown as skipped where there is none.
function(add_gpu_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "COMMAND")
  add_test(NAME ${name} COMMAND on_gpu ${test_COMMAND})
  # Two timings at once would be wrong twice.
  set_tests_properties(${name} PROPERTIES LABELS gpu SKIP_RETURN_CODE 77 TIMEOUT 600
                                          RESOURCE_LOCK gpu)
endfunction()

# A step of the course: the program build/bin/NAME of steps/NAME/main.cu, and its tests on both GPUs.
function(add_step name)
  add_course_program(${name} ${PROJECT_SOURCE_DIR}/steps/${name}/main.cu)
  add_dependencies(steps ${name})
  if(COALESCE_TESTS)
    add_test(NAME step.${name} COMMAND ${name} --device sim)
    set_tests_properties(step.${name} PROPERTIES LABELS sim TIMEOUT 300)
    add_gpu_test(step.${name}.gpu COMMAND $<TARGET_FILE:${name}> --device gpu --verify)
  endif()
endfunction()
