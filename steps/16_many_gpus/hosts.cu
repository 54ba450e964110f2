// 16_many_hosts -- the same matrix over processes, on one host or on many, each with a GPU of its own.
//
// Builds on  16_many_gpus: its kernels pack what is sent. mpirun starts a process for each GPU.
// Idea       The memory of a GPU in another host has no address here: NCCL carries the pieces.
// Watch      While a chunk is on its way, the next is packed, and the last one unpacked.

#include "processes/hosts.h"

// The kernels of the lesson, without its main.
#define main step_main
#include "main.cu"
#undef main

int main(int argc, char** argv) {
    return coalesce::processes::run_on_hosts(argc, argv,
                                             {.name = "nccl",
                                              .about = "packed, sent by NCCL, unpacked, in chunks",
                                              .is_chunked = true,
                                              .needs_nccl = true,
                                              .make = [](const Ranks& ranks, Tuning tuning) {
                                                  return send_by_nccl(ranks, tuning, turn_wide);
                                              }});
}
