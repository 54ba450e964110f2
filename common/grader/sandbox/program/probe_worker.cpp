// The jail for the doctor's attacks. Each of its workers tries one attack.

#include <algorithm>

#include "grader/sandbox/attacks.h"
#include "grader/sandbox/memory_file.h"
#include "grader/sandbox/program/workers.h"

namespace coalesce::grader {

int probe_worker(std::string_view request, std::span<std::byte> answer) {
    const auto target = codec::read<AttackTarget>(request);
    const auto& attacks = all_attacks();
    const auto attack = std::ranges::find(attacks, target.attack, &Attack::name);
    if (attack == attacks.end()) return 1;
    const std::string escaped = attack->attempt(target);
    return write_text_block(answer, escaped.empty() ? "held" : escaped) ? 0 : 1;
}

}  // namespace coalesce::grader
