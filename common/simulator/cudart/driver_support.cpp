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
    const LastError before = last_error_of_thread();
    CurrentCall call(name, error_name);
    const cudaError_t error = call.end(catch_error(body));
    last_error_of_thread() = before;
    return error;
}

void coalesceDriverExplain(const char* sentence) {
    explain(sentence);
}

cudaError_t coalesceDriverMissing(const char* function, const char* instead) {
    return static_cast<cudaError_t>(report_missing(function, instead));
}

void coalesceNoteHostWork(const char* function) {
    note_host_work(function);
    // The function may access any memory, and its stream is not known here, so assume that the host
    // has waited for all work.
    note_host_waited_for_all();
}

bool coalesceRuntimeIsUsed() {
    return runtime_is_used();
}

cudaError_t coalesceFill(void* to, size_t pitch, unsigned value, unsigned element, size_t width,
                         size_t height, const cudaStream_t* stream) {
    const auto describe = [&] {
        const size_t row = width * element;
        return FillWork{.to = {to, height > 1 ? pitch : row, row, height},
                        .extent = {row, height, 1},
                        .value = value,
                        .element = element};
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

void coalesceWithArguments(const void* function, void** extra,
                           const std::function<void(void** arguments)>& launch) {
    launch(unpack_extra(find_runnable_kernel(function), extra)->list());
}
