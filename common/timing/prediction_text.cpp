#include "timing/prediction_text.h"

#include "timing/prediction_codec.h"

namespace coalesce::timing {

std::string write_predictions(const Predictions& predictions) {
    return codec::write(predictions);
}

Predictions parse_predictions(const std::string& text) {
    return codec::read<Predictions>(text);
}

}  // namespace coalesce::timing
