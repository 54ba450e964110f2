// 16_many_hosts -- the same matrix on several processes, on one host or more. Each has its own GPU.
//
// Builds on  16_many_gpus: its kernels pack the pieces. mpirun starts a process for each GPU.
// Idea       The memory of a GPU in another host has no address here, so NCCL carries the pieces.
// Watch      While a chunk is in flight, the next one is packed, and the previous one is unpacked.

#include "many/processes/hosts.h"

// Includes the kernels of the lesson, and renames its main.
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
                                                  return send_by_nccl(ranks, tuning, launch_wide);
                                              }});
}
