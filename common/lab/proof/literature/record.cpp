#include "lab/proof/literature/record.h"

namespace coalesce::proof {
namespace {

[[noreturn]] void throw_record_error(const PublishedTimes& record, const std::string& kernel,
                                     const std::string& problem) {
    throw PublishedTimesError(record.program + ": " + problem + " \"" + kernel +
                              "\"; record.cpp must use the names of the kernels in " +
                              record.program + ".cu");
}

}  // namespace

PublishedTimes read_published_record() {
    // Milliseconds per launch, averaged over 100 consecutive launches. The card is an "NVIDIA H100
    // 80GB HBM3, theoretical peak 3352.3 GB/s".
    return {.program = "yenusah_h100",
            .title = "Optimizing GPU Matrix Transpose: From 14% to 88% of Peak Bandwidth",
            .author = "Caleb Yenusah",
            .date = "2025-12-24",
            .web_addresses = {"https://yencal.github.io/gpu-matrix-transpose-optimization",
                              "https://github.com/yencal/gpu-matrix-transpose (README.md, main.cu, "
                              "transpose_kernels.cuh of 91de071)"},
            .gpu = "NVIDIA H100 from documents",
            .shape = {32768, 32768},
            .ms = {{"Naive", 18.0645},
                   {"Tiled", 8.6235},
                   {"TiledPadded", 5.0724},
                   {"Coarsen2", 3.6014},
                   {"Coarsen4", 3.0984},
                   {"Coarsen8", 3.0951},
                   {"Vec2", 3.6041},
                   {"Vec2Coarsen2", 3.0983},
                   {"Vec2Coarsen4", 3.0953},
                   {"Vec2Coarsen8", 3.0951},
                   {"Vec4", 3.0997},
                   {"Vec4Coarsen2", 3.0966},
                   {"Vec4Coarsen4", 3.0960},
                   {"Vec4Coarsen8", 3.0972},
                   {"Vec2_T64", 2.9910},
                   {"Vec2_T64_Coarsen2", 2.9220},
                   {"Vec2_T64_Coarsen4", 2.9345},
                   {"Vec4_T64", 2.9228},
                   {"Vec4_T64_Coarsen2", 2.9347},
                   {"Vec4_T64_Coarsen4", 2.9213}}};
}

std::vector<timing::TimePair> pairs_of(const PublishedTimes& record, const Json& predicted) {
    std::map<std::string, double> unmatched_times = record.ms;
    std::vector<timing::TimePair> pairs;
    for (const Json& row : predicted.at("results")) {
        const std::string kernel = row.at("variant");
        const auto published_time = unmatched_times.find(kernel);
        if (published_time == unmatched_times.end())
            throw_record_error(record, kernel, "the record has no figure for");
        if (!row.contains("predicted")) {
            throw PublishedTimesError(
                record.program + " " + kernel + " is not predicted: " +
                row.value("not_predicted", std::string("the result is wrong")));
        }
        const Json& p = row["predicted"];
        pairs.push_back({.name = kernel,
                         .measured = published_time->second,
                         .predicted = p.at("ms"),
                         .bottleneck = p.at("binds"),
                         .unknown = p.at("unknown")});
        unmatched_times.erase(published_time);
    }
    if (!unmatched_times.empty())
        throw_record_error(record, unmatched_times.begin()->first, "no kernel is called");
    return pairs;
}

}  // namespace coalesce::proof
