// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/overview_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "analysis/figures/overview.h"
#include "app/window/appearance.h"
#include "app/window/colour_bar.h"
#include "app/window/head_matrix.h"
#include "app/window/layer_profiles.h"
#include "app/window/qt_text.h"

namespace dimscope::app {
namespace {

constexpr std::chrono::milliseconds kBeforeWaiting{400};

}  // namespace

OverviewPanel::OverviewPanel(const Appearance& appearance, WorkspaceModel& model, LayerProfiles& profiles,
                             QWidget* parent)
    : QWidget(parent),
      appearance_(appearance),
      model_(model),
      profiles_(profiles),
      quantity_(new QComboBox(this)),
      matrix_(new HeadMatrix(appearance, this)),
      selected_(new QLabel(this)),
      hover_(new QLabel(this)),
      bar_(new ColourBar(appearance, this)),
      zoom_(new QLabel(this)) {
    build();
    connect(&model_, &WorkspaceModel::opened, this, &OverviewPanel::reset);
    connect(&profiles_, &LayerProfiles::restarted, this, [this] { matrix_->clearValues(); });
    connect(&profiles_, &LayerProfiles::layerReady, this, &OverviewPanel::addLayer);
    connect(&profiles_, &LayerProfiles::finished, this, [this] {
        if (followsStrongest_) chooseStrongest();
        followsStrongest_ = false;
    });
    connect(&model_, &WorkspaceModel::choiceChanged, this, [this] {
        if (!choosingItself_) followsStrongest_ = false;
        matrix_->setChosen(model_.choice());
        updateReadout();
    });
    connect(matrix_, &HeadMatrix::chosen, this, [this](HeadChoice head) { model_.choose(head); });
    connect(matrix_, &HeadMatrix::activated, this, [this](HeadChoice head) {
        model_.choose(head);
        emit activated();
    });
    connect(matrix_, &HeadMatrix::hoverChanged, this, &OverviewPanel::updateReadout);
    connect(quantity_, &QComboBox::currentIndexChanged, this, &OverviewPanel::refill);
    connect(zoom_, &QLabel::linkActivated, this, [this] { setZoomed(!zoomed_); });
    connect(&appearance_, &Appearance::changed, this, &OverviewPanel::updateRange);
    connect(&appearance_, &Appearance::changed, this, &OverviewPanel::updateReadout);
}

void OverviewPanel::build() {
    for (const auto& [name, title] : analysis::overviewQuantities()) quantity_->addItem(qt(title), qt(name));
    quantity_->setAccessibleName(tr("Quantity that colours the overview"));
    quantity_->setFixedHeight(24);
    zoom_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 6, 12, 4);
    column->setSpacing(3);
    auto* top = new QHBoxLayout;
    top->addWidget(new QLabel(tr("Colour"), this));
    top->addWidget(quantity_, 1);
    column->addLayout(top);
    column->addWidget(matrix_);
    column->addWidget(selected_);
    column->addWidget(hover_);
    column->addWidget(bar_);
    column->addWidget(zoom_, 0, Qt::AlignRight);
    column->addStretch(1);
    updateReadout();
    updateRange();
}

std::string OverviewPanel::quantity() const { return quantity_->currentData().toString().toStdString(); }

void OverviewPanel::setQuantity(const std::string& name) {
    const int index = quantity_->findData(qt(name));
    if (index >= 0) quantity_->setCurrentIndex(index);
}

void OverviewPanel::setZoomed(bool zoomed) {
    zoomed_ = zoomed;
    updateRange();
}

void OverviewPanel::reset() {
    matrix_->setLayers(model_.workspace().info().layers);
    followsStrongest_ = !model_.choice();
    matrix_->setChosen(model_.choice());
    refill();
}

