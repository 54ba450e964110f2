// The existing streams and events, by their handles.
#pragma once

#include "simulator/cudart/api.h"

namespace coalesce::simulator::cudart {

/// Reports whether this is the default stream that synchronizes with all others.
inline bool is_legacy(cudaStream_t stream) {
    return stream == nullptr || stream == cudaStreamLegacy;
}

/// Fails unless `stream` is a default stream or an existing stream.
void check_stream(cudaStream_t stream);

/// Fails unless the event exists.
void check_event(cudaEvent_t event);

/// Records the event now.
void record_now(cudaEvent_t event);

/// Reports whether the stream and the default stream synchronize with each other.
bool waits_for_default_stream(cudaStream_t stream);

/// Records that the stream was given work. If several streams have work, no check looks at their
/// order (report/gaps.h).
void note_stream_work(cudaStream_t stream);

/// A call that needs the device and works in a stream.
template <class Body>
cudaError_t on_stream(const char* name, cudaStream_t stream, Body body) noexcept {
    return api(name, [&] {
        check_stream(stream);
        body();
    });
}

/// For cudaDeviceReset.
void forget_streams();
void forget_events();

}  // namespace coalesce::simulator::cudart
