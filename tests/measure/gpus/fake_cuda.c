// A CUDA driver with one GPU that is this process: what homenode calls of libcuda.so.1, for tests
// of how it is called. Copies move 10 GB/s to the GPU and 20 from it, a load takes 800 ns;
// FAKE_CUDA names what fails: init, none (no GPU), pin, compile.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int Status;
typedef unsigned long long Address;

static double now_ms;

static int fails(const char* what) {
  const char* named = getenv("FAKE_CUDA");
  return named != NULL && strcmp(named, what) == 0;
}

Status cuInit(unsigned flags) {
  (void)flags;
  return fails("init") ? 999 : fails("none") ? 100 : 0;
}
Status cuDriverGetVersion(int* version) {
  *version = 13020;
  return 0;
}
Status cuGetErrorString(Status status, const char** words) {
  if (status == 1) return 1;
  *words = status == 2 ? "out of memory" : "made to fail";
  return 0;
}
Status cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
Status cuDeviceGet(int* device, int ordinal) {
  *device = 7 + ordinal;
  return 0;
}
Status cuDeviceGetName(char* name, int bytes, int device) {
  (void)device;
  strncpy(name, "A GPU for tests", (size_t)bytes);
  return 0;
}
Status cuDeviceGetPCIBusId(char* address, int bytes, int device) {
  (void)device;
  strncpy(address, "0000:AF:00.0", (size_t)bytes);
  return 0;
}
Status cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = context;
  return device == 7 ? 0 : 101;
}
Status cuDevicePrimaryCtxRelease_v2(int device) {
  return device == 7 ? 0 : 101;
}
Status cuCtxSetCurrent(void* context) {
  return context == NULL ? 201 : 0;
}
Status cuMemHostRegister_v2(void* memory, size_t bytes, unsigned flags) {
  (void)memory, (void)bytes;
  return fails("pin") ? 2 : flags == 3 ? 0 : 1;
}
Status cuMemHostUnregister(void* memory) {
  (void)memory;
  return 0;
}
Status cuMemHostGetDevicePointer_v2(Address* address, void* memory, unsigned flags) {
  (void)flags;
  *address = (uintptr_t)memory + (fails("address") ? 4096 : 0);
  return 0;
}
Status cuMemAlloc_v2(Address* address, size_t bytes) {
  *address = (uintptr_t)malloc(bytes);
  return *address == 0 ? 2 : 0;
}
Status cuMemFree_v2(Address address) {
  free((void*)(uintptr_t)address);
  return 0;
}
Status cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, void* stream) {
  (void)stream;
  memcpy((void*)(uintptr_t)to, from, bytes);
  now_ms += (double)bytes / 10e6;
  return 0;
}
Status cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, void* stream) {
  (void)stream;
  memcpy(to, (const void*)(uintptr_t)from, bytes);
  now_ms += (double)bytes / 20e6;
  return 0;
}
Status cuMemcpyDtoH_v2(void* to, Address from, size_t bytes) {
  memcpy(to, (const void*)(uintptr_t)from, bytes);
  return 0;
}
Status cuEventCreate(void** event, unsigned flags) {
  (void)flags;
  *event = calloc(1, sizeof(double));
  return *event == NULL ? 2 : 0;
}
Status cuEventRecord(void* event, void* stream) {
  (void)stream;
  *(double*)event = now_ms;
  return 0;
}
Status cuEventSynchronize(void* event) {
  return event == NULL;
}
Status cuEventElapsedTime(float* milliseconds, void* begin, void* end) {
  *milliseconds = (float)(*(double*)end - *(double*)begin);
  return 0;
}
Status cuEventDestroy_v2(void* event) {
  free(event);
  return 0;
}
Status cuModuleLoadData(void** module, const void* image) {
  *module = module;
  return fails("compile") || strstr(image, ".entry chase(") == NULL ? 218 : 0;
}
Status cuModuleUnload(void* module) {
  return module == NULL;
}
Status cuModuleGetFunction(void** function, void* module, const char* name) {
  *function = module;
  return strcmp(name, "chase") == 0 ? 0 : 500;
}
Status cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                      unsigned by, unsigned bz, unsigned shared, void* stream, void** parameters,
                      void** extra) {
  (void)stream, (void)extra;
  if (function == NULL || gx * gy * gz * bx * by * bz != 1 || shared != 0) return 1;
  void** at = *(void***)parameters[0];
  const unsigned steps = *(unsigned*)parameters[1];
  for (unsigned i = 0; i < steps; ++i) at = (void**)*at;
  **(void****)parameters[2] = at;
  now_ms += 800e-6 * steps;
  return 0;
}
