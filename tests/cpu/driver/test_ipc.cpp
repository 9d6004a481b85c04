// SPDX-License-Identifier: Apache-2.0
// Memory, events and pools of one process in another one. The process of the tests never calls
// cuInit; each test starts an owner and a user.
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "child_checks.hpp"
#include "driver.hpp"

namespace cutest {
namespace {

constexpr auto FILES = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
constexpr unsigned LAZY = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;

// A process with a context on device 0, and its connection to the other one.
class Peer {
 public:
  explicit Peer(int socket) : socket_(socket) {
    CHECK_CU(0, cu.cuInit(0));
    CHECK_CU(0, cu.cuCtxCreate_v4(&context, nullptr, 0, 0));
    CHECK_CU(0, cu.cuModuleLoadData(&module_, PTX));
  }
  template <class T>
  void send(const T& value) const {
    CHECK(::send(socket_, &value, sizeof value, MSG_NOSIGNAL) == ssize_t{sizeof value});
  }
  template <class T>
  T receive() const {
    T value;
    CHECK(recv(socket_, &value, sizeof value, MSG_WAITALL) == ssize_t{sizeof value});
    return value;
  }
  void meet() const {
    send(1);
    CHECK(receive<int>() == 1);
  }
  // A descriptor of the other process as one of this process.
  int receive_file() const {
    const pid_t process = receive<pid_t>();
    const std::string path =
        "/proc/" + std::to_string(process) + "/fd/" + std::to_string(receive<int>());
    return open(path.c_str(), O_RDWR | O_CLOEXEC);
  }
  void send_file(int file) const {
    send(getpid());
    send(file);
  }
  bool other_has_ended() const {
    char byte;
    return recv(socket_, &byte, 1, 0) == 0;
  }
  void increase(CUdeviceptr p, unsigned by, CUstream stream = nullptr) {
    CUfunction f = nullptr;
    CHECK_CU(0, cu.cuModuleGetFunction(&f, module_, "increase"));
    void* parameters[] = {&p, &by};
    CHECK_CU(0, cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
  }
  void spin(unsigned* flag, CUstream stream) {
    CUfunction f = nullptr;
    CHECK_CU(0, cu.cuModuleGetFunction(&f, module_, "spin"));
    void* parameters[] = {&flag};
    CHECK_CU(0, cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
  }
  // Waits for its end: the other process has no order with this stream.
  void fill(CUdeviceptr p, unsigned value, size_t size) {
    CHECK_CU(0, cu.cuMemsetD32_v2(p, value, size / 4));
    CHECK_CU(0, cu.cuCtxSynchronize());
  }
  unsigned word(CUdeviceptr p) {
    unsigned value = ~0u;
    CHECK_CU(0, cu.cuMemcpyDtoH_v2(&value, p, 4));
    return value;
  }
  CUstream stream() {
    CUstream made = nullptr;
    CHECK_CU(0, cu.cuStreamCreate(&made, CU_STREAM_NON_BLOCKING));
    return made;
  }
  unsigned* flag() {
    unsigned* made = nullptr;
    CHECK_CU(0, cu.cuMemAllocHost_v2(reinterpret_cast<void**>(&made), 64));
    *made = 0;
    return made;
  }

  Driver cu;
  CUcontext context = nullptr;

 private:
  const int socket_;
  CUmodule module_ = nullptr;
};

using Body = std::function<void(Peer&)>;

pid_t start(const int (&sockets)[2], int mine, const Body& body) {
  const pid_t child = fork();
  if (child != 0) return child;
  alarm(60);
  close(sockets[1 - mine]);
  Peer peer(sockets[mine]);
  body(peer);
  std::_Exit(0);
}

void expect_end(pid_t child, bool killed) {
  int status = 0;
  ASSERT_EQ(child, waitpid(child, &status, 0));
  if (killed) return;
  EXPECT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(0, WEXITSTATUS(status));
}

void two_processes(const Body& owner, const Body& user, bool owner_is_killed = false) {
  int sockets[2];
  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
  const pid_t first = start(sockets, 0, owner), second = start(sockets, 1, user);
  close(sockets[0]);
  close(sockets[1]);
  // The user first, so that a killed owner stays a zombie while the user runs.
  expect_end(second, false);
  expect_end(first, owner_is_killed);
}

class Ipc : public ::testing::TestWithParam<size_t> {};

// Small memory comes from the heap, large memory has pages of its own.
TEST_P(Ipc, MemoryIsTheSameInBoth) {
  const size_t size = GetParam();
  two_processes(
      [size](Peer& me) {
        CUdeviceptr before = 0, p = 0;
        CUipcMemHandle handle, again;
        CHECK_CU(0, me.cu.cuMemAlloc_v2(&before, 64));
        CHECK_CU(0, me.cu.cuMemAlloc_v2(&p, size));
        me.fill(p, 5, size);
        CHECK_CU(0, me.cu.cuIpcGetMemHandle(&handle, p));
        CHECK_CU(0, me.cu.cuIpcGetMemHandle(&again, p + 8));
        CHECK(std::memcmp(&handle, &again, sizeof handle) == 0);
        CHECK(me.word(p + size - 4) == 5);
        me.send(handle);
        me.meet();
        CHECK(me.word(p + 4) == 12);
        me.increase(p + 4, 100);
        CHECK_CU(0, me.cu.cuCtxSynchronize());
        me.meet();
        CUdeviceptr own = 0;
        CHECK_CU(CUDA_ERROR_INVALID_CONTEXT, me.cu.cuIpcOpenMemHandle_v2(&own, handle, LAZY));
        CHECK_CU(0, me.cu.cuMemFree_v2(p));
        me.meet();
      },
      [size](Peer& me) {
        const auto handle = me.receive<CUipcMemHandle>();
        CUdeviceptr p = 0, again = 0;
        size_t found = 0, free_before = 0, free_after = 0, total = 0;
        CHECK_CU(0, me.cu.cuMemGetInfo_v2(&free_before, &total));
        CHECK_CU(0, me.cu.cuIpcOpenMemHandle_v2(&p, handle, LAZY));
        CHECK_CU(0, me.cu.cuMemGetAddressRange_v2(nullptr, &found, p));
        CHECK(found == size);
        CHECK_CU(0, me.cu.cuMemGetInfo_v2(&free_after, &total));
        CHECK(free_before == free_after);
        CHECK(me.word(p + size - 4) == 5);
        me.increase(p + 4, 7);
        CHECK_CU(0, me.cu.cuCtxSynchronize());
        me.meet();
        me.meet();
        CHECK(me.word(p + 4) == 112);
        me.meet();  // the owner has freed its memory
        CHECK(me.word(p + 4) == 112);
        CHECK_CU(0, me.cu.cuIpcOpenMemHandle(&again, handle, LAZY));
        CHECK(p == again);
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuMemFree_v2(p));
        CHECK_CU(0, me.cu.cuIpcCloseMemHandle(p));
        CHECK(me.word(p + 4) == 112);
        CHECK_CU(0, me.cu.cuIpcCloseMemHandle(p));
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuIpcCloseMemHandle(p));
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuIpcOpenMemHandle_v2(&p, handle, LAZY));
        me.increase(p, 1);
        CHECK_CU(CUDA_ERROR_ILLEGAL_ADDRESS, me.cu.cuCtxSynchronize());
      });
}
INSTANTIATE_TEST_SUITE_P(Sizes, Ipc, ::testing::Values(16, 4096, 4u << 20));

// The bytes move while another stream of the process is busy with them.
TEST(IpcMemory, MovesWhenNoKernelRuns) {
  two_processes(
      [](Peer& me) {
        CUdeviceptr p = 0;
        CUipcMemHandle handle;
        CHECK_CU(0, me.cu.cuMemAlloc_v2(&p, 8 << 20));
        me.fill(p, 0, 8 << 20);
        CUstream stream = me.stream();
        for (int i = 0; i < 500; ++i) me.increase(p, 1, stream);
        CHECK_CU(0, me.cu.cuIpcGetMemHandle(&handle, p));
        for (int i = 0; i < 500; ++i) me.increase(p, 1, stream);
        CHECK_CU(0, me.cu.cuStreamSynchronize(stream));
        CHECK(me.word(p) == 1000);
        me.send(handle);
        me.meet();
      },
      [](Peer& me) {
        const auto handle = me.receive<CUipcMemHandle>();
        CUdeviceptr p = 0;
        CHECK_CU(0, me.cu.cuIpcOpenMemHandle_v2(&p, handle, LAZY));
        CHECK(me.word(p) == 1000);
        me.meet();
      });
}

TEST(IpcMemory, BadArguments) {
  two_processes(
      [](Peer& me) {
        CUdeviceptr p = 0, managed = 0, pooled = 0;
        CUipcMemHandle handle;
        CHECK_CU(0, me.cu.cuMemAlloc_v2(&p, 64));
        CHECK_CU(0, me.cu.cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
        CHECK_CU(0, me.cu.cuMemAllocAsync(&pooled, 64, nullptr));
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuIpcGetMemHandle(nullptr, p));
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuIpcGetMemHandle(&handle, 0));
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuIpcGetMemHandle(&handle, managed));
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuIpcGetMemHandle(&handle, pooled));
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuIpcCloseMemHandle(p));
        CHECK_CU(0, me.cu.cuIpcGetMemHandle(&handle, p));
        me.send(handle);
        me.meet();
      },
      [](Peer& me) {
        const auto handle = me.receive<CUipcMemHandle>();
        CUdeviceptr p = 0;
        CUevent event = nullptr;
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuIpcOpenMemHandle_v2(nullptr, handle, LAZY));
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuIpcOpenMemHandle_v2(&p, handle, 0));
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuIpcOpenMemHandle_v2(&p, {}, LAZY));
        CUipcEventHandle as_event;
        std::memcpy(&as_event, &handle, sizeof as_event);
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuIpcOpenEventHandle(&event, as_event));
        // Each byte counts, also those that name the process and its descriptor.
        for (size_t i = 0; i < sizeof handle.reserved; ++i) {
          CUipcMemHandle wrong = handle;
          wrong.reserved[i] = static_cast<char>(wrong.reserved[i] ^ 0x41);
          CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuIpcOpenMemHandle_v2(&p, wrong, LAZY));
        }
        CHECK_CU(0, me.cu.cuIpcOpenMemHandle_v2(&p, handle, LAZY));
        CUipcMemHandle other;
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuIpcGetMemHandle(&other, p));
        me.meet();
      });
}

