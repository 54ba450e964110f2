// The format of the data that nvcc embeds in a program. All numbers are little-endian.
//
//   FatbinWrapper     in section .nvFatBinSegment; passed to __cudaRegisterFatBinary
//     data ---------> ContainerHeader, then entries up to its `size`
//                       EntryHeader, payload, EntryHeader, payload ...
//     prelinked ----> with -rdc=true (version 2): the containers of the linked translation units,
//                     terminated by nullptr. The simulator runs their PTX.
#pragma once

#include "simulator/base/types.h"

namespace coalesce::simulator::fatbin {

inline constexpr u32 kWrapperMagic = 0x466243b1;
inline constexpr u32 kContainerMagic = 0xba55ed50;
inline constexpr u16 kContainerVersion = 1;
/// The version that FatbinWrapper::version contains in a program built with -rdc=true.
inline constexpr u32 kLinkedWrapperVersion = 2;

struct FatbinWrapper {
    u32 magic;
    u32 version;
    const void* container;
    const void* prelinked_containers;  ///< for version 2, an array of pointers to containers
};

struct ContainerHeader {
    u32 magic;
    u16 version;
    u16 header_size;
    u64 size;  ///< the size of all entries after the header, in bytes
};

enum class EntryKind : u16 {
    ptx = 1,
    machine_code = 2,
    nvvm_ir = 8,  ///< NVVM IR, from which the linker generates machine code if -dlto is given
};

inline constexpr u64 kLz4Flag = 0x2000;
inline constexpr u64 kZstdFlag = 0x8000;

struct EntryHeader {
    u16 kind;
    u16 version;
    u32 header_size;      ///< the size of this header in bytes, at least 64
    u64 payload_size;     ///< the size of the payload including its padding, in bytes
    u32 compressed_size;  ///< the compressed size in bytes; 0 if the payload is not compressed
    u32 reserved;
    u32 toolkit_version;
    u32 compute_capability;  ///< the compute capability, such as 90 for compute_90
    u32 name_offset;
    u32 name_size;
    u64 flags;
    u64 reserved2;
    u64 uncompressed_size;  ///< the original size in bytes; 0 if the payload is not compressed
};
static_assert(sizeof(FatbinWrapper) == 24 && sizeof(ContainerHeader) == 16);
static_assert(sizeof(EntryHeader) == 64);

}  // namespace coalesce::simulator::fatbin
