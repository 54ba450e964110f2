# Defines the target coalesce::coalesce for find_package(coalesce). Its headers need only the CUDA runtime. If the
# simulated GPU is installed too, coalesceSimulator.cmake defines its targets.
include(${CMAKE_CURRENT_LIST_DIR}/coalesceTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/coalesceSimulator.cmake OPTIONAL)
