#include "learn/list.h"

#include <iomanip>

namespace coalesce::learn {

using std::left;
using std::setw;

void list_variants(std::ostream& out, const course::Step& step) {
    out << step.name << "  " << step.title << "\n\n";
    for (auto& variant : step.variants) {
        out << "  " << left << setw(24) << variant.name << " "
            << (variant.kernel.empty() ? "no kernel of its own" : variant.kernel) << "\n";
        if (variant.expect.empty()) continue;
        out << "      ";
        const char* comma = "";
        for (const char* key : course::kExpectable) {
            auto cost = variant.expect.find(key);
            if (cost == variant.expect.end()) continue;
            out << comma << key << " " << cost->second;
            comma = ", ";
        }
        if (variant.rows_multiple * variant.cols_multiple > 1) {
            out << "; multiples of " << variant.rows_multiple << " x " << variant.cols_multiple;
        }
        out << "\n";
    }
    out << "\nFigures are sectors (load, store) and wavefronts (shared_load, shared_store)\n"
           "that one request costs. The kernels are in steps/"
        << step.name << "/main.cu.\n";
}

void list_program(std::ostream& out, const course::Step& program) {
    out << program.name << "  " << program.title << "\n\nOne program, without variants: steps/"
        << program.name << "/program.cu. Run it: ./learn run " << program.number() << "\n";
}

}  // namespace coalesce::learn
