// Macros that forward functions of libcudart.so.12 to functions of libcudart.so.13.
#pragma once

/// Makes `alias`, in this file only, another name for the function `name` with symbol version
/// `version`, which another library exports.
#define COALESCE_IMPORT(alias, name, version) __asm__(".symver " alias ", " name "@" version)

#if defined(__x86_64__)
#    define COALESCE_JUMP(alias) "jmp *" alias "@GOTPCREL(%rip)\n"
#elif defined(__aarch64__)
#    define COALESCE_JUMP(alias) \
        "adrp x16, :got:" alias "\nldr x16, [x16, :got_lo12:" alias "]\nbr x16\n"
#else
#    error "implement the jump through the global offset table for this processor here"
#endif

/// Defines a function `name` that jumps to the function `target` with the given symbol version. The
/// jump changes no registers and no stack, so it works for parameters and results of any type.
#define COALESCE_FORWARD(name, target, version)                                                 \
    COALESCE_IMPORT("coalesce_next_" name, target, version);                                    \
    __asm__(".pushsection .text\n.p2align 4\n.globl " name "\n.type " name ", %function\n" name \
            ":\n" COALESCE_JUMP("coalesce_next_" name) ".size " name ", . - " name              \
                                                       "\n.popsection\n")
