# A toolchain file, used by cmake/aarch64.sh. It cross-compiles for 64-bit ARM, and runs the programs in qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
# The ARM libraries to which the simulator is linked, and the headers that do not depend on the processor.
set(CMAKE_FIND_ROOT_PATH $ENV{COALESCE_AARCH64_LIBRARIES}/usr)
set(CMAKE_LIBRARY_PATH $ENV{COALESCE_AARCH64_LIBRARIES}/usr/lib/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CXX_FLAGS_INIT "-idirafter $ENV{COALESCE_AARCH64_LIBRARIES}/usr/include")
set(CMAKE_CLANGCUDA_FLAGS "--target=aarch64-linux-gnu" CACHE STRING "")
