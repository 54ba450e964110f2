// Runs cooperative_groups.cu in a debug build, in which lanes reach a barrier from different calls.
// nvcc: -G
// not built by clang: -G is an option of nvcc
// expect: block: ok
// expect: tiles: ok
// expect: reduce and scan: ok
// expect: coalesced groups: ok
// expect: labelled partition: ok
// expect: binary partition: ok
// expect: grid barrier: ok
// expect: grid barrier in a loop: ok
// expect: a grid of too many blocks: refused
// expect-stderr: apicheck: cudaErrorCooperativeLaunchTooLarge from
#include "cooperative_groups.cu"
