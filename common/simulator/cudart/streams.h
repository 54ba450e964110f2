// Streams and events as handles: which are alive.
#pragma once

#include "simulator/cudart/api.h"

namespace coalesce::simulator::cudart {

/// The default stream for which all others wait.
inline bool is_legacy(cudaStream_t stream) {
    return stream == nullptr || stream == cudaStreamLegacy;
}

/// Fails unless `stream` is one of the default streams or was created and not destroyed.
void check_stream(cudaStream_t stream);

/// Fails unless the event was created and not destroyed.
void check_event(cudaEvent_t event);

/// The event happens.
void record_now(cudaEvent_t event);

/// Whether the stream and the default stream wait for each other.
bool waits_for_default_stream(cudaStream_t stream);

/// The stream has been given work: notes where several have, whose order no check looks at (report/gaps.h).
void note_stream_work(cudaStream_t stream);

/// A call that needs the device and works in a stream.
template <class Body>
cudaError_t on_stream(const char* name, cudaStream_t stream, Body body) noexcept {
    return api(name, [&] {
        check_stream(stream);
        body();
    });
}

/// cudaDeviceReset: all of them are gone.
void forget_streams();
void forget_events();

}  // namespace coalesce::simulator::cudart
