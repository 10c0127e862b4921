// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels at query rows and profiles on the GPU as a shared library for rows_cuda.py, which measures them beside
// PyTorch in one process.
#include <cmath>

#include "kernels/backend_registry.h"
#include "kernels/random_features.h"
#include "kernels/random_stream.h"
#include "tests/benchmarks/reported.h"

namespace {

using namespace dimscope::kernels;
using dimscope::benchmarks::reported;

struct Sizes {
    int heads, kvHeads, dim, rows, draws, layers;
    long long positions;
};

/// Seeded N(0, 1) layers as a dump's: their owners are known, so they stay on the device.
class Bench {
public:
    explicit Bench(const Sizes& sizes) : sizes_(sizes), backend_(makeBackend("cuda")) {
        for (int layer = 0; layer < sizes.layers; ++layer) {
            for (int h = 0; h < sizes.heads; ++h) queries_.push_back(tensor(layer, h));
            for (int h = 0; h < sizes.kvHeads; ++h) keys_.push_back(tensor(layer, 100 + h));
            for (int h = 0; h < sizes.kvHeads; ++h) values_.push_back(tensor(layer, 200 + h));
        }
        for (Index r = 1; r <= sizes.rows; ++r) rows_.push_back(r * sizes.positions / sizes.rows - 1);
        for (int h = 0; h < sizes.heads; ++h) {
            kernels_.push_back(kernelsOf(h));
            every_.push_back(kernels_.back());
            addOthers(h, every_.back());
        }
    }

    /// Exact attention and the kernels of the papers, or every kernel, for all heads of the first layer.
    std::vector<std::vector<RowsOutput>> attendRows(bool every) const {
        std::vector<RowsJob> jobs;
        for (int h = 0; h < sizes_.heads; ++h)
            jobs.push_back({head(0, h), rows_, (every ? every_ : kernels_)[static_cast<std::size_t>(h)]});
        return backend_->attendRows(jobs, {});
    }

    void profile() const {
        std::vector<ProfileJob> jobs;
        for (int layer = 0; layer < sizes_.layers; ++layer)
            for (int h = 0; h < sizes_.heads; ++h) jobs.push_back({head(layer, h)});
        backend_->profile(jobs, {});
    }

    /// Largest ||out - reference|| / ||reference|| over every kernel of the first head.
    double error() const {
        const auto got = attendRows(true);
        const std::vector<RowsJob> jobs{{head(0, 0), rows_, every_.front()}};
        const auto expected = makeBackend("reference")->attendRows(jobs, {});
        double worst = 0.0;
        for (std::size_t k = 0; k < every_.front().size(); ++k) {
            const Matrix<double>&a = got[0][k].values, &b = expected[0][k].values;
            double difference = 0.0, size = 0.0;
            for (std::size_t n = 0; n < b.values().size(); ++n) {
                difference += std::pow(a.values()[n] - b.values()[n], 2);
                size += std::pow(b.values()[n], 2);
            }
            const double own = std::sqrt(difference / size);
            if (size > 0.0 && !(own <= worst)) worst = own;  // the kernel `zero` has no norm
        }
        return worst;
    }

private:
    using Shared = std::shared_ptr<const Matrix<float>>;

