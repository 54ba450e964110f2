// See driver_support.h.
#include "simulator/cudart/driver_support.h"

#include <atomic>

#include "simulator/cudart/capture.h"
#include "simulator/cudart/launch.h"
#include "simulator/cudart/missing.h"
#include "simulator/cudart/stream_order.h"
#include "simulator/report/host_work.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

cudaError_t coalesceDriverCall(const char* name, const char* (*error_name)(cudaError_t),
                               const std::function<void()>& body) {
    const LastError previous_error = last_error_of_thread();
    CurrentCall call(name, error_name);
    const cudaError_t error = call.end_call(catch_error(body));
    last_error_of_thread() = previous_error;
    return error;
}

void coalesceDriverExplain(const char* sentence) {
    explain(sentence);
}

cudaError_t coalesceDriverMissing(const char* function, const char* alternative) {
    return static_cast<cudaError_t>(report_missing(function, alternative));
}

void coalesceNoteHostWork(const char* function) {
    note_host_work(function);
    // The function may access any memory, and its stream is not known here, so assume that the host
    // has waited for all work.
    record_host_wait_for_device();
}

bool coalesceRuntimeIsUsed() {
    return is_runtime_used();
}

cudaError_t coalesceFill(void* to, size_t pitch, unsigned value, unsigned element_bytes,
                         size_t width, size_t height, const cudaStream_t* stream) {
    const auto describe = [&] {
        const size_t row_bytes = width * element_bytes;
        return FillWork{.to = {to, height > 1 ? pitch : row_bytes, row_bytes, height},
                        .extent = {row_bytes, height, 1},
                        .value = value,
                        .element_bytes = element_bytes};
    };
    return stream ? queue_in_stream("", *stream, describe) : execute_now("", describe);
}

bool coalesceFindAllocation(const void* pointer, void** begin, size_t* bytes) {
    const auto found = Device::instance().memory().find(reinterpret_cast<u64>(pointer));
    if (!found) return false;
    if (begin) *begin = reinterpret_cast<void*>(found->begin);
    if (bytes) *bytes = found->end - found->begin;
    return true;
}

void coalesceWithArguments(const void* function, void** launch_options,
                           const std::function<void(void** arguments)>& launch) {
    launch(unpack_argument_buffer(find_runnable_kernel(function), launch_options)->argument_list());
}
