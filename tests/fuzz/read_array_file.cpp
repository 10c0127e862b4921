// SPDX-License-Identifier: GPL-3.0-or-later
// libFuzzer: opens what it is given as a dump and reads a head, in this process. Files of HDF5 are left out, because
// the library itself crashes on some (the program gives them to another process first: app/core/dump_opening.h); what
// is decoded here of them, chunks and names, is fed directly.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "io/chunk_filters.h"
#include "io/dump/attention_dump.h"
#include "io/dump/tensor_name.h"
#include "kernels/error.h"

namespace {

using namespace dimscope;

void decode(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return;
    std::vector<io::ChunkFilter> filters;
    for (unsigned bits = data[0]; filters.size() < 3; bits >>= 2U)
        filters.push_back({static_cast<io::ChunkFilter::Kind>(bits & 3U), (data[1] & 7U) + 1U});
    const auto* bytes = reinterpret_cast<const std::byte*>(data);
    try {
        static_cast<void>(io::decodeChunk({bytes + 2, bytes + size}, filters, data[1] >> 5U, data[1] * 16U));
    } catch (const std::runtime_error&) {
    }
}

void openAsFile(const std::uint8_t* data, std::size_t size) {
    const int file = memfd_create("dump", 0);
    const bool written = write(file, data, size) == static_cast<ssize_t>(size);
    try {
        if (written) {
            const auto source = io::openDump("/proc/self/fd/" + std::to_string(file));
            const analysis::LayerInfo& layer = source->info().layers.front();
            static_cast<void>(source->load(analysis::TensorKind::Query, layer.layer, kernels::PromptIndex{0}, 0, {}));
        }
    } catch (const kernels::Error&) {
    }
    close(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    static_cast<void>(io::readTensorName(std::string(data, data + size)));
    decode(data, size);
    const std::string text(data, data + size);
    if (text.find("HDF\r\n") == std::string::npos) openAsFile(data, size);
    return 0;
}
