#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/step_model.h"

namespace eatt {

// Models of one kind, made when none is free and kept for whoever comes next: a model's buffers
// grow once, and there are as many as threads that compute at a time.
class ModelPool {
 public:
  using Make = std::function<std::unique_ptr<StepModel>()>;
  explicit ModelPool(Make make) : make_(std::move(make)) {}

  // A model for the life of this object.
  class Lease {
   public:
    explicit Lease(ModelPool& pool) : pool_(pool), model_(pool.take()) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.give_back(std::move(model_)); }
    StepModel& operator*() const { return *model_; }

   private:
    ModelPool& pool_;
    std::unique_ptr<StepModel> model_;
  };

 private:
  std::unique_ptr<StepModel> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto model = std::move(free_.back());
        free_.pop_back();
        return model;
      }
    }
    return make_();
  }

  void give_back(std::unique_ptr<StepModel> model) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(model));
  }

  Make make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<StepModel>> free_;
};

}  // namespace eatt
