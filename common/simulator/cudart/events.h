// Events as handles, for those who keep them: nodes of graphs.
#pragma once

#include <cuda_runtime_api.h>

namespace coalesce::sim::cudart {

/// cudaSuccess when the event was created and not destroyed.
cudaError_t check_event(cudaEvent_t event);

/// The event happens.
cudaError_t record_now(cudaEvent_t event);

}  // namespace coalesce::sim::cudart
