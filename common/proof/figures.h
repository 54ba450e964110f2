/// \file
/// Every bandwidth and time that a text quotes has to come from a committed result, or to be cited.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "proof/json_text.h"

namespace coalesce::proof {

/// A number with a unit in a text.
struct Figure {
    int line = 0;
    std::string text;  ///< "4289 GB/s"
    std::string unit;  ///< "GB/s", "ms" or "%": of the copy
    double value = 0;
    int decimals = 0;
};

/// "4 289.5 GB/s", "2.00 ms", "96.5 % of memcpy", and rows "| 2.0568 | 4176 | 97.4 % |" of tables of
/// results. A share of something else than a copy is no figure.
std::vector<Figure> figures_in(const std::string& text);

/// What figures may come from.
class FigureSources {
public:
    /// Every result in a file of bench's, however deep.
    void add_results(const Json& json);
    /// "FIGURE: WHERE IT IS FROM", a line each; lines that begin with # do not count. Throws
    /// std::runtime_error for a line of another form.
    void add_citations(const std::string& text);

    /// Whether some result has this value, rounded as it is quoted, or it is cited.
    bool have(const Figure& figure);
    /// Citations that nothing needed so far.
    std::set<std::string> unused_citations() const;

private:
    std::set<std::pair<std::string, double>> values_;
    std::set<std::string> cited_, used_;
};

}  // namespace coalesce::proof
