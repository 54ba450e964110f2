// See stddef.h. printf is declared by coalesce_cuda/system.h.
#pragma once
