#include "timing/prediction_text.h"

#include "timing/prediction_codec.h"

namespace coalesce::timing {

std::string text_of(const Predictions& predictions) {
    return codec::write(predictions);
}

Predictions predictions_in(const std::string& text) {
    return codec::read<Predictions>(text);
}

}  // namespace coalesce::timing
