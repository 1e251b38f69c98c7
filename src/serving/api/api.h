#pragma once

#include <memory>

#include "serving/api/service.h"
#include "serving/http/message.h"

namespace eatt::serving {

// All routes: LibreTranslate's, /v1, the page, and what operators read.
class Api : public Handler {
 public:
  // Throws an Error if a bundle or the file of keys cannot be opened.
  explicit Api(ApiOptions options);
  ~Api() override;

  Cancel handle(Exchange exchange) override;
  Response refuse(const HttpRequest& request, int status, const std::string& sentence) override;

  void reload();
  // Ends all work; no request may be handled any more.
  void finish();

 private:
  std::unique_ptr<Service> service_;
};

}  // namespace eatt::serving
