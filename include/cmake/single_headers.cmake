# cmake -DTO=FOLDER -P single_headers.cmake -- writes transpose.cuh, permute.cuh and plan.cuh into FOLDER. Each file
# contains everything that it includes from this library, for projects that copy one file. A program may include all
# three files.

cmake_minimum_required(VERSION 3.22...3.25)

# Sets VARIABLE to the text of FILE with its quoted #includes expanded. The first #include of a file is replaced by the
# file's text, and later ones are removed, as with #pragma once. Each text has a guard, because another single header
# may also contain it.
function(inline_includes variable file)
  get_property(inlined GLOBAL PROPERTY inlined_headers)
  if(file IN_LIST inlined)
    set(${variable} "" PARENT_SCOPE)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY inlined_headers ${file})
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(name ${file} NAME_WE)
  string(TOUPPER COALESCE_SINGLE_${name} guard)
  file(READ ${file} text)
  string(REPLACE "#pragma once\n" "#ifndef ${guard}\n#define ${guard}\n" text "${text}")
  while(text MATCHES "#include \"([^\"]+)\"\n")
    set(line "${CMAKE_MATCH_0}")
    get_filename_component(included ${folder}/${CMAKE_MATCH_1} ABSOLUTE)
    inline_includes(part ${included})
    string(REPLACE "${line}" "${part}" text "${text}")
  endwhile()
  set(${variable} "${text}#endif  // ${guard}\n" PARENT_SCOPE)
endfunction()

foreach(header transpose permute plan)
  set_property(GLOBAL PROPERTY inlined_headers)
  inline_includes(text ${CMAKE_CURRENT_LIST_DIR}/../coalesce/${header}.cuh)
  file(WRITE ${TO}/${header}.cuh "// Made by single_headers.cmake of the headers of Coalesce.\n${text}")
endforeach()
