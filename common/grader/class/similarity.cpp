#include "grader/class/similarity.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <iterator>
#include <map>
#include <sstream>

#include "grader/class/names.h"
#include "grader/class/reports.h"
#include "grader/store/sha256.h"

namespace coalesce::grader {
namespace {

// With fewer fingerprints of its own, a file says nothing about where it comes from.
constexpr std::size_t FEWEST = 3;
constexpr std::size_t MOST_PAIRS = 200;

bool is_letter(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::set<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

// Names that mean something by themselves.
bool is_word_of_cuda(const std::string& name) {
    static const std::set<std::string> words = words_of(
        "__global__ __shared__ __device__ __syncthreads threadIdx blockIdx blockDim gridDim x y z "
        "if else for while do return int float float2 float4 const constexpr unsigned long size_t "
        "auto template void struct out in rows cols grid block __shfl_sync __ldg reinterpret_cast "
        "static_cast");
    return words.contains(name);
}

// Skips what begins at `at` and is neither a token nor code; true when there was something.
bool skip_gap(const std::string& source, std::size_t& at) {
    if (std::isspace(static_cast<unsigned char>(source[at])) != 0 || source[at] == '\0') {
        ++at;
        return true;
    }
    if (source.compare(at, 2, "//") == 0) {
        at = std::min(source.find('\n', at), source.size());
        return true;
    }
    if (source.compare(at, 2, "/*") == 0) {
        std::size_t end = source.find("*/", at + 2);
        at = end == std::string::npos ? source.size() : end + 2;
        return true;
    }
    return false;
}

std::string take_text(const std::string& source, std::size_t& at) {
    char quote = source[at];
    std::size_t begin = at++;
    while (at < source.size() && source[at] != quote && source[at] != '\n') {
        at += source[at] == '\\' ? 2 : 1;
    }
    at = std::min(at + 1, source.size());
    return source.substr(begin, at - begin);
}

std::uint64_t number_of(const std::string& text) {
    Digest digest = sha256(text);
    std::uint64_t number;
    std::memcpy(&number, digest.data(), sizeof number);
    return number;
}

// What is compared of one submission.
struct Print {
    std::set<std::uint64_t> own;
    std::vector<std::string> exact;
};

double share_of(const std::set<std::uint64_t>& a, const std::set<std::uint64_t>& b) {
    std::size_t both = 0;
    for (std::uint64_t number : a) both += b.contains(number) ? 1 : 0;
    std::size_t all = a.size() + b.size() - both;
    return all == 0 ? 0 : static_cast<double>(both) / static_cast<double>(all);
}

Print print_of(const std::string& source, const std::set<std::uint64_t>& common) {
    Print print{{}, tokens_of(source, true)};
    for (std::uint64_t number : fingerprints(tokens_of(source, false))) {
        if (!common.contains(number)) print.own.insert(number);
    }
    return print;
}

}  // namespace

std::vector<std::string> tokens_of(const std::string& source, bool names_differ) {
    std::vector<std::string> tokens;
    for (std::size_t at = 0; at < source.size();) {
        if (skip_gap(source, at)) continue;
        if (source[at] == '"' || source[at] == '\'') {
            tokens.push_back(take_text(source, at));
            continue;
        }
        std::size_t begin = at++;
        if (is_letter(source[begin])) {
            while (at < source.size() && is_letter(source[at])) ++at;
        }
        std::string token = source.substr(begin, at - begin);
        bool is_name =
            is_letter(token[0]) && std::isdigit(static_cast<unsigned char>(token[0])) == 0;
        if (is_name && !names_differ && !is_word_of_cuda(token)) token = "name";
        tokens.push_back(token);
    }
    return tokens;
}

std::set<std::uint64_t> fingerprints(const std::vector<std::string>& tokens) {
    std::vector<std::uint64_t> grams;
    for (std::size_t i = 0; i + GRAM <= tokens.size(); ++i) {
        std::string gram;
        for (std::size_t k = 0; k < GRAM; ++k) gram += tokens[i + k] + "\n";
        grams.push_back(number_of(gram));
    }
    std::set<std::uint64_t> least;
    for (std::size_t i = 0; i + WINDOW <= grams.size(); ++i) {
        auto begin = grams.begin() + static_cast<std::ptrdiff_t>(i);
        least.insert(*std::min_element(begin, begin + WINDOW));
    }
    if (grams.size() < WINDOW) least.insert(grams.begin(), grams.end());
    return least;
}

std::vector<Alike> alike(const std::vector<std::string>& sources,
                         const std::vector<std::string>& common, double share) {
    std::set<std::uint64_t> known;
    for (const std::string& text : common) known.merge(fingerprints(tokens_of(text, false)));
    std::vector<Print> prints;
    for (const std::string& source : sources) prints.push_back(print_of(source, known));
    std::vector<Alike> pairs;
    for (std::size_t i = 0; i < prints.size(); ++i) {
        for (std::size_t k = i + 1; k < prints.size(); ++k) {
            if (std::min(prints[i].own.size(), prints[k].own.size()) < FEWEST) continue;
            double found = share_of(prints[i].own, prints[k].own);
            if (found < share) continue;
            pairs.push_back(
                {i, k, found, prints[i].exact == prints[k].exact, sources[i] == sources[k]});
        }
    }
    std::ranges::stable_sort(pairs, [](const Alike& a, const Alike& b) {
        return std::pair(a.share, a.has_same_names) > std::pair(b.share, b.has_same_names);
    });
    return pairs;
}

std::string similarity_markdown(const ClassResults& results) {
    std::string text =
        "# Submissions that are alike\n\n"
        "For a person to judge, and no proof of anything: an exercise leaves a few lines to write, "
        "and\n"
        "many right answers are the same. What the skeleton and the solution have is left out; "
        "names\n"
        "and comments count for nothing in the share.\n\n";
    for (std::size_t exercise = 0; exercise < results.exercises.size(); ++exercise) {
        std::vector<std::string> sources;
        std::vector<std::size_t> students;
        for (std::size_t i = 0; i < results.students.size(); ++i) {
            const Graded& graded = results.students[i].graded.at(exercise);
            if (graded.source.empty()) continue;
            sources.push_back(graded.source);
            students.push_back(i);
        }
        text += "## " + markdown(results.exercises[exercise]) + "\n\n";
        std::vector<Alike> pairs = alike(sources, results.common.at(exercise));
        if (pairs.empty()) text += "None.\n\n";
        if (pairs.empty()) continue;
        text += "| share | same names | same file | | |\n|---|---|---|---|---|\n";
        for (std::size_t i = 0; i < std::min(pairs.size(), MOST_PAIRS); ++i) {
            const Alike& pair = pairs[i];
            const auto name = [&](std::size_t place) {
                return markdown(results.students[students[place]].name);
            };
            text += "| " + std::to_string(std::lround(pair.share * 100)) + " % | " +
                    (pair.has_same_names ? "yes" : "no") + " | " +
                    (pair.is_same_file ? "yes" : "no") + " | " + name(pair.first) + " | " +
                    name(pair.second) + " |\n";
        }
        if (pairs.size() > MOST_PAIRS) {
            text += "\n" + std::to_string(pairs.size() - MOST_PAIRS) + " more are left out.\n";
        }
        text += "\n";
    }
    return text;
}

}  // namespace coalesce::grader
