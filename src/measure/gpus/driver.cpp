#include "measure/gpus/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace homenode::measure {
namespace {

// The driver's interface, as NVIDIA's documentation of the CUDA driver API has it. A name with _v2
// is the one that a program of today gets for the name without.
using Status = int;
using Device = int;
using Context = void*;
using Address = unsigned long long;  // In the GPU's address space.
using Event = void*;
using Module = void*;
using Function = void*;
using Stream = void*;

constexpr Status no_device = 100;
constexpr unsigned register_for_all_and_mapped = 1U | 2U;
constexpr std::size_t name_bytes = 256;
constexpr std::size_t pci_bytes = 32;

struct Calls {
  Status (*init)(unsigned flags) = nullptr;
  Status (*driver_version)(int* version) = nullptr;
  Status (*error_string)(Status status, const char** words) = nullptr;
  Status (*device_count)(int* count) = nullptr;
  Status (*device)(Device* device, int ordinal) = nullptr;
  Status (*device_name)(char* name, int bytes, Device device) = nullptr;
  Status (*device_pci)(char* address, int bytes, Device device) = nullptr;
  Status (*retain_context)(Context* context, Device device) = nullptr;
  Status (*release_context)(Device device) = nullptr;
  Status (*use_context)(Context context) = nullptr;
  Status (*register_memory)(void* memory, std::size_t bytes, unsigned flags) = nullptr;
  Status (*unregister_memory)(void* memory) = nullptr;
  Status (*address_of)(Address* address, void* memory, unsigned flags) = nullptr;
  Status (*allocate)(Address* address, std::size_t bytes) = nullptr;
  Status (*release)(Address address) = nullptr;
  Status (*copy_to)(Address to, const void* from, std::size_t bytes, Stream stream) = nullptr;
  Status (*copy_from)(void* to, Address from, std::size_t bytes, Stream stream) = nullptr;
  Status (*copy_back)(void* to, Address from, std::size_t bytes) = nullptr;
  Status (*make_event)(Event* event, unsigned flags) = nullptr;
  Status (*record)(Event event, Stream stream) = nullptr;
  Status (*wait_for)(Event event) = nullptr;
  Status (*elapsed)(float* milliseconds, Event begin, Event end) = nullptr;
  Status (*destroy_event)(Event event) = nullptr;
  Status (*load_module)(Module* module, const void* image) = nullptr;
  Status (*unload_module)(Module module) = nullptr;
  Status (*function)(Function* function, Module module, const char* name) = nullptr;
  Status (*launch)(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   Stream stream, void** parameters, void** extra) = nullptr;
};

/// False where the library has not all of them.
bool find_calls(void* library, Calls& calls) {
  bool all = true;
  const auto find = [&](const char* name, auto& call) {
    call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(dlsym(library, name));
    all = all && call != nullptr;
  };
  find("cuInit", calls.init);
  find("cuDriverGetVersion", calls.driver_version);
  find("cuGetErrorString", calls.error_string);
  find("cuDeviceGetCount", calls.device_count);
  find("cuDeviceGet", calls.device);
  find("cuDeviceGetName", calls.device_name);
  find("cuDeviceGetPCIBusId", calls.device_pci);
  find("cuDevicePrimaryCtxRetain", calls.retain_context);
  find("cuDevicePrimaryCtxRelease_v2", calls.release_context);
  find("cuCtxSetCurrent", calls.use_context);
  find("cuMemHostRegister_v2", calls.register_memory);
  find("cuMemHostUnregister", calls.unregister_memory);
  find("cuMemHostGetDevicePointer_v2", calls.address_of);
  find("cuMemAlloc_v2", calls.allocate);
  find("cuMemFree_v2", calls.release);
  find("cuMemcpyHtoDAsync_v2", calls.copy_to);
  find("cuMemcpyDtoHAsync_v2", calls.copy_from);
  find("cuMemcpyDtoH_v2", calls.copy_back);
  find("cuEventCreate", calls.make_event);
  find("cuEventRecord", calls.record);
  find("cuEventSynchronize", calls.wait_for);
  find("cuEventElapsedTime", calls.elapsed);
  find("cuEventDestroy_v2", calls.destroy_event);
  find("cuModuleLoadData", calls.load_module);
  find("cuModuleUnload", calls.unload_module);
  find("cuModuleGetFunction", calls.function);
  find("cuLaunchKernel", calls.launch);
  return all;
}

Unexpected refused(const Calls& calls, const char* what, Status status) {
  const char* words = nullptr;
  if (calls.error_string(status, &words) != 0 || words == nullptr) words = "an unknown error";
  return failed(fmt::format("the CUDA driver cannot {}: {} ({})", what, words, status),
                "see whether 'nvidia-smi' works");
}

// One thread follows pointers. The driver compiles this for whatever GPU there is. Volatile loads
// do not stop at the GPU's first-level cache, and the chain is longer than its second.
constexpr const char* chase_ptx = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry chase(.param .u64 first, .param .u32 steps, .param .u64 last)
{
  .reg .b64 %at, %out;
  .reg .b32 %left;
  .reg .pred %more;
  ld.param.u64 %at, [first];
  ld.param.u32 %left, [steps];
  ld.param.u64 %out, [last];
next:
  ld.volatile.global.u64 %at, [%at];
  sub.u32 %left, %left, 1;
  setp.ne.u32 %more, %left, 0;
  @%more bra next;
  st.global.u64 [%out], %at;
  ret;
}
)";

