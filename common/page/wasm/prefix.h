// Headers that nearly all of the simulator's sources include. These headers are precompiled for
// WebAssembly.
#pragma once

#include "older_library.h"  // must come first, because it completes the standard library

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/code/function_code.h"
#include "simulator/execute/warp.h"
