#include "lab/proof/bench/share_chart.h"

#include <algorithm>

#include "harness/text.h"
#include "lab/proof/bench/svg.h"

namespace coalesce::proof {
namespace {

constexpr const char* kBarColours[] = {kBlue, kGrey, kAmber};
constexpr double kLeftPixel = 290, kRightPixel = 640, kTopPixel = 70, kBarHeight = 13, kItemGap = 9;

double pixel_of_share(double share) {
    return kLeftPixel + (kRightPixel - kLeftPixel) * share;
}

void draw_legend(Svg& svg, const std::vector<std::string>& competitor_names) {
    double x = kLeftPixel;
    for (std::size_t i = 0; i < competitor_names.size(); ++i) {
        svg.draw_box({x, 36}, 11, 11, kBarColours[i]);
        svg.text({x + 16, 46}, competitor_names[i], TextAnchor::start, 11);
        x += 40 + 7 * static_cast<double>(competitor_names[i].size());
    }
}

void draw_grid(Svg& svg, double bottom, const std::string& axis_label) {
    for (const int percent : {0, 25, 50, 75, 100}) {
        const double x = pixel_of_share(percent / 100.0);
        svg.line({x, kTopPixel - 6}, {x, bottom}, kGridColour);
        svg.text({x, bottom + 14}, format("%d %%", percent), TextAnchor::middle, 11,
                 kSecondaryTextColour);
    }
    svg.text({pixel_of_share(0.5), bottom + 32}, axis_label, TextAnchor::middle, 11,
             kSecondaryTextColour);
}

void draw_bars(Svg& svg, const ShareChartItem& chart_item, double y) {
    const double height =
        kBarHeight * static_cast<double>(chart_item.fraction_by_competitor.size());
    svg.text({kLeftPixel - 8, y + height / 2 + 4}, chart_item.name, TextAnchor::end);
    for (std::size_t i = 0; i < chart_item.fraction_by_competitor.size(); ++i) {
        const double share = chart_item.fraction_by_competitor[i];
        const double top = y + kBarHeight * static_cast<double>(i);
        if (share < 0) continue;
        svg.draw_box({kLeftPixel, top}, pixel_of_share(share) - kLeftPixel, kBarHeight - 2,
                     kBarColours[i]);
        svg.text({pixel_of_share(share) + 6, top + kBarHeight - 3}, format("%.1f %%", 100 * share),
                 TextAnchor::start, 11, kSecondaryTextColour);
    }
}

double fraction_of_copy(const Json& row) {
    return row.value("of_copy", -1.0);
}

/// Returns the name of a shape, such as "float, tall, 1000003 x 37".
std::string format_shape(const Json& row) {
    const int batch_count = row.value("batches", 1);
    return row.value("case", "") + ", " + (batch_count > 1 ? format("%d x ", batch_count) : "") +
           format("%d x %d", row.value("rows", 0), row.value("cols", 0));
}

/// Returns the first part of a variant's name, such as "nccl" for "nccl/8-64K-30us".
std::string transfer_method_of(const Json& result) {
    const std::string variant = result.value("variant", "");
    return variant.substr(0, variant.find('/'));
}

double best_link_fraction(const Json& measured, const std::string& transfer_method) {
    double best_fraction = -1;
    for (const Json& result : measured.at("results")) {
        if (transfer_method_of(result) == transfer_method && result.value("verified", false)) {
            best_fraction = std::max(best_fraction, result.value("of_link", -1.0));
        }
    }
    return best_fraction;
}

}  // namespace

std::string draw_share_chart(const ShareChartTexts& texts,
                             const std::vector<ShareChartItem>& chart_items) {
    const double step = kBarHeight * static_cast<double>(texts.competitors.size()) + kItemGap;
    const double bottom = kTopPixel + step * static_cast<double>(chart_items.size());
    Svg svg(760, static_cast<int>(bottom) + 44, texts.title);
    svg.text({14, 24}, texts.title, TextAnchor::start, 14);
    draw_legend(svg, texts.competitors);
    draw_grid(svg, bottom, texts.meaning_of_100_percent);
    for (std::size_t i = 0; i < chart_items.size(); ++i) {
        draw_bars(svg, chart_items[i], kTopPixel + step * static_cast<double>(i));
    }
    return svg.finish();
}

std::string draw_shapes_chart(const Json& shapes) {
    std::vector<ShareChartItem> chart_items;
    for (const Json& row : shapes.at("results")) {
        chart_items.push_back(
            {format_shape(row),
             {fraction_of_copy(row), fraction_of_copy(row.value("torch_copy", Json::object()))}});
    }
    return draw_share_chart(
        {.title = "Transposes of all shapes: " + shapes["device"].value("name", "") + ", measured",
         .meaning_of_100_percent = "of a copy of the same bytes",
         .competitors = {"coalesce::transpose", "PyTorch"}},
        chart_items);
}

std::string draw_links_chart(const std::vector<Json>& results_by_gpu_count) {
    ShareChartTexts texts{
        .title = "One matrix over several GPUs: ",
        .meaning_of_100_percent = "of the link's speed, each way with its best number of chunks",
        .competitors = {}};
    std::vector<ShareChartItem> chart_items;
    for (const Json& measured : results_by_gpu_count) {
        const Json& device = measured.at("device");
        texts.competitors.push_back(format("%d x ", device.value("gpus", 0)) +
                                    device.value("name", ""));
        for (const Json& result : measured.at("results")) {
            if (std::ranges::find(chart_items, transfer_method_of(result), &ShareChartItem::name) ==
                chart_items.end()) {
                chart_items.push_back({transfer_method_of(result), {}});
            }
        }
    }
    for (ShareChartItem& thing : chart_items) {
        for (const Json& measured : results_by_gpu_count) {
            thing.fraction_by_competitor.push_back(best_link_fraction(measured, thing.name));
        }
    }
    const Json& first_results = results_by_gpu_count.at(0);
    texts.title += format("%d x %d floats, measured", first_results["results"][0].value("rows", 0),
                          first_results["results"][0].value("cols", 0));
    return draw_share_chart(texts, chart_items);
}

}  // namespace coalesce::proof
