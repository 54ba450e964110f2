// See stddef.h. printf is declared in coalesce_cuda/system.h.
#pragma once