class CudaLink final : public GpuLink {
 public:
  CudaLink(const Calls& calls, Device device, void* memory, Bytes copied)
      : calls_(calls), device_(device), memory_(memory), copied_(copied) {}
  CudaLink(const CudaLink&) = delete;
  CudaLink& operator=(const CudaLink&) = delete;
  ~CudaLink() override;

  /// The first call. Errors: failed; the destructor then undoes what was done.
  Result<void> open(std::size_t bytes);
  Result<double> copy(Way way) override;
  Result<double> follow(workloads::probe::Stop*& stop, unsigned steps) override;

 private:
  Result<void> load_chase();
  template <class Work>
  Result<double> timed(const char* what, const Work& work);

  Calls calls_;
  Device device_;
  void* memory_;
  Bytes copied_;
  bool has_context_ = false;
  bool is_pinned_ = false;
  Address own_ = 0;  ///< Memory of the GPU: what is copied, then where a chase ended.
  std::array<Event, 2> events_{};
  Module module_ = nullptr;
  Function chase_ = nullptr;
};

CudaLink::~CudaLink() {
  if (module_ != nullptr) calls_.unload_module(module_);
  for (Event event : events_) {
    if (event != nullptr) calls_.destroy_event(event);
  }
  if (own_ != 0) calls_.release(own_);
  if (is_pinned_) calls_.unregister_memory(memory_);
  if (has_context_) calls_.release_context(device_);
}

Result<void> CudaLink::open(std::size_t bytes) {
  Context context = nullptr;
  Status status = calls_.retain_context(&context, device_);
  if (status != 0) return refused(calls_, "use a GPU", status);
  has_context_ = true;
  status = calls_.use_context(context);
  if (status != 0) return refused(calls_, "use a GPU", status);
  status = calls_.register_memory(memory_, bytes, register_for_all_and_mapped);
  if (status != 0) return refused(calls_, "pin memory of this process", status);
  is_pinned_ = true;
  status = calls_.allocate(&own_, copied_.value + sizeof(Address));
  if (status != 0) return refused(calls_, "allocate memory of the GPU", status);
  for (Event& event : events_) {
    status = calls_.make_event(&event, 0);
    if (status != 0) return refused(calls_, "make an event", status);
  }
  return {};
}

/// The time between two events on the GPU, around what `work` has it do.
template <class Work>
Result<double> CudaLink::timed(const char* what, const Work& work) {
  float milliseconds = 0.0F;
  Status status = calls_.record(events_[0], nullptr);
  if (status == 0) status = work();
  if (status == 0) status = calls_.record(events_[1], nullptr);
  if (status == 0) status = calls_.wait_for(events_[1]);
  if (status == 0) status = calls_.elapsed(&milliseconds, events_[0], events_[1]);
  if (status != 0) return refused(calls_, what, status);
  return static_cast<double>(milliseconds) * 1e-3;
}

Result<double> CudaLink::copy(Way way) {
  return timed("copy memory", [&] {
    return way == Way::to_gpu ? calls_.copy_to(own_, memory_, copied_.value, nullptr)
                              : calls_.copy_from(memory_, own_, copied_.value, nullptr);
  });
}

