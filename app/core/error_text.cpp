// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/error_text.h"

#include <algorithm>
#include <new>

namespace dimscope::app {
namespace {

std::string oneLine(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text.empty() ? "It failed without a reason." : text;
}

std::string asSentence(std::string text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
    return text.empty() ? text : text + ".";
}

std::string capitalised(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

}  // namespace

JobFailure failureOf(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const kernels::FormatError& e) {
        return {oneLine(e.what()), e.parts()};
    } catch (const std::bad_alloc&) {
        return {"There is not enough memory for this; choose a shorter length or fewer rows.", std::nullopt};
    } catch (const std::exception& e) {
        return {oneLine(e.what()), std::nullopt};
    } catch (...) {
        return {"It failed for a reason that the program does not know.", std::nullopt};
    }
}

std::string openFailureSentence(const std::string& fileName, const JobFailure& failure) {
    std::string text = fileName + " could not be opened. ";
    if (!failure.parts) return text + asSentence(capitalised(failure.text));
    const auto& parts = *failure.parts;
    const bool wholeFile = parts.object.empty() || parts.object == "/";
    text += asSentence(wholeFile ? capitalised(parts.cause) : parts.object + ": " + parts.cause);
    if (!parts.advice.empty()) text += " " + asSentence(capitalised(parts.advice));
    return text;
}

}  // namespace dimscope::app
