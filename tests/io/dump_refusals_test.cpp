// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <filesystem>

#include "io/dump/attention_dump.h"
#include "kernels/error.h"
#include "tests/io/dump_files.h"
#include "tests/support/temporary_folder.h"

namespace dimscope::tests {
namespace {

namespace fs = std::filesystem;

/// One line that names file, object and cause; its words contain `cause`.
template <class Error>
void expectRefusal(const fs::path& path, const std::string& object, const std::string& cause) {
    try {
        static_cast<void>(io::openDump(path));
        FAIL() << path << " was accepted";
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        EXPECT_NE(text.find(path.filename().string()), std::string::npos) << text;
        EXPECT_NE(text.find(object), std::string::npos) << text;
        EXPECT_EQ(error.parts().object, object) << text;
        EXPECT_NE(error.parts().cause.find(cause), std::string::npos) << text;
        EXPECT_FALSE(error.parts().advice.empty()) << text;
    }
}

struct Refusal {
    std::string file;
    std::string object;
    std::string cause;  ///< words that must be in the cause
};

class EveryRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(EveryRefusal, IsOneLineWithFileObjectAndCause) {
    expectRefusal<kernels::FormatError>(dataFile(GetParam().file), GetParam().object, GetParam().cause);
}

INSTANTIATE_TEST_SUITE_P(
    Files, EveryRefusal,
    testing::Values(
        Refusal{"no_q", "/layers/04", "no q"}, Refusal{"no_k", "/layers/04", "no k"},
        Refusal{"no_layers", "/", "no group /layers"}, Refusal{"rank_3", "/layers/04/k", "rank 4"},
        Refusal{"other_dimension", "/layers/04/k", "head dimensions"},
        Refusal{"other_positions", "/layers/04/k", "positions"}, Refusal{"other_prompts", "/layers/04/k", "prompts"},
        Refusal{"other_value_heads", "/layers/04/v", "heads"},
        Refusal{"heads_do_not_divide", "/layers/04/k", "do not divide"},
        Refusal{"more_kv_heads", "/layers/04/k", "do not divide"}, Refusal{"empty_axis", "/layers/04/q", "empty"},
        Refusal{"stated_heads", "/layers/04/q", "n_heads"}, Refusal{"int32", "/layers/04/q", "int32"},
        Refusal{"uint16_without_encoding", "/layers/04/q", "uint16"},
        Refusal{"unknown_encoding", "/layers/04/q", "fp8_e4m3fn"}, Refusal{"string", "/layers/04/q", "text"},
        Refusal{"compound", "/layers/04/q", "compound"}, Refusal{"scale_nan", "/layers/04", "scale"},
        Refusal{"scale_zero", "/layers/04", "scale"}, Refusal{"scale_negative", "/layers/04", "scale"},
        Refusal{"scale_text", "/layers/04", "scale"}, Refusal{"window_without_causal", "/layers/04", "window"},
        Refusal{"other_axes", "/layers/04/k", "positions"}, Refusal{"version_2", "/", "newer program"},
        Refusal{"other_format", "/", "attn-kernel-params"}, Refusal{"external_link", "/layers/04/q", "external link"},
        Refusal{"dangling_link", "/layers/04/q", "leads nowhere"},
        Refusal{"virtual_dataset", "/layers/04/q", "virtual"},
        Refusal{"never_written", "/layers/04/q", "never written"},
        Refusal{"length_mask_disagree", "/prompts", "disagree"}, Refusal{"length_shape", "/prompts/length", "shape"}),
    [](const auto& given) { return given.param.file; });

TEST(DumpRefusals, AMissingFile) { expectRefusal<kernels::FileError>(dataFile("not_there"), "/", "no such file"); }

TEST(DumpRefusals, AFolder) {
    const TemporaryFolder folder;
    expectRefusal<kernels::FileError>(folder.path(), "/", "directory");
}

TEST(DumpRefusals, AnEmptyFile) {
    const TemporaryFolder folder;
    writeContent(folder / "empty.h5", "");
    expectRefusal<kernels::FileError>(folder / "empty.h5", "/", "empty");
}

TEST(DumpRefusals, ATextFile) {
    const TemporaryFolder folder;
    writeContent(folder / "text.h5", "q,k\n1,2\n");
    expectRefusal<kernels::FileError>(folder / "text.h5", "/", "not an HDF5 file");
}

TEST(DumpRefusals, ATruncatedFile) {
    const TemporaryFolder folder;
    const std::string whole = contentOf(dataFile("float32"));
    for (const std::size_t percent : {20U, 50U, 99U}) {
        writeContent(folder / "cut.h5", std::string_view(whole).substr(0, whole.size() * percent / 100));
        expectRefusal<kernels::FileError>(folder / "cut.h5", "/", "cut off");
    }
}

}  // namespace
}  // namespace dimscope::tests
