#include "report.h"

#include <coalesce_simulator.h>

#include <cstdio>

int report(bool is_right) {
    std::printf("%s on %s\n", is_right ? "right" : "wrong", coalesceDeviceName());
    return is_right ? 0 : 1;
}
