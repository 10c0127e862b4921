// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/error_text.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace dimscope::app {
namespace {

template <class E>
JobFailure failureFrom(E error) {
    return failureOf(std::make_exception_ptr(std::move(error)));
}

TEST(ErrorText, keepsThePartsOfARefusedFile) {
    const JobFailure failure = failureFrom(kernels::FileError({"dump.h5", "/", "it is cut off", "copy it again"}));
    ASSERT_TRUE(failure.parts);
    EXPECT_EQ(failure.parts->cause, "it is cut off");
    EXPECT_EQ(openFailureSentence("dump.h5", failure), "dump.h5 could not be opened. It is cut off. Copy it again.");
}

TEST(ErrorText, namesTheObjectInsideTheFile) {
    const JobFailure failure =
        failureFrom(kernels::FormatError({"d.h5", "/layers/04/k", "3 heads do not divide 8", ""}));
    EXPECT_EQ(openFailureSentence("d.h5", failure), "d.h5 could not be opened. /layers/04/k: 3 heads do not divide 8.");
}

TEST(ErrorText, saysWhatToDoWhenMemoryIsShort) {
    EXPECT_NE(failureFrom(std::bad_alloc{}).text.find("shorter length"), std::string::npos);
}

TEST(ErrorText, isOneLineAndNeverEmpty) {
    EXPECT_EQ(failureFrom(std::runtime_error("two\nlines")).text, "two lines");
    EXPECT_FALSE(failureFrom(std::runtime_error("")).text.empty());
    EXPECT_FALSE(failureFrom(3).text.empty());
}

}  // namespace
}  // namespace dimscope::app
