// The same as a debugger wants it: every call is one, and lanes meet that came by different ones.
// nvcc: -G
// not built by clang: -G is an option of nvcc
// expect: tiles of several warps: ok
// expect: asynchronous copies: ok
#include "cooperative_groups_large.cu"
