// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/rows/resident_tensors.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "kernels/cuda/rows/device_arena.h"

namespace dimscope::kernels::cuda {
namespace {

bool sameTensor(const TensorView& a, const TensorView& b) {
    if (a.index() != b.index()) return false;
    return std::visit(
        [&b](const auto& view) {
            const auto& other = std::get<std::decay_t<decltype(view)>>(b);
            return view.data() == other.data() && view.rows() == other.rows() && view.cols() == other.cols() &&
                   view.stride() == other.stride();
        },
        a);
}

bool sameOwner(const TensorOwner& a, const TensorOwner& b) { return !a.owner_before(b) && !b.owner_before(a); }

const void* dataOf(const TensorView& tensor) {
    return std::visit([](const auto& view) { return static_cast<const void*>(view.data()); }, tensor);
}

template <class Real>
void copyTo(Real* place, const MatrixView<Real>& view, cudaStream_t stream) {
    const auto width = static_cast<std::size_t>(view.cols()) * sizeof(Real);
    const auto pitch = static_cast<std::size_t>(view.stride()) * sizeof(Real);
    check(cudaMemcpy2DAsync(place, width, view.data(), pitch, width, static_cast<std::size_t>(view.rows()),
                            cudaMemcpyHostToDevice, stream),
          "copying a tensor to the device");
}

template <class Real, class Other>
void copyTo(Real* place, const MatrixView<Other>& view, cudaStream_t stream) {
    std::vector<Real> converted;
    converted.reserve(static_cast<std::size_t>(view.rows() * view.cols()));
    for (Index r = 0; r < view.rows(); ++r)
        std::transform(view.row(r), view.row(r) + view.cols(), std::back_inserter(converted),
                       [](Other x) { return static_cast<Real>(x); });
    copyTo(place, MatrixView<Real>(converted.data(), view.rows(), view.cols()), stream);
    check(cudaStreamSynchronize(stream), "copying a tensor to the device");
}

}  // namespace

template <class Real>
const Real* ResidentTensors::get(const TensorView& tensor, const TensorOwner& owner, cudaStream_t stream) {
    const auto found = find(tensor, owner, sizeof(Real));
    if (found != entries_.end()) {
        entries_.splice(entries_.begin(), entries_, found);
    } else {
        const std::size_t bytes =
            static_cast<std::size_t>(rowsOf(tensor)) * static_cast<std::size_t>(colsOf(tensor)) * sizeof(Real);
        makeRoom(bytes);
        Entry entry{tensor, owner, !owner.expired(), sizeof(Real), allocated(bytes)};
        auto* place = reinterpret_cast<Real*>(entry.memory.data());
        if (bytes > 0) std::visit([&](const auto& view) { copyTo(place, view, stream); }, tensor);
        bytes_ += bytes;
        entries_.push_front(std::move(entry));
        places_.emplace(dataOf(tensor), entries_.begin());
    }
    entries_.front().batch = batch_;
    return reinterpret_cast<const Real*>(entries_.front().memory.data());
}

template const float* ResidentTensors::get(const TensorView&, const TensorOwner&, cudaStream_t);
template const double* ResidentTensors::get(const TensorView&, const TensorOwner&, cudaStream_t);

std::list<ResidentTensors::Entry>::iterator ResidentTensors::find(const TensorView& tensor, const TensorOwner& owner,
                                                                  std::size_t element) {
    const auto [first, last] = places_.equal_range(dataOf(tensor));
    const auto found = std::find_if(first, last, [&](const auto& place) {
        const Entry& entry = *place.second;
        return entry.element == element && sameTensor(entry.tensor, tensor) && sameOwner(entry.owner, owner) &&
               !(entry.owned && entry.owner.expired());
    });
    return found == last ? entries_.end() : found->second;
}

void ResidentTensors::drop(std::list<Entry>::iterator entry) {
    const auto [first, last] = places_.equal_range(dataOf(entry->tensor));
    places_.erase(std::find_if(first, last, [&](const auto& place) { return place.second == entry; }));
    bytes_ -= entry->memory.bytes();
    entries_.erase(entry);
}

void ResidentTensors::dropLast() {
    if (entries_.back().batch == batch_) throw BatchFull{};
    drop(std::prev(entries_.end()));
}

void ResidentTensors::makeRoom(std::size_t bytes) {
    while (bytes_ + bytes > budget_ && !entries_.empty()) dropLast();
}

/// Where the device has less left than the budget says, older tensors leave for the new one.
DeviceMemory<std::byte> ResidentTensors::allocated(std::size_t bytes) {
    for (;;) {
        try {
            return DeviceMemory<std::byte>(bytes);
        } catch (const OutOfMemory&) {
            cudaGetLastError();
            if (entries_.empty()) throw;
            dropLast();
        }
    }
}

void ResidentTensors::endCall() {
    endBatch();
    for (auto entry = entries_.begin(); entry != entries_.end();) {
        const auto own = entry++;
        if (!own->owned || own->owner.expired()) drop(own);
    }
}

}  // namespace dimscope::kernels::cuda