// The memory outlives its owner as long as the user has it open.
TEST(IpcMemory, OwnerIsKilled) {
  two_processes(
      [](Peer& me) {
        CUdeviceptr p = 0;
        CUipcMemHandle handle;
        CHECK_CU(0, me.cu.cuMemAlloc_v2(&p, 1 << 20));
        me.fill(p, 9, 1 << 20);
        CHECK_CU(0, me.cu.cuIpcGetMemHandle(&handle, p));
        me.send(handle);
        me.meet();
        raise(SIGKILL);
      },
      [](Peer& me) {
        const auto handle = me.receive<CUipcMemHandle>();
        CUdeviceptr p = 0;
        CHECK_CU(0, me.cu.cuIpcOpenMemHandle_v2(&p, handle, LAZY));
        me.meet();
        CHECK(me.other_has_ended());
        CHECK(me.word(p + 4096) == 9);
        CHECK_CU(0, me.cu.cuIpcCloseMemHandle(p));
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuIpcOpenMemHandle_v2(&p, handle, LAZY));
      },
      true);
}

TEST(IpcEvent, OrdersTheWorkOfTwoProcesses) {
  two_processes(
      [](Peer& me) {
        CUevent event = nullptr, plain = nullptr;
        CUipcEventHandle handle;
        unsigned* gate = me.flag();
        CUstream stream = me.stream();
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuEventCreate(&event, CU_EVENT_INTERPROCESS));
        CHECK_CU(0, me.cu.cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
        CHECK_CU(CUDA_ERROR_INVALID_HANDLE, me.cu.cuIpcGetEventHandle(&handle, plain));
        CHECK_CU(0, me.cu.cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
        CHECK_CU(0, me.cu.cuEventQuery(event));
        CHECK_CU(0, me.cu.cuIpcGetEventHandle(&handle, event));
        CHECK_CU(CUDA_ERROR_INVALID_CONTEXT, me.cu.cuIpcOpenEventHandle(&plain, handle));
        me.spin(gate, stream);
        CHECK_CU(0, me.cu.cuEventRecord(event, stream));
        CHECK_CU(CUDA_ERROR_NOT_READY, me.cu.cuEventQuery(event));
        me.send(handle);
        me.meet();  // the other process waits
        *gate = 1;
        CHECK_CU(0, me.cu.cuEventSynchronize(event));
        me.meet();
        me.meet();  // the other process has recorded it
        CHECK_CU(CUDA_ERROR_NOT_READY, me.cu.cuEventQuery(event));
        CHECK_CU(0, me.cu.cuStreamWaitEvent(stream, event, 0));
        CHECK_CU(CUDA_ERROR_NOT_READY, me.cu.cuStreamQuery(stream));
        me.meet();
        CHECK_CU(0, me.cu.cuStreamSynchronize(stream));
        CHECK_CU(0, me.cu.cuEventDestroy_v2(event));
      },
      [](Peer& me) {
        const auto handle = me.receive<CUipcEventHandle>();
        CUevent event = nullptr;
        CUstream stream = me.stream();
        CHECK_CU(0, me.cu.cuIpcOpenEventHandle(&event, handle));
        CHECK_CU(CUDA_ERROR_NOT_READY, me.cu.cuEventQuery(event));
        CHECK_CU(0, me.cu.cuStreamWaitEvent(stream, event, 0));
        CHECK_CU(CUDA_ERROR_NOT_READY, me.cu.cuStreamQuery(stream));
        me.meet();
        me.meet();
        CHECK_CU(0, me.cu.cuStreamSynchronize(stream));
        float time = 0;
        CHECK_CU(CUDA_ERROR_INVALID_HANDLE, me.cu.cuEventElapsedTime_v2(&time, event, event));
        unsigned* gate = me.flag();
        me.spin(gate, stream);
        CHECK_CU(0, me.cu.cuEventRecord(event, stream));
        me.meet();
        me.meet();
        *gate = 1;
        CHECK_CU(0, me.cu.cuEventSynchronize(event));
        CHECK_CU(0, me.cu.cuEventDestroy_v2(event));
      });
}

// The work of a process ends with it, and so does a wait for it.
TEST(IpcEvent, RecorderIsKilled) {
  two_processes(
      [](Peer& me) {
        CUevent event = nullptr;
        CUipcEventHandle handle;
        CUstream stream = me.stream();
        CHECK_CU(0, me.cu.cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
        CHECK_CU(0, me.cu.cuIpcGetEventHandle(&handle, event));
        me.spin(me.flag(), stream);
        CHECK_CU(0, me.cu.cuEventRecord(event, stream));
        me.send(handle);
        me.meet();
        raise(SIGKILL);
      },
      [](Peer& me) {
        const auto handle = me.receive<CUipcEventHandle>();
        CUevent event = nullptr;
        CHECK_CU(0, me.cu.cuIpcOpenEventHandle(&event, handle));
        CHECK_CU(CUDA_ERROR_NOT_READY, me.cu.cuEventQuery(event));
        me.meet();
        CHECK_CU(0, me.cu.cuEventSynchronize(event));
        CHECK_CU(0, me.cu.cuEventQuery(event));
      },
      true);
}

CUmemoryPool shareable_pool(Peer& me) {
  CUmemPoolProps props{};
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  props.handleTypes = FILES;
  CUmemoryPool pool = nullptr;
  CHECK_CU(0, me.cu.cuMemPoolCreate(&pool, &props));
  return pool;
}

void* as_handle(int file) { return reinterpret_cast<void*>(static_cast<intptr_t>(file)); }

TEST(IpcPool, MemoryIsTheSameInBoth) {
  two_processes(
      [](Peer& me) {
        CUmemoryPool pool = shareable_pool(me), other = shareable_pool(me), plain = nullptr;
        CUdeviceptr p = 0, of_plain = 0;
        CUmemPoolPtrExportData data;
        int file = -1;
        CHECK_CU(0, me.cu.cuMemAllocFromPoolAsync(&p, 4096, pool, nullptr));
        me.fill(p, 3, 4096);
        CHECK_CU(0, me.cu.cuMemPoolExportToShareableHandle(&file, pool, FILES, 0));
        me.send_file(file);
        CHECK_CU(0, me.cu.cuMemPoolExportToShareableHandle(&file, other, FILES, 0));
        me.send_file(file);
        CHECK_CU(0, me.cu.cuMemPoolExportPointer(&data, p));
        me.send(data);
        me.meet();
        CHECK(me.word(p) == 8);
        CHECK_CU(0, me.cu.cuMemFreeAsync(p, nullptr));
        CHECK_CU(0, me.cu.cuStreamSynchronize(nullptr));
        CHECK_CU(0, me.cu.cuDeviceGetDefaultMemPool(&plain, 0));
        CHECK_CU(0, me.cu.cuMemAllocAsync(&of_plain, 64, nullptr));
        CHECK_CU(CUDA_ERROR_INVALID_VALUE,
                 me.cu.cuMemPoolExportToShareableHandle(&file, plain, FILES, 0));
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuMemPoolExportPointer(&data, of_plain));
        CHECK_CU(0, me.cu.cuMemPoolDestroy(pool));
        me.meet();
      },
      [](Peer& me) {
        CUmemoryPool pool = nullptr, other = nullptr;
        CUdeviceptr p = 0, again = 0, mine = 0;
        const int file = me.receive_file(), other_file = me.receive_file();
        CHECK_CU(0, me.cu.cuMemPoolImportFromShareableHandle(&pool, as_handle(file), FILES, 0));
        CHECK_CU(0,
                 me.cu.cuMemPoolImportFromShareableHandle(&other, as_handle(other_file), FILES, 0));
        auto data = me.receive<CUmemPoolPtrExportData>();
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuMemAllocFromPoolAsync(&mine, 64, pool, nullptr));
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuMemPoolImportPointer(&p, other, &data));
        CHECK_CU(0, me.cu.cuMemPoolImportPointer(&p, pool, &data));
        CHECK_CU(0, me.cu.cuMemPoolImportPointer(&again, pool, &data));
        CHECK(me.word(p) == 3);
        me.increase(p, 5);
        CHECK_CU(0, me.cu.cuCtxSynchronize());
        me.meet();
        CHECK_CU(0, me.cu.cuMemFree_v2(p));
        CHECK(me.word(again) == 8);  // two imports end separately
        CHECK_CU(0, me.cu.cuMemFreeAsync(again, nullptr));
        CHECK_CU(0, me.cu.cuStreamSynchronize(nullptr));
        me.meet();  // the owner has freed its memory
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuMemPoolImportPointer(&p, pool, &data));
        for (auto& byte : data.reserved) ++byte;
        CHECK_CU(CUDA_ERROR_INVALID_VALUE, me.cu.cuMemPoolImportPointer(&p, pool, &data));
        CHECK_CU(0, me.cu.cuMemPoolDestroy(pool));
      });
}