    Shared tensor(int layer, int number) const {
        Matrix<float> out(sizes_.positions, sizes_.dim);
        RandomStream stream(1, RandomPurpose::BenchTensors, layer, number);
        for (float& x : out.values()) x = static_cast<float>(stream.normal());
        return std::make_shared<const Matrix<float>>(std::move(out));
    }
    HeadInputs head(int layer, int h) const {
        const int kv = layer * sizes_.kvHeads + h / (sizes_.heads / sizes_.kvHeads);
        const Shared& query = queries_[static_cast<std::size_t>(layer * sizes_.heads + h)];
        const Shared &key = keys_[static_cast<std::size_t>(kv)], &value = values_[static_cast<std::size_t>(kv)];
        HeadInputs inputs;
        inputs.query = query->view();
        inputs.key = key->view();
        inputs.value = value->view();
        inputs.scale = 1.0 / std::sqrt(static_cast<double>(sizes_.dim));
        inputs.queryOwner = query;
        inputs.keyOwner = key;
        inputs.valueOwner = value;
        return inputs;
    }
    std::vector<KernelSpec> kernelsOf(int h) const {
        std::vector<KernelSpec> all{Softmax{}};
        for (int draw = 0; draw < sizes_.draws; ++draw)
            all.push_back(Performer{std::make_shared<Matrix<double>>(
                performerProjection(250, sizes_.dim, static_cast<std::uint64_t>(draw), 0, h))});
        const FastFoodDraw food = fastFoodDraw(sizes_.dim, 1, 0);
        SpectraFormer spectra;
        spectra.b = std::make_shared<std::vector<double>>(food.b);
        spectra.g = std::make_shared<std::vector<double>>(food.g);
        spectra.s = std::make_shared<std::vector<double>>(food.s);
        spectra.permutation = std::make_shared<std::vector<int>>(food.permutation);
        all.emplace_back(spectra);
        DiJiang cosines;
        cosines.t = std::make_shared<std::vector<double>>(diJiangDraw(sizes_.dim, 1, 0));
        all.emplace_back(cosines);
        all.emplace_back(TaylorShift{});
        all.emplace_back(GlobalQuadratic{{1.0, 0.5, 0.5}, 1e-6});
        Oal oal{std::vector<int>(static_cast<std::size_t>(sizes_.dim), 0), 3, {1, .5, .5, .3, .2, .6, .2, .1, .4, .7}};
        oal.label[5] = oal.label[20] = 1;
        oal.label[33] = oal.label[48] = 2;
        all.emplace_back(oal);
        return all;
    }

    void addOthers(int h, std::vector<KernelSpec>& all) const {
        const auto& spectra = std::get<SpectraFormer>(all[static_cast<std::size_t>(sizes_.draws) + 1]);
        SpectraFormerUnbiased unbiased;
        unbiased.b = spectra.b;
        unbiased.g = spectra.g;
        unbiased.s = spectra.s;
        unbiased.permutation = spectra.permutation;
        all.insert(all.end(), {unbiased, Taylor{}, ZerosSm{}, LinearZeros{}, Elu{}, CosFormer{}, Hedgehog{}, Based{},
                               ReBased{}, Power{2}, Power{4}, Lolcats{}, RetNet{}, Uniform{}, Zero{}, FirstValue{}});
        all.emplace_back(Rfa{std::make_shared<Matrix<double>>(rfaProjection(sizes_.dim, sizes_.dim, 1, 0, h))});
        SketchDraw sketch = polySketchDraw(sizes_.dim, 32, 1, 0, h);
        all.emplace_back(PolySketch{std::make_shared<Matrix<double>>(std::move(sketch.s1)),
                                    std::make_shared<Matrix<double>>(std::move(sketch.s2))});
    }

    Sizes sizes_;
    std::unique_ptr<Backend> backend_;
    std::vector<Shared> queries_, keys_, values_;
    std::vector<Index> rows_;
    std::vector<std::vector<KernelSpec>> kernels_, every_;  // by head
};

}  // namespace

extern "C" {

int benchMake(const Sizes* sizes, void** made, char* error, std::size_t room) {
    return reported(error, room, [&] { *made = new Bench(*sizes); });
}
int benchRows(void* bench, int every, char* error, std::size_t room) {
    return reported(error, room, [&] { static_cast<Bench*>(bench)->attendRows(every != 0); });
}
int benchProfile(void* bench, char* error, std::size_t room) {
    return reported(error, room, [&] { static_cast<Bench*>(bench)->profile(); });
}
int benchError(void* bench, double* worst, char* error, std::size_t room) {
    return reported(error, room, [&] { *worst = static_cast<Bench*>(bench)->error(); });
}
}
