// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <functional>
#include <string>
#include <vector>

#include "app/cli/reading_options.h"

class QCheckBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace dimscope::app {

class WorkspaceModel;

/// How the open dump was read, on what evidence, and who decided what; a person may decide otherwise, and the dump is
/// then read again.
class ReadingDialog : public QDialog {
    Q_OBJECT

public:
    explicit ReadingDialog(WorkspaceModel& model, QWidget* parent = nullptr);

    QWidget* field(const std::string& option) const;  ///< "--axes"; null: none
    QString failure() const;
    QString command() const;
    QStringList notes() const;
    QPushButton* readButton() const { return read_; }
    QPushButton* forgetButton() const { return forget_; }

private:
    void build();
    QWidget* noteList();
    QWidget* form();
    void addField(const ReadingField& field, QGridLayout& grid, int place);
    void addMap(QGridLayout& grid, int row);
    QString asRead(const std::string& option) const;
    ReadingOptions options() const;
    void refreshOrigin();
    void refreshCommand();
    void readAgain();
    void fail(const QString& sentence);

    WorkspaceModel& model_;
    ReadingOptions given_;
    struct Field {
        std::string option;
        QWidget* widget;
        std::function<void(ReadingOptions&)> store;
    };
    std::vector<Field> fields_;
    QPlainTextEdit* map_ = nullptr;
    QCheckBox* rotate_ = nullptr;
    QLabel* origin_;
    QLabel* failure_;
    QLineEdit* command_;
    QPushButton* forget_;
    QPushButton* read_;
};

}  // namespace dimscope::app