TEST(IpcVirtual, PhysicalMemoryInTwoProcesses) {
  constexpr size_t SIZE = 2 << 20;
  two_processes(
      [](Peer& me) {
        CUmemAllocationProp prop{};
        prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
        prop.requestedHandleTypes = FILES;
        CUmemGenericAllocationHandle handle = 0;
        int file = -1;
        CHECK_CU(0, me.cu.cuMemCreate(&handle, SIZE, &prop, 0));
        CHECK_CU(0, me.cu.cuMemExportToShareableHandle(&file, handle, FILES, 0));
        me.send_file(file);
        me.meet();
        CHECK_CU(0, me.cu.cuMemRelease(handle));
      },
      [](Peer& me) {
        CUmemGenericAllocationHandle handle = 0;
        const int file = me.receive_file();
        CHECK_CU(0, me.cu.cuMemImportFromShareableHandle(&handle, as_handle(file), FILES));
        me.meet();
        close(file);
        const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                     CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
        CUdeviceptr p = 0;
        CHECK_CU(0, me.cu.cuMemAddressReserve(&p, SIZE, 0, 0, 0));
        CHECK_CU(0, me.cu.cuMemMap(p, SIZE, 0, handle, 0));
        CHECK_CU(0, me.cu.cuMemSetAccess(p, SIZE, &access, 1));
        me.increase(p, 4);
        CHECK(me.word(p) == 4);
        CHECK_CU(0, me.cu.cuMemUnmap(p, SIZE));
        CHECK_CU(0, me.cu.cuMemRelease(handle));
      });
}

}  // namespace
}  // namespace cutest
