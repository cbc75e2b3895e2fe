// The gradient of the L1 loss, called through the C interface: what the API's usual example does, with everything
// released on every way out. It uses nothing that only the host library's headers have.
//
// On a CPU, with the host library of this project:
//   lib=$(aclnn-spec host build)
//   c++ -std=c++17 -I tools/host/include examples/l1_loss_backward.cpp "$lib" -Wl,-rpath,"$(dirname "$lib")" -o l1
// On an Ascend device, with CANN's environment set (8.x; 9.x has acl_rt, opapi_math and opapi_nn for ascendcl, opapi):
//   c++ -std=c++17 -I "$ASCEND_HOME_PATH/include" examples/l1_loss_backward.cpp -L "$ASCEND_HOME_PATH/lib64"
//       -lascendcl -lnnopbase -lopapi -o l1

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_l1_loss_backward.h"

namespace {

void must(const char *what, int status) {
  if (status == 0) return;
  const char *text = aclGetRecentErrMsg();
  throw std::runtime_error(std::string(what) + " answered " + std::to_string(status) + (text ? ": " : "") +
                           (text ? text : ""));
}

// Runs a function when its scope ends.
class Finally {
 public:
  explicit Finally(std::function<void()> action) : action_(std::move(action)) {}
  Finally(const Finally &) = delete;
  Finally &operator=(const Finally &) = delete;
  ~Finally() { action_(); }

 private:
  std::function<void()> action_;
};

// Device memory.
class Memory {
 public:
  explicit Memory(std::size_t bytes) {
    // Zero bytes are refused, and kernels may read up to the next 32; CANN asks for that much more.
    must("aclrtMalloc", aclrtMalloc(&data_, (bytes + 31) / 32 * 32 + 32, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory() { aclrtFree(data_); }
  void *data() const { return data_; }

 private:
  void *data_ = nullptr;
};

// A dense FLOAT tensor with its memory.
class Tensor {
 public:
  Tensor(const std::vector<std::int64_t> &shape, const std::vector<float> &values)
      : bytes_(values.size() * sizeof(float)), memory_(bytes_) {
    must("aclrtMemcpy", aclrtMemcpy(memory_.data(), bytes_, values.data(), bytes_, ACL_MEMCPY_HOST_TO_DEVICE));
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    handle_ = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, strides.data(), 0, ACL_FORMAT_ND, shape.data(),
                              shape.size(), memory_.data());
    if (handle_ == nullptr) throw std::runtime_error("aclCreateTensor gave no tensor");
  }
  Tensor(const Tensor &) = delete;
  Tensor &operator=(const Tensor &) = delete;
  ~Tensor() { aclDestroyTensor(handle_); }

  aclTensor *handle() const { return handle_; }
  std::vector<float> values() const {
    std::vector<float> values(bytes_ / sizeof(float));
    must("aclrtMemcpy", aclrtMemcpy(values.data(), bytes_, memory_.data(), bytes_, ACL_MEMCPY_DEVICE_TO_HOST));
    return values;
  }

 private:
  std::size_t bytes_;
  Memory memory_;
  aclTensor *handle_ = nullptr;
};

void run() {
  const std::int32_t device = 0;
  must("aclInit", aclInit(nullptr));
  const Finally finalize([] { aclFinalize(); });
  must("aclrtSetDevice", aclrtSetDevice(device));
  const Finally reset([device] { aclrtResetDevice(device); });
  aclrtStream stream = nullptr;
  must("aclrtCreateStream", aclrtCreateStream(&stream));
  const Finally destroy([stream] { aclrtDestroyStream(stream); });

  const std::vector<std::int64_t> shape = {2, 2};
  const Tensor gradOutput(shape, {0, 1, 2, 3});
  const Tensor self(shape, {0, 1, 2, 3});
  const Tensor target(shape, {1, 1, 1, 1});
  const Tensor gradInput(shape, {0, 0, 0, 0});
  const std::int64_t mean = 1;

  // Phase 1 checks the call, and says how much workspace phase 2 needs.
  std::uint64_t workspaceSize = 0;
  aclOpExecutor *executor = nullptr;
  must("aclnnL1LossBackwardGetWorkspaceSize",
       aclnnL1LossBackwardGetWorkspaceSize(gradOutput.handle(), self.handle(), target.handle(), mean,
                                           gradInput.handle(), &workspaceSize, &executor));
  const Finally drop([&executor] {
    if (executor != nullptr) aclDestroyAclOpExecutor(executor);
  });
  const std::unique_ptr<Memory> workspace(workspaceSize > 0 ? new Memory(workspaceSize) : nullptr);

  // Phase 2 launches it and uses the executor up, also when it fails. The result is there once the stream is done.
  must("aclnnL1LossBackward",
       aclnnL1LossBackward(workspace ? workspace->data() : nullptr, workspaceSize, std::exchange(executor, nullptr),
                           stream));
  must("aclrtSynchronizeStream", aclrtSynchronizeStream(stream));

  const char *separator = "";
  for (const float value : gradInput.values()) {
    std::printf("%s%g", separator, static_cast<double>(value + 0.0F));  // + 0: a negative zero is printed as 0
    separator = ", ";
  }
  std::printf("\n");
}

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
