// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/reading_question.h"

#include <algorithm>

namespace dimscope::io {

ReadingCandidate attributeCandidate(const std::string& attribute, const std::string& value, std::string title,
                                    std::string evidence) {
    ReadingCandidate candidate{std::move(title), std::move(evidence), {}, {}};
    candidate.decision.attributes[attribute] = value;
    return candidate;
}

void askReading(const FilePlace& place, const std::string& cause, const std::string& advice, ReadingQuestion question) {
    if (question.candidates.empty()) place.refuse(cause, advice);
    throw AmbiguousReading({place.file, place.object, cause, advice}, std::move(question));
}

ReadingDecisions joined(ReadingDecisions earlier, const ReadingDecisions& later) {
    std::erase_if(earlier.map, [&](const auto& known) {
        return std::any_of(later.map.begin(), later.map.end(),
                           [&](const auto& entry) { return entry.first == known.first; });
    });
    earlier.map.insert(earlier.map.end(), later.map.begin(), later.map.end());
    for (const auto& [name, value] : later.attributes) earlier.attributes[name] = value;
    if (!later.valid.empty()) earlier.valid = later.valid;
    earlier.rotate = earlier.rotate || later.rotate;
    earlier.outside = std::max(earlier.outside, later.outside);
    return earlier;
}

}  // namespace dimscope::io
