/* The simulated GPU, for programs that know that they run on it: counters, checks, reports.
 *
 * Nothing needs this header to run on the simulator. A harness or checker looks the functions up
 * with dlsym(RTLD_DEFAULT, "coalesceSimulatorVersion"): when the symbol is not there, NVIDIA's
 * libcudart is loaded; when it returns another number than COALESCE_SIMULATOR_VERSION, the library
 * was built from another source. Declarations only, in plain C.
 */
#ifndef COALESCE_SIMULATOR_H
#define COALESCE_SIMULATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Of the declarations below. Grows when one of them changes. */
#define COALESCE_SIMULATOR_VERSION 3
/** The marker. The version that the library was built with. */
int coalesceSimulatorVersion(void);
/** "Coalesce simulated GPU (sm_90)" */
const char* coalesceDeviceName(void);

/* ---- counters ----
 *
 * Sums over the launches since the program's start or the last coalesceResetCounters, without those
 * that an error stopped. Atomics count neither as loads nor as stores. Bank conflicts are wavefronts
 * beyond the ideal.
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
    uint64_t load_waits; /**< loads that are in flight together: load_requests / load_waits */
    uint64_t copy_waits; /**< for asynchronous copies to shared memory */
    uint64_t copy_bytes_under_way; /**< while shared memory was loaded from, added up */
} CoalesceCounters;

typedef struct CoalesceKernel {
    const char* name;           /**< demangled; valid until the next call of coalesceGetKernels */
    uint64_t launches;          /**< that came to their end; may be 0 */
    unsigned grid[3], block[3]; /**< of the last launch */
    CoalesceCounters counters;
} CoalesceKernel;

typedef struct CoalesceLine {
    const char* file;
    unsigned line;
    CoalesceCounters counters; /**< thread_instructions and branches are kept per kernel only: 0 */
} CoalesceLine;

void coalesceResetCounters(void);

/** Takes stock: the number of kernels that were launched. Pointers of earlier stocks die. */
size_t coalesceGetKernels(void);
/** Kernel `index` of the stock, in the order of loading. 0, or -1 when there is no such kernel. */
int coalesceGetKernel(size_t index, CoalesceKernel* kernel);
/** Lines of that kernel that touched memory, by file and number. 0: built without -lineinfo. */
size_t coalesceGetLineCount(size_t index);
int coalesceGetLine(size_t index, size_t line, CoalesceLine* result);
/** Takes stock and finds one kernel by its demangled name ("transpose", "copy<float>") or, when
 *  `name` is null, the only one. 0, or -1 when there is none or several. */
int coalesceGetCounters(const char* name, CoalesceCounters* counters);

/* ---- one warp's accesses, for pictures ---- */

typedef struct CoalesceAccess {
    const char* file; /**< "" when unknown; valid until the next call of coalesceTraceWarp */
    unsigned line;
    int shared; /**< of shared memory; else of global memory */
    int store;  /**< else a load */
    unsigned bytes_per_lane;
    uint32_t active;        /**< one bit per lane */
    uint64_t addresses[32]; /**< of active lanes; in shared memory the offset in the block's */
    unsigned cost;          /**< sectors; of shared memory wavefronts */
    unsigned ideal;         /**< the least for these bytes */
} CoalesceAccess;

/** Writes down the loads and stores of one warp, in every launch from now on, until there are
 *  `limit`. `block` counts x fastest; 0 as `limit` ends it. What was written down before is gone. */
void coalesceTraceWarp(uint64_t block, unsigned warp, size_t limit);
size_t coalesceGetAccessCount(void);
/** In program order. 0, or -1 when there is no such access. */
int coalesceGetAccess(size_t index, CoalesceAccess* access);

/* ---- one block, step by step ---- */

/** Records up to `limit` steps of one block of one launch: the one after `launch` others, counted from now. The
 *  block is number `block`, x fastest, or, unless it is 0, the first one that stores to `stored_address`. What was
 *  recorded before is gone. 0 as `limit` ends it. */
void coalesceTraceSteps(uint64_t launch, uint64_t block, uint64_t stored_address, uint64_t limit);
/** What was recorded, as JSON (docs/guide/trace.md), given to `write` in one call: 0. Without a recording, what
 *  is given to it is the reason, or "" if there was no such launch: -1. */