void OverviewPanel::addLayer(int layer) {
    const LayerIndex index{layer};
    const auto profile = profiles_.layer(index);
    const analysis::LayerInfo* info = model_.workspace().info().find(index);
    if (info == nullptr) return;
    for (int h = 0; h < info->nHeads; ++h) {
        const HeadChoice head{index, analysis::HeadIndex{h}};
        matrix_->setValue(head, valueOf(head).value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    updateRange();
    updateReadout();
    // A large dump takes its time: something to look at meanwhile, the strongest of all once all are there.
    const bool slow = std::chrono::steady_clock::now() - profiles_.started() > kBeforeWaiting;
    if (followsStrongest_ && !model_.choice() && slow) chooseStrongest();
}

void OverviewPanel::refill() {
    if (!model_.isOpen()) return;
    for (const analysis::LayerInfo& info : model_.workspace().info().layers)
        if (profiles_.layer(info.layer))
            for (int h = 0; h < info.nHeads; ++h) {
                const HeadChoice head{info.layer, analysis::HeadIndex{h}};
                matrix_->setValue(head, valueOf(head).value_or(std::numeric_limits<double>::quiet_NaN()));
            }
    updateRange();
    updateReadout();
}

std::optional<double> OverviewPanel::valueOf(HeadChoice head) const {
    const auto profile = profiles_.layer(head.layer);
    const analysis::HeadProfile* of = profile ? profile->find(head.layer, head.head) : nullptr;
    if (of == nullptr) return std::nullopt;
    return analysis::overviewValue(*of, quantity());
}

void OverviewPanel::updateRange() {
    std::vector<double> values;
    if (model_.isOpen())
        for (const analysis::LayerInfo& info : model_.workspace().info().layers)
            if (const auto profile = profiles_.layer(info.layer))
                for (const analysis::HeadProfile& head : profile->heads)
                    values.push_back(analysis::overviewValue(head, quantity()));
    std::vector<double> finite = values;
    std::erase_if(finite, [](double value) { return !std::isfinite(value); });
    const bool share = analysis::overviewIsShare(quantity());
    double from = 0.0, to = 1.0;
    if (!finite.empty() && (!share || zoomed_)) {
        const auto [least, most] = std::minmax_element(finite.begin(), finite.end());
        from = *least;
        to = *most > *least ? *most : *least + 1.0;
    }
    matrix_->setRange(from, to);
    bar_->setValues(std::move(finite), from, to, share);
    zoom_->setVisible(share);
    zoom_->setText(
        QString("<a href='zoom' style='color:%1;text-decoration:none'>%2</a>")
            .arg(appearance_.colours().accent.name(), zoomed_ ? tr("show 0–100 %") : tr("zoom to the heads")));
}

QString OverviewPanel::readoutOf(const std::optional<HeadChoice>& head) const {
    if (!head) return {};
    const auto profile = profiles_.layer(head->layer);
    const analysis::HeadProfile* of = profile ? profile->find(head->layer, head->head) : nullptr;
    const QString value = of == nullptr ? tr("…") : qt(analysis::overviewText(*of, quantity()));
    return tr("layer %1 · head %2 &nbsp; <b>%3</b>").arg(head->layer.value).arg(head->head.value).arg(value);
}

void OverviewPanel::updateReadout() {
    const auto line = [this](const QString& word, const QString& value) {
        return QString("<span style='color:%1'>%2</span> &nbsp; %3")
            .arg(appearance_.colours().secondary.name(), word, value.isEmpty() ? "–" : value);
    };
    selected_->setText(line("▣ " + tr("selected"), readoutOf(model_.choice())));
    hover_->setText(line("⬚ " + tr("hover"), readoutOf(matrix_->hovered())));
    const auto value = model_.choice() ? valueOf(*model_.choice()) : std::nullopt;
    bar_->setMark(value.value_or(std::numeric_limits<double>::quiet_NaN()));
}

void OverviewPanel::chooseStrongest() {
    std::optional<HeadChoice> best;
    double most = -std::numeric_limits<double>::infinity();
    for (const analysis::LayerInfo& info : model_.workspace().info().layers)
        if (const auto profile = profiles_.layer(info.layer))
            for (const analysis::HeadProfile& head : profile->heads) {
                const double value = analysis::overviewValue(head, quantity());
                if (value > most) {
                    most = value;
                    best = HeadChoice{head.layer, head.head};
                }
            }
    if (!best) return;
    choosingItself_ = true;
    model_.choose(*best);
    choosingItself_ = false;
}

}  // namespace dimscope::app
