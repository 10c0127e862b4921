// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/banner.h"
#include "app/window/main_window.h"
#include "app/window/mapping_dialog.h"
#include "app/window/reading_dialog.h"

namespace dimscope::app {

void MainWindow::wireReading() {
    connect(&model_, &WorkspaceModel::questionAsked, this, &MainWindow::askReading);
    connect(&model_, &WorkspaceModel::complained, this,
            [this](const QString& sentence) { banner_->showSentence(sentence); });
    const auto closeMapping = [this] {
        if (mapping_) mapping_->accept();
    };
    connect(&model_, &WorkspaceModel::opened, this, closeMapping);
    connect(&model_, &WorkspaceModel::openFailed, this, closeMapping);
}

/// In the dialog that asked before, where there was a question before.
void MainWindow::askReading(const OpenQuestion& question) {
    banner_->hide();
    if (!mapping_) {
        mapping_ = new MappingDialog(appearance_, pump_, this);
        mapping_->setAttribute(Qt::WA_DeleteOnClose);
        connect(mapping_, &MappingDialog::answered, this,
                [this](const ReadingRequest& request) { model_.read(request); });
        connect(mapping_, &MappingDialog::stepTaken, this, [this] { model_.cancelOpening(); });
        connect(mapping_, &QDialog::rejected, this, [this] { model_.cancelOpening(); });
        mapping_->setWindowModality(Qt::WindowModal);
    }
    mapping_->ask(question);
    mapping_->show();
}

void MainWindow::showReading() {
    auto* dialog = new ReadingDialog(model_, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

}  // namespace dimscope::app
