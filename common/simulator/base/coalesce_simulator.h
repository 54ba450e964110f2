/* The C interface of the simulated GPU, through which programs use counters, checks and reports.
 *
 * A program does not need this header to run on the simulator. A harness or checker looks up the
 * functions at run time. If dlsym(RTLD_DEFAULT, "coalesceSimulatorVersion") returns null, the
 * process has loaded NVIDIA's libcudart. If the function returns a number that differs from
 * COALESCE_SIMULATOR_VERSION, the library was built with a different version of this header. The
 * header contains only declarations, in plain C.
 */
#ifndef COALESCE_SIMULATOR_H
#define COALESCE_SIMULATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this interface, which is incremented when a declaration below changes. */
#define COALESCE_SIMULATOR_VERSION 3
/** Returns the version of this interface that the library was built with. A harness looks up this
 *  symbol to find out whether it runs on the simulator. */
int coalesceSimulatorVersion(void);
/** Returns the name of the device, "Coalesce simulated GPU (sm_90)". */
const char* coalesceDeviceName(void);

/* ---- counters ----
 *
 * Counters are summed over all launches since the program's start or the last call of
 * coalesceResetCounters. Launches that an error stopped are not included. Atomics count neither as
 * loads nor as stores. The number of bank conflicts is the number of wavefronts minus the ideal
 * number.
 */
typedef struct CoalesceCounters {
    uint64_t load_requests, load_sectors, load_useful_bytes;
    uint64_t store_requests, store_sectors, store_useful_bytes;
    uint64_t atomic_requests, atomic_sectors, atomic_useful_bytes;
    uint64_t shared_load_requests, shared_load_wavefronts, shared_load_ideal;
    uint64_t shared_store_requests, shared_store_wavefronts, shared_store_ideal;
    uint64_t shared_atomic_requests, shared_atomic_wavefronts, shared_atomic_ideal;
    uint64_t warp_instructions, thread_instructions;
    uint64_t branches, divergent_branches;
    /** How often a warp waited for loads from global memory. load_requests / load_waits is the
     *  average number of loads that are in flight at the same time. */
    uint64_t load_waits;
    uint64_t copy_waits; /**< how often a warp waited for asynchronous copies to shared memory */
    /** The number of bytes that asynchronous copies to shared memory have in flight when a load
     *  from shared memory is executed, summed over all such loads. */
    uint64_t copy_bytes_under_way;
} CoalesceCounters;

typedef struct CoalesceKernel {
    const char* name;  /**< demangled name; valid until the next call of coalesceGetKernels */
    uint64_t launches; /**< number of completed launches; may be 0 */
    unsigned grid[3], block[3]; /**< dimensions of the last launch */
    CoalesceCounters counters;
} CoalesceKernel;

typedef struct CoalesceLine {
    const char* file;
    unsigned line;
    /** The counters of the line. thread_instructions, branches and divergent_branches are 0,
     *  because they are counted only per kernel. */
    CoalesceCounters counters;
} CoalesceLine;

void coalesceResetCounters(void);

/** Takes a snapshot of all kernels that were launched, and returns their number. Invalidates the
 *  pointers from earlier snapshots. */
size_t coalesceGetKernels(void);
/** Stores kernel `index` of the snapshot in `kernel`. Kernels are in the order in which they were
 *  loaded. Returns 0, or -1 if there is no such kernel. */
int coalesceGetKernel(size_t index, CoalesceKernel* kernel);
/** Returns the number of source lines of kernel `index` that accessed memory. The lines are sorted
 *  by file and line number. Returns 0 if the kernel was built without -lineinfo. */
size_t coalesceGetLineCount(size_t index);
int coalesceGetLine(size_t index, size_t line, CoalesceLine* result);
/** Stores the counters of the kernel with the demangled name `name`, such as "copy<float>", in
 *  `counters`. If `name` is null, the program must have only one kernel. Returns 0, or -1 if no
 *  kernel or several kernels match. */
int coalesceGetCounters(const char* name, CoalesceCounters* counters);

