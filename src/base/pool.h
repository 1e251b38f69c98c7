#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace eatt {

// Objects that are costly to create, for threads that each need one for a while. An object is made
// when none is free, and kept for the next user: there are as many as are ever in use at a time.
template <class T>
class Pool {
 public:
  using Make = std::function<std::unique_ptr<T>()>;
  explicit Pool(Make make) : make_(std::move(make)) {}

  // Holds an object of the pool while it lives.
  class Lease {
   public:
    explicit Lease(Pool& pool) : pool_(pool), object_(pool.take()) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.give_back(std::move(object_)); }
    T& operator*() const { return *object_; }
    T* operator->() const { return object_.get(); }

   private:
    Pool& pool_;
    std::unique_ptr<T> object_;
  };

 private:
  std::unique_ptr<T> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto object = std::move(free_.back());
        free_.pop_back();
        return object;
      }
    }
    return make_();
  }

  // Called by a destructor, so without an exception: if there is no memory left to keep the object,
  // it is dropped.
  void give_back(std::unique_ptr<T> object) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      free_.push_back(std::move(object));
    } catch (const std::bad_alloc&) {
    }
  }

  Make make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace eatt
