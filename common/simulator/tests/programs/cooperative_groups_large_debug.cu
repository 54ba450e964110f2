// Runs cooperative_groups_large.cu in a debug build: lanes reach a barrier from different calls.
// nvcc: -G
// not built by clang: -G is an option of nvcc
// expect: tiles of several warps: ok
// expect: asynchronous copies: ok
#include "cooperative_groups_large.cu"