int coalesceGetTrace(void (*write)(const char* text, size_t size, void* user), void* user);

/* ---- how long launches would take ---- */

enum {
    coalesceRecordNothing,
    coalesceRecordBeside, /**< launches are carried out as always, and recorded */
    coalesceRecordAlone, /**< only the blocks that are recorded run: memory is not what it would be */
    coalesceRecordSample /**< likewise; some of them load and store, as the launch would */
};
/** What is recorded of launches from now on. What was recorded before is gone. */
void coalesceRecord(int what);
/** Predicts the time of each launch since coalesceRecord on a GPU: its name ("H200") or the text of a file
 *  like those of gpus/. Given to `write` in one call: JSON, {"launches": [...]}, each as timing/prediction.h
 *  says. 0, or -1 for an unknown GPU (the reason goes to stderr). */
int coalescePredict(const char* gpu, void (*write)(const char* text, size_t size, void* user),
                    void* user);

/** The device memory that recorded blocks stored to (or loaded from, where `stores` is 0) since coalesceRecord,
 *  as far as their steps are written down: given to `take` in stretches of whole sectors, in any order, some more
 *  than once. Returns how many bytes their threads moved there; `is_all` becomes 0 where they did more than is
 *  written down. */
uint64_t coalesceGetTouched(int stores, void (*take)(uint64_t address, uint64_t bytes, void* user),
                            void* user, int* is_all);

/* ---- checks and reports ---- */

typedef struct CoalesceReport {
    const char* check; /**< "memcheck", "racecheck", ... */
    const char* kind;  /**< "out of bounds", ... */
    const char* file;  /**< "" when unknown */
    unsigned line;
    const char* kernel;
    unsigned block[3], thread[3];
    uint64_t address;
    uint64_t count;
    const char* message;
    const char* cure;       /**< "" when there is none to offer */
    const char* other_file; /**< the other access of a race; other_line 0: none */
    unsigned other_line;
    unsigned other_block[3], other_thread[3];
} CoalesceReport;

/** Takes stock of the reports so far: their number. Pointers of earlier stocks die. */
size_t coalesceGetReports(void);
int coalesceGetReport(size_t index, CoalesceReport* report);
void coalesceClearReports(void);

/** Exactly these checks from now on: "all", "none", "memcheck,racecheck". 0, or -1 for an unknown
 *  name (nothing changes, the reason goes to stderr). */
int coalesceSetChecks(const char* list);
/** Warp instructions that one launch may execute; 0: no limit. */
void coalesceSetMaxInstructions(uint64_t warp_instructions);
/** Another order of blocks and warps from now on, and other clocks, as with `simulate --seed`; 0: the natural
 *  ones. */
void coalesceSetOrder(uint64_t seed);
/** From now on, records blocks that the seed draws, and more of them; 0: the usual ones. */
void coalesceDrawSample(uint64_t seed);
/** Sets whether kernels that are loaded from now on print. If not, their calls of printf do nothing. */
void coalesceSetPrinting(int prints);
/** Returns how often a warp has called printf since coalesceResetCounters. */
uint64_t coalesceGetPrintCalls(void);
/** Whether reports and explanations go to stderr as they come. */
void coalesceSetQuiet(int quiet);
/** From now on nobody has written these bytes of device memory, which keep what they hold: a program
 *  that fills them to see what a kernel leaves there is no reason for a kernel to read them. */
void coalesceMarkUnwritten(uint64_t address, uint64_t bytes);
/** Device memory, and the windows of shared and local memory, lie elsewhere from now on: the seed says where. Of
 *  the host's memory kernels see nothing afterwards. Before anything is allocated or loaded: 0, else -1. */
int coalesceDrawAddresses(uint64_t seed);
/** Forgets the context's error, so that a checker can go on to its next case. */
void coalesceClearError(void);

/** The report of `simulate --json`, whole, given to `write` in one call. */
void coalesceReportJson(void (*write)(const char* text, size_t size, void* user), void* user);

#ifdef __cplusplus
}
#endif

#endif
