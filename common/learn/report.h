/// \file
/// `learn list`, `learn progress` and `learn` alone: what there is, what is done, what is next.
#pragma once

#include "learn/session.h"

namespace coalesce::learn {

/// Each exercise with its state, points, hints and predictions. Returns the exit code.
int show_progress(Session& session, bool json);
/// The steps, with what has become of their exercises.
int show_list(Session& session, bool json);
/// Where the learner is, what is next, and the one command to type. The first time all steps run
/// before. Returns the exit code.
int start(Session& session);

}  // namespace coalesce::learn
