// See driver_support.h.
#include "cudart/driver_support.h"

#include <atomic>

#include "cudart/capture.h"
#include "cudart/launch.h"
#include "cudart/missing.h"
#include "report/host_work.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

int coalesceDriverCall(const char* name, const char* (*error_name)(cudaError_t),
                       int (*body)(void* data), void* data) {
    const LastError before = last_error_of_thread();
    CurrentCall call(name, error_name);
    const cudaError_t error =
        call.end(error_of([&] { must(static_cast<cudaError_t>(body(data))); }));
    last_error_of_thread() = before;
    return error;
}

void coalesceDriverExplain(const char* sentence) {
    explain(sentence);
}

int coalesceDriverMissing(const char* function, const char* instead) {
    return report_missing(function, instead);
}

void coalesceNoteHostWork(const char* function) {
    note_host_work(function);
}

int coalesceRuntimeIsUsed() {
    return runtime_is_used() ? 1 : 0;
}

int coalesceFill(void* to, size_t pitch, unsigned value, unsigned element, size_t width,
                 size_t height, const cudaStream_t* stream) {
    const auto describe = [&] {
        const size_t row = width * element;
        return FillWork{.to = {to, height > 1 ? pitch : row, row, height},
                        .extent = {row, height, 1},
                        .value = value,
                        .element = element};
    };
    return stream ? in_stream("", *stream, describe) : at_once("", describe);
}

int coalesceFindAllocation(const void* pointer, void** begin, size_t* bytes) {
    const auto found = Device::instance().memory().find(reinterpret_cast<u64>(pointer));
    if (!found) return 1;
    if (begin) *begin = reinterpret_cast<void*>(found->begin);
    if (bytes) *bytes = found->end - found->begin;
    return 0;
}

int coalesceWithArguments(const void* function, void** extra,
                          int (*launch)(void** arguments, void* data), void* data) {
    const auto arguments = unpack_extra(find_to_run(function), extra);
    return launch(arguments->list(), data);
}
