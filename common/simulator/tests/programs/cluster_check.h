// Helpers for the feature tests of clusters.
#pragma once

#include "../clusters.h"

#include "check.h"

/// Launches one-dimensional clusters of `size` blocks, and waits until they have ended.
template <class... Parameters, class... Arguments>
void in_clusters(void (*kernel)(Parameters...), int blocks, int threads, int size,
                 Arguments... arguments) {
    MUST(launch_clusters(kernel, dim3(blocks), dim3(threads), dim3(size), 0, arguments...));
    MUST(cudaDeviceSynchronize());
}
