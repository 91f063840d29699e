/*
 * Loaded into a server by LD_PRELOAD: whatever is synced is copied to a folder of its own, so that a test
 * can later give each file the content that a disk would have after the power has gone. A file is known by
 * its inode and the moment of its birth, because names and inodes are used again.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int copyAll(int from, int to, off_t size) {
  char buffer[1 << 16];
  off_t at = 0;
  while (at < size) {
    ssize_t got = pread(from, buffer, sizeof buffer, at);
    if (got <= 0) break;
    if (pwrite(to, buffer, got, at) != got) return -1;
    at += got;
  }
  return ftruncate(to, at);
}

static int keep(int fd) {
  const char *folder = getenv("KEEP_SYNCED_IN");
  struct statx file;
  char path[4096];
  if (folder == NULL) return 0;
  if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &file) != 0) return -1;
  if (!S_ISREG(file.stx_mode)) return 0;
  if (!(file.stx_mask & STATX_BTIME)) return errno = ENOTSUP, -1;
  snprintf(path, sizeof path, "%s/%llu-%lld%09u", folder, (unsigned long long)file.stx_ino,
           (long long)file.stx_btime.tv_sec, file.stx_btime.tv_nsec);
  int copy = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  /* The server may have opened its file for writing only. */
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int from = open(path, O_RDONLY | O_CLOEXEC);
  /* Of two processes that sync one file the later copy must stay. */
  int kept = copy < 0 || from < 0 ? -1 : flock(copy, LOCK_EX);
  if (kept == 0) kept = copyAll(from, copy, file.stx_size);
  if (copy >= 0) close(copy);
  if (from >= 0) close(from);
  return kept;
}

#define SYNC(name)                                             \
  int name(int fd) {                                           \
    static int (*real)(int);                                   \
    if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, #name); \
    return keep(fd) == 0 ? real(fd) : -1;                      \
  }
SYNC(fsync)
SYNC(fdatasync)