Result<void> CudaLink::load_chase() {
  if (chase_ != nullptr) return {};
  Address address = 0;
  Status status = calls_.address_of(&address, memory_, 0);
  if (status != 0) return refused(calls_, "show the GPU memory of this process", status);
  if (address != reinterpret_cast<std::uintptr_t>(memory_)) {
    return not_supported("the GPU has other addresses for memory than this process",
                         "its bandwidth is measured all the same");
  }
  status = calls_.load_module(&module_, chase_ptx);
  if (status == 0) status = calls_.function(&chase_, module_, "chase");
  if (status != 0) return refused(calls_, "compile a kernel", status);
  return {};
}

Result<double> CudaLink::follow(workloads::probe::Stop*& stop, unsigned steps) {
  if (auto loaded = load_chase(); !loaded) return loaded.as_unexpected();
  Address first = reinterpret_cast<std::uintptr_t>(stop);
  Address last = own_ + copied_.value;
  std::array<void*, 3> parameters{&first, &steps, &last};
  const auto seconds = timed("run a kernel", [&] {
    return calls_.launch(chase_, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters.data(), nullptr);
  });
  if (!seconds) return seconds;
  Address ended = 0;
  const Status status = calls_.copy_back(&ended, last, sizeof ended);
  if (status != 0) return refused(calls_, "copy memory", status);
  stop = reinterpret_cast<workloads::probe::Stop*>(static_cast<std::uintptr_t>(ended));
  return seconds;
}

class Cuda final : public GpuDriver {
 public:
  explicit Cuda(const Calls& calls) : calls_(calls) {}
  Result<void> find_gpus();
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] const std::vector<GpuIdentity>& gpus() const override { return gpus_; }
  Result<std::unique_ptr<GpuLink>> pin(std::size_t gpu, actuation::Region memory,
                                       Bytes copied) override;

 private:
  Calls calls_;
  std::string name_;
  std::vector<GpuIdentity> gpus_;
  std::vector<Device> devices_;
};

Result<void> Cuda::find_gpus() {
  int version = 0;
  int count = 0;
  Status status = calls_.driver_version(&version);
  if (status == 0) status = calls_.device_count(&count);
  if (status == no_device) return {};
  if (status != 0) return refused(calls_, "count the GPUs", status);
  name_ = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    std::array<char, name_bytes> model{};
    std::array<char, pci_bytes> pci{};
    Device device = 0;
    status = calls_.device(&device, ordinal);
    if (status == 0) status = calls_.device_name(model.data(), name_bytes - 1, device);
    if (status == 0) status = calls_.device_pci(pci.data(), pci_bytes - 1, device);
    if (status != 0) return refused(calls_, "describe a GPU", status);
    for (char& c : pci) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    gpus_.push_back({pci.data(), model.data()});
    devices_.push_back(device);
  }
  return {};
}

Result<std::unique_ptr<GpuLink>> Cuda::pin(std::size_t gpu, actuation::Region memory,
                                           Bytes copied) {
  auto link = std::make_unique<CudaLink>(calls_, devices_.at(gpu), memory.address, copied);
  if (auto opened = link->open(memory.bytes); !opened) return opened.as_unexpected();
  return std::unique_ptr<GpuLink>(std::move(link));
}

Result<std::unique_ptr<GpuDriver>> no_driver() {
  return std::unique_ptr<GpuDriver>();
}

}  // namespace

Result<std::unique_ptr<GpuDriver>> open_cuda(const char* library) {
  // Never closed: the driver keeps threads of its own.
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return no_driver();
  Calls calls;
  if (!find_calls(handle, calls)) {
    return failed(fmt::format("the CUDA driver in {} is too old", library),
                  "a driver of CUDA 11 or later is needed");
  }
  const Status status = calls.init(0);
  if (status == no_device) return no_driver();
  if (status != 0) return refused(calls, "start", status);
  auto cuda = std::make_unique<Cuda>(calls);
  if (auto found = cuda->find_gpus(); !found) return found.as_unexpected();
  if (cuda->gpus().empty()) return no_driver();
  return std::unique_ptr<GpuDriver>(std::move(cuda));
}

}  // namespace homenode::measure
