#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/corpus/prepare_corpus.h"

namespace eatt {

// Everything that the bytes of a data set depend on, in words: {"--vocab-size", "8000"}, {"input
// 1", "train.en, 1801238 bytes, modified 2026-01-02 03:04:05.678"}, … Two runs with the same plan
// make the same data set; the number of threads is not in it.
using PreparationPlan = std::vector<std::pair<std::string, std::string>>;

PreparationPlan make_plan(const PrepareOptions& options);

// Throws an Error with both values of the first thing that differs. `folder` is where `before` was
// found, for the message.
void expect_same_plan(const PreparationPlan& before, const PreparationPlan& now,
                      std::string_view folder);

std::string plan_to_json(const PreparationPlan& plan);
PreparationPlan plan_from_json(std::string_view json, const std::string& name);

}  // namespace eatt