/** The numbers of requests of special kinds. CoalesceCounters includes these requests too. */
typedef struct CoalesceSpecialRequests {
    /** Requests and sectors of the loads that read a variable of the program, such as a table of
     *  virtual functions, and for which all active lanes have the same address. */
    uint64_t variable_load_requests, variable_load_sectors;
    /** Polls: strong loads (acquire, relaxed, volatile) from shared memory of up to 8 bytes, for
     *  which all active lanes have the same address. Each poll takes one wavefront. A repeated poll
     *  reads the same value as the warp's previous poll. */
    uint64_t polls, repeated_polls;
    /** Bulk copies (TMA) to shared memory (load) and to global memory (store). Each copy is one
     *  request. */
    uint64_t bulk_load_requests, bulk_load_sectors;
    uint64_t bulk_store_requests, bulk_store_sectors;
} CoalesceSpecialRequests;
/** Stores the special requests of kernel `index` of the snapshot in `requests`. Returns 0, or -1 if
 *  there is no such kernel. */
int coalesceGetSpecialRequests(size_t index, CoalesceSpecialRequests* requests);

/* ---- the memory accesses of one warp, for diagrams that show them ---- */

typedef struct CoalesceAccess {
    const char* file; /**< "" if unknown; valid until the next call of coalesceTraceWarp */
    unsigned line;
    int shared; /**< 1 for shared memory, 0 for global memory */
    int store;  /**< 1 for a store, 0 for a load */
    unsigned bytes_per_lane;
    uint32_t active;        /**< mask of the active lanes, one bit per lane */
    uint64_t addresses[32]; /**< one per active lane; offsets for shared memory */
    unsigned cost;          /**< number of sectors, or of wavefronts for shared memory */
    unsigned ideal;         /**< the lowest possible cost of an access of this size */
} CoalesceAccess;

/** Records loads and stores of one warp of one block in all launches from now on, until `limit`
 *  loads and stores have been recorded. `block` is the block's index in the grid, with x varying
 *  fastest. A `limit` of 0 stops recording. Deletes the accesses recorded before. */
void coalesceTraceWarp(uint64_t block, unsigned warp, size_t limit);
size_t coalesceGetAccessCount(void);
/** Stores the recorded access `index`, in program order, in `access`. Returns 0, or -1 if there is
 *  no such access. */
int coalesceGetAccess(size_t index, CoalesceAccess* access);

/* ---- a step-by-step trace of one block ---- */

/** Records up to `limit` steps of one block of one launch. `launch` is the number of launches to
 *  skip, counted from now. The traced block has index `block` in the grid, with x varying fastest.
 *  If `stored_address` is not 0, the first block that stores to this address is traced instead.
 *  Deletes the trace recorded before. A `limit` of 0 stops recording. */
void coalesceTraceSteps(uint64_t launch, uint64_t block, uint64_t stored_address, uint64_t limit);
/** Calls `write` once with the trace as JSON (docs/guide/trace.md), and returns 0. If there is no
 *  trace, calls `write` with the reason instead, and returns -1. The reason is "" if there was no
 *  such launch. */
int coalesceGetTrace(void (*write)(const char* text, size_t size, void* user), void* user);

/* ---- predictions of the time that launches take on a GPU ---- */

enum {
    coalesceRecordNothing,
    coalesceRecordBeside, /**< launches run completely, and are recorded as well */
    /** Only recorded blocks run, and they do not access global memory, so the results of the launch
     *  are missing. */
    coalesceRecordAlone,
    /** Only recorded blocks run, but the blocks that are recorded step by step access memory. */
    coalesceRecordSample
};
/** Selects how launches are recorded from now on (one of the constants above). Deletes earlier
 *  recordings. */
void coalesceRecord(int what);
/** Predicts how long each launch since coalesceRecord would take on a GPU. `gpu` is the name of a
 *  GPU ("H200"), or a description in the format of the files in gpus/. Calls `write` once with the
 *  predictions as JSON, {"launches": [...]}. timing/prediction.h describes the members. Returns 0,
 *  or -1 if the GPU is unknown (the reason is printed on stderr). */
int coalescePredict(const char* gpu, void (*write)(const char* text, size_t size, void* user),
                    void* user);

