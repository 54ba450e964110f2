# Defines the target coalesce::coalesce for find_package(coalesce). The headers of this target need only the CUDA
# runtime. If the simulated GPU is installed as well, coalesceSimulator.cmake defines its targets.
include(${CMAKE_CURRENT_LIST_DIR}/coalesceTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/coalesceSimulator.cmake OPTIONAL)
