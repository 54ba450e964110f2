// The contents that a declaration gives its variable: = {1, 2, {3}, 0xFF(symbol), generic(p)+8}
#pragma once

#include <vector>

#include "ptx/constants.h"

namespace coalesce::sim::ptx {

/// No device has this much memory. Sizes below it can be added up without overflow.
inline constexpr u64 kLargestVariable = u64{1} << 40;

class InitialiserReader {
public:
    /// `dimensions` from the outermost; an outermost 0 stands for [] and takes what comes.
    /// `bytes_left` is what all initialisers of the module may still make together.
    InitialiserReader(Lexer& lexer, Variable& variable, const std::vector<u64>& dimensions,
                      u64 element_size, u64& bytes_left);

    /// Reads what follows '='. Fills in Variable::initial and Variable::relocations.
    void read();
    /// Where the last element ended: the size of a variable declared with [].
    u64 end() const { return end_; }

private:
    struct Address {
        std::string symbol;
        i64 addend = 0;
        bool generic = false;
    };

    void read_braces(std::size_t level, u64 start);
    void read_element(u64 offset);
    Address read_address();
    i64 read_addend();
    void store(u64 offset, u64 value);
    void relocate(u64 offset, u32 bytes, const Address& address);
    void relocate_byte(u64 offset, u64 mask, const Address& address);
    void reserve(u64 end);
    [[noreturn]] void fail_too_many() const;

    Lexer& lexer_;
    Variable& variable_;
    std::vector<u64> strides_;  ///< bytes from one item to the next, inside braces of each level
    u64 limit_;                 ///< bytes that the variable has
    u64& bytes_left_;
    u64 end_ = 0;
};

}  // namespace coalesce::sim::ptx
