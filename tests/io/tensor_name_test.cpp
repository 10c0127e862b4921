// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/tensor_name.h"

#include <gtest/gtest.h>

namespace dimscope::tests {
namespace {

using namespace io;

TensorName nameOf(const std::string& path) {
    const std::optional<TensorName> name = readTensorName(path);
    EXPECT_TRUE(name.has_value()) << path;
    return name.value_or(TensorName{});
}

TEST(TensorNames, LayerHeadAndPromptAreReadFromThePath) {
    const TensorName name = nameOf("/prompt_003/model.layers.12.self_attn/head_7/key_states");
    EXPECT_EQ(name.role, TensorRole::Key);
    EXPECT_EQ(name.layer, 12);
    EXPECT_EQ(name.head, 7);
    EXPECT_EQ(name.prompt, "003");
    EXPECT_EQ(name.family, "");
}

TEST(TensorNames, BeforeAndAfterRopeAreToldApart) {
    for (const char* before : {"hook_q", "q_proj", "q_pre_rope", "q_raw", "query_pre_norm"})
        EXPECT_EQ(nameOf(before).rope, NamedRope::Before) << before;
    for (const char* after : {"hook_rot_k", "K.Post-Rope", "k_rope", "key_rot"})
        EXPECT_EQ(nameOf(after).rope, NamedRope::After) << after;
    EXPECT_EQ(nameOf("layers/04/q").rope, NamedRope::Unsaid);
}

TEST(TensorNames, OtherWordsMakeAFamily) {
    EXPECT_EQ(nameOf("/camera/K").family, "camera");
    EXPECT_EQ(nameOf("/run_b/layer_4/q").family, "run b");
    EXPECT_EQ(nameOf("/4/q").layer, 4);
}

TEST(TensorNames, WhatIsNoTensorIsNone) {
    for (const char* path : {"layer_-1/q", "weights/q_proj.weight", "tokens", "o_proj", "layers/04/q ", "a//q", ""})
        EXPECT_FALSE(readTensorName(path).has_value()) << path;
}

}  // namespace
}  // namespace dimscope::tests