/** Calls `take` for each range of device memory that recorded blocks have loaded from (if `stores`
 *  is 0) or stored to (otherwise), in all launches since coalesceRecord. The ranges consist of
 *  whole sectors, and may repeat. Returns the number of bytes that the blocks loaded or stored.
 *  Sets `*is_all` to 0 if some steps were not recorded, otherwise to 1. */
uint64_t coalesceGetTouched(int stores, void (*take)(uint64_t address, uint64_t bytes, void* user),
                            void* user, int* is_all);

/** The costs of the blocks that were recorded step by step since coalesceRecord. */
typedef struct CoalesceSampledCosts {
    uint64_t grid_blocks;       /**< number of blocks in the grids of the recorded launches */
    uint64_t sampled_blocks;    /**< number of blocks that were recorded step by step */
    uint64_t stored_bytes;      /**< bytes stored by the sampled blocks, atomics included */
    uint64_t most_stored_bytes; /**< the most bytes that one block stored */
    int is_all;                 /**< 0 if some steps of the blocks were not recorded, otherwise 1 */
    /** The requests, sectors, wavefronts and warp instructions of the sampled blocks. The other
     *  counters are 0. */
    CoalesceCounters counters;
} CoalesceSampledCosts;
void coalesceGetSampledCosts(CoalesceSampledCosts* costs);

/* ---- checks and reports ---- */

typedef struct CoalesceReport {
    const char* check; /**< name of the check: "memcheck", "racecheck", ... */
    const char* kind;  /**< kind of error, such as "out of bounds" */
    const char* file;  /**< source file, or "" if unknown */
    unsigned line;
    const char* kernel;
    unsigned block[3], thread[3];
    uint64_t address;
    uint64_t count;
    const char* message;
    const char* cure;       /**< advice, or "" if there is none */
    const char* other_file; /**< file of a race's other access; `other_line` is 0 if not a race */
    unsigned other_line;
    unsigned other_block[3], other_thread[3];
} CoalesceReport;

/** Takes a snapshot of the reports so far, and returns their number. Invalidates the pointers from
 *  earlier snapshots. */
size_t coalesceGetReports(void);
int coalesceGetReport(size_t index, CoalesceReport* report);
void coalesceClearReports(void);

/** Enables exactly the checks in `list` from now on: "all", "none", or names separated by commas,
 *  such as "memcheck,racecheck". Returns 0. If a name is unknown, changes nothing, prints the
 *  reason on stderr and returns -1. */
int coalesceSetChecks(const char* list);
/** Sets the number of warp instructions that one launch may execute. 0 means no limit. */
void coalesceSetMaxInstructions(uint64_t warp_instructions);
/** Varies the order of blocks and warps, and the values of clocks, from now on, as `simulate
 *  --seed` does. 0 restores the natural order and clocks. */
void coalesceSetOrder(uint64_t seed);
/** From now on, the seed determines which blocks are recorded, and more blocks are recorded than
 *  usual. A seed of 0 restores the usual choice of blocks. */
void coalesceDrawSample(uint64_t seed);
/** Turns printf on or off in kernels that are loaded from now on. */
void coalesceSetPrinting(int prints);
/** Returns how often a warp has called printf since coalesceResetCounters. */
uint64_t coalesceGetPrintCalls(void);
/** Sets whether reports and explanations are printed on stderr. If `quiet` is 1, they are not
 *  printed. If it is 0, they are printed as they occur. */
void coalesceSetQuiet(int quiet);
/** Marks these bytes of device memory as uninitialized without changing their contents. For
 *  example, a checker fills an output buffer with a pattern, and then calls this function. A kernel
 *  that reads the buffer before writing it is then still reported. */
void coalesceMarkUnwritten(uint64_t address, uint64_t bytes);
/** Moves device memory, and the windows of shared and local memory, to addresses that the seed
 *  determines. Afterwards kernels cannot access host memory. Returns 0. Returns -1 and changes
 *  nothing if device memory has been allocated or a module loaded. */
int coalesceDrawAddresses(uint64_t seed);
/** Clears the context's error, so that a checker can continue with its next test case. */
void coalesceClearError(void);

/** Calls `write` once with the complete report as JSON, in the format of `simulate --json`. */
void coalesceReportJson(void (*write)(const char* text, size_t size, void* user), void* user);

#ifdef __cplusplus
}
#endif

#endif
