# find_package(coalesce): the target coalesce::coalesce, whose headers need the CUDA runtime and nothing else.
# Where the simulated GPU was installed too, coalesceSimulator.cmake says what there is of it.
include(${CMAKE_CURRENT_LIST_DIR}/coalesceTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/coalesceSimulator.cmake OPTIONAL)
