// The same in a debug build: functions are not inlined, so lanes meet through different calls.
// nvcc: -G
// not built by clang: -G is an option of nvcc
// expect: tiles of several warps: ok
// expect: asynchronous copies: ok
#include "cooperative_groups_large.cu"
