# The part of find_package(coalesce) for building and testing CUDA programs on the simulated GPU, without a GPU or a
# toolkit.
#
#   coalesce_add_program(NAME SOURCE...)   builds a program from .cu files, which clang compiles, and other sources
#   coalesce_add_test(NAME TARGET ...)     runs a program under `simulate` as a test (below)
#   coalesce::cudart                       the simulated GPU, to link into C++ programs that call the CUDA runtime
#   coalesce::simulator                    the command that prints the counters of every kernel and line
cmake_path(SET COALESCE_PREFIX NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../..")
set(COALESCE_CUDA_CLANG ${COALESCE_PREFIX}/bin/cuda-clang)

if(NOT TARGET coalesce::cudart)
  add_library(coalesce::cudart SHARED IMPORTED)
  set_target_properties(coalesce::cudart PROPERTIES
    IMPORTED_LOCATION ${COALESCE_PREFIX}/lib/coalesce/libcudart.so.13
    IMPORTED_SONAME libcudart.so.13
    INTERFACE_INCLUDE_DIRECTORIES "${COALESCE_PREFIX}/include/coalesce;${COALESCE_PREFIX}/include/coalesce/cuda")
  add_executable(coalesce::simulator IMPORTED)
  set_target_properties(coalesce::simulator PROPERTIES
    IMPORTED_LOCATION ${COALESCE_PREFIX}/bin/simulate)
endif()

# Builds a program. The .cu files are compiled with the include folders and the definitions of the program's target.
function(coalesce_add_program name)
  set(objects)
  foreach(source ${ARGN})
    if(NOT source MATCHES "[.]cu$")
      list(APPEND objects ${source})
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    string(MD5 hash ${path})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}-${hash}.o)
    set(folders $<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>)
    set(definitions $<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>)
    add_custom_command(OUTPUT ${object}
      COMMAND ${COALESCE_CUDA_CLANG} "$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>"
              "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
              -O2 -MD -MF ${object}.d -c -o ${object} ${path}
      DEPENDS ${path} DEPFILE ${object}.d COMMENT "cuda-clang ${source}"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  add_executable(${name} ${objects})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE coalesce::cudart)
endfunction()

# coalesce_add_test(NAME TARGET [BUDGET FILE] [SUPPRESS FILE] [COMPARE FILE] [TOLERANCE PERCENT] [ARGUMENTS WORD...])
#
# Adds a test that runs the program TARGET under `simulate --gate`. The test fails if the program fails, if `simulate`
# reports an error, if a cost exceeds the budget's limit, or if a cost has grown by more than TOLERANCE since the run in
# COMPARE. File names are relative to the current source folder. Each test writes NAME.json, .sarif, .xml and .md to the
# current build folder.
function(coalesce_add_test name target)
  cmake_parse_arguments(PARSE_ARGV 2 test "" "BUDGET;SUPPRESS;COMPARE;TOLERANCE" "ARGUMENTS")
  if(test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "coalesce_add_test(${name}) does not know ${test_UNPARSED_ARGUMENTS}; write the program's "
                        "arguments after ARGUMENTS")
  endif()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(options --gate --json ${output}.json --sarif ${output}.sarif --junit ${output}.xml --markdown ${output}.md)
  foreach(option BUDGET SUPPRESS COMPARE)
    if(test_${option})
      cmake_path(ABSOLUTE_PATH test_${option} NORMALIZE OUTPUT_VARIABLE file)
      string(TOLOWER --${option} word)
      list(APPEND options ${word} ${file})
    endif()
  endforeach()
  if(test_TOLERANCE)
    list(APPEND options --tolerance ${test_TOLERANCE})
  endif()
  # Print locations relative to the source folder, as CI systems expect.
  add_test(NAME ${name} COMMAND coalesce::simulator ${options} $<TARGET_FILE:${target}> ${test_ARGUMENTS}
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endfunction()
