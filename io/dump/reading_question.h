// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "io/dump/reading_decisions.h"
#include "kernels/error.h"

namespace dimscope::io {

/// One way to read a file of which more than one are left.
struct ReadingCandidate {
    std::string title;          ///< "prompt head pos dim"; names of the file are escaped
    std::string evidence;       ///< what speaks for it and against it, in words
    ReadingDecisions decision;  ///< that makes it the only one, joined to what was decided before
    std::string number;         ///< attribute of which a person has to say the number ("scale_factor"); empty: none
};

/// The candidate that gives an attribute a value.
ReadingCandidate attributeCandidate(const std::string& attribute, const std::string& value, std::string title,
                                    std::string evidence);

/// What a person is asked about a file, with everything that it could be.
struct ReadingQuestion {
    std::string topic;  ///< "axes", "encoding", "heads", "head order", "queries", "tensors", "valid positions"
    std::string text;   ///< "In which order are the axes of /layers/04/q, shape [2, 12, 12, 8]?"
    std::vector<ReadingCandidate> candidates;
};

/// A refusal that an answer makes unnecessary. Its text is complete without the question.
class AmbiguousReading final : public kernels::FormatError {
public:
    AmbiguousReading(Parts parts, ReadingQuestion question)
        : FormatError(std::move(parts)), question_(std::move(question)) {}
    const ReadingQuestion& question() const { return question_; }

private:
    ReadingQuestion question_;
};

/// Throws AmbiguousReading; plain FormatError where there is no candidate.
[[noreturn]] void askReading(const FilePlace& place, const std::string& cause, const std::string& advice,
                             ReadingQuestion question);

/// All of both; where they differ the later one counts. Arrays for a role replace those of the same role.
ReadingDecisions joined(ReadingDecisions earlier, const ReadingDecisions& later);

}  // namespace dimscope::io
