/*
 * Loaded into a process by LD_PRELOAD, it lets a test make trouble in it. The file that TROUBLE names is shared memory:
 *
 * | offset | length | meaning |
 * |---|---|---|
 * | 0 | 8 | by so many seconds the clock is ahead, as a signed number |
 * | 8 | 8 | 1 while writes and syncs of files wait, as on a disk that takes nothing; 2 while they fail, as on one that was made read-only; 3 while they fail, as on one that is broken; 4 while reads at a place fail, which are DuckDB's |
 *
 * Both have the byte order of the processor. Pipes and sockets are not held up.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *trouble;

__attribute__((constructor)) static void open_trouble(void) {
  const char *file = getenv("TROUBLE");
  int fd = file == NULL ? -1 : open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  void *mapped = mmap(NULL, 16, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped != MAP_FAILED) trouble = mapped;
  close(fd);
}

static int disk_fails(int fd) {
  struct stat file;
  if (trouble == NULL || trouble[1] == 0 || fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) return 0;
  while (trouble[1] == 1) usleep(10000);
  errno = trouble[1] == 3 ? EIO : EROFS;
  return trouble[1] == 2 || trouble[1] == 3;
}

static int reads_fail(int fd) {
  struct stat file;
  if (trouble == NULL || trouble[1] != 4 || fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) return 0;
  errno = EIO;
  return 1;
}

#define FAILING(fails, type, name, parameters, arguments)                \
  type name parameters {                                                 \
    static type (*real) parameters;                                      \
    if (real == NULL) real = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
    return fails(fd) ? -1 : real arguments;                              \
  }
#define HELD(...) FAILING(disk_fails, __VA_ARGS__)
HELD(ssize_t, write, (int fd, const void *bytes, size_t length), (fd, bytes, length))
HELD(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
HELD(ssize_t, pwrite, (int fd, const void *bytes, size_t length, off_t at), (fd, bytes, length, at))
HELD(ssize_t, pwrite64, (int fd, const void *bytes, size_t length, off64_t at), (fd, bytes, length, at))
HELD(ssize_t, pwritev, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at))
HELD(ssize_t, pwritev64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at))
HELD(int, fsync, (int fd), (fd))
HELD(int, fdatasync, (int fd), (fd))
FAILING(reads_fail, ssize_t, pread, (int fd, void *bytes, size_t length, off_t at), (fd, bytes, length, at))
FAILING(reads_fail, ssize_t, pread64, (int fd, void *bytes, size_t length, off64_t at), (fd, bytes, length, at))

static int64_t ahead(void) { return trouble == NULL ? 0 : trouble[0]; }

int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = (int)syscall(SYS_clock_gettime, clock, now);
  if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead();
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (result != NULL) *result = exact.tv_sec;
  return exact.tv_sec;
}
