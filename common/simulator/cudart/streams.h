// Declares functions for the program's streams and events.
#pragma once

#include "simulator/cudart/api.h"

namespace coalesce::simulator::cudart {

/// Reports whether this is the legacy default stream, which synchronizes with all blocking streams.
inline bool is_legacy_default_stream(cudaStream_t stream) {
    return stream == nullptr || stream == cudaStreamLegacy;
}

/// Fails unless `stream` is a default stream or a stream that exists.
void check_stream(cudaStream_t stream);

/// Returns the device on which the stream was created, or the current device for a default stream.
int find_device_of_stream(cudaStream_t stream);

/// Fails unless the stream belongs to the current device. Used for launches, because a launch into
/// a stream of another device is not allowed.
void check_stream_of_device(cudaStream_t stream);

/// Fails unless the event exists.
void check_event(cudaEvent_t event);

/// Records the event immediately, outside of any capture.
void record_immediately(cudaEvent_t event);

/// Reports whether the stream and the default stream synchronize with each other.
bool waits_for_default_stream(cudaStream_t stream);

/// Runs an API call that needs the device and uses a stream. Fails if the stream does not exist.
template <class Body>
cudaError_t run_stream_call(const char* name, cudaStream_t stream, Body body) noexcept {
    return run_device_call(name, [&] {
        check_stream(stream);
        body();
    });
}

/// Deletes all streams, for cudaDeviceReset.
void forget_streams();
void forget_events();

}  // namespace coalesce::simulator::cudart
