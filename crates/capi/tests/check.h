/* check.h - helpers of the tests in C: checks, and buffers that touch unmapped memory. */
#ifndef CHECK_H
#define CHECK_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "simdpct.h"

static int failures = 0;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, __func__, #condition); \
            failures++; \
        } \
    } while (0)

static inline bool is(simdpct_result result, uint32_t status, size_t value) {
    return result.status == status && result.value == value;
}

enum { PLACES = 4, ROOM = 1 << 14 };

/* ROOM bytes between two pages that cannot be read. */
static inline unsigned char *between_unreadable(void) {
#ifdef _WIN32
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    size_t page = system.dwPageSize;
    unsigned char *pages = VirtualAlloc(NULL, ROOM + 2 * page, MEM_RESERVE, PAGE_NOACCESS);
    if (pages == NULL || VirtualAlloc(pages + page, ROOM, MEM_COMMIT, PAGE_READWRITE) == NULL) {
        fprintf(stderr, "VirtualAlloc: error %lu\n", GetLastError());
        exit(1);
    }
    return pages + page;
#else
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *pages = mmap(NULL, ROOM + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, ROOM, PROT_READ | PROT_WRITE) != 0) {
        perror("mmap");
        exit(1);
    }
    return pages + page;
#endif
}

/* Memory of `size` bytes that ends where an unreadable page begins. AddressSanitizer sees the accesses of the test. It
 * does not see the library's, which is not instrumented: the page catches those. Each place has its own memory. */
static inline unsigned char *ending(int place, size_t size) {
    static unsigned char *rooms[PLACES];
    if (rooms[place] == NULL) {
        rooms[place] = between_unreadable();
    }
    return rooms[place] + ROOM - size;
}

/* Memory of `size` bytes that begins where an unreadable page ends. */
static inline unsigned char *beginning(int place) {
    return ending(place, ROOM);
}

static inline unsigned char *copy_of(int place, const void *bytes, size_t len) {
    unsigned char *copy = ending(place, len);
    if (len > 0) {
        memcpy(copy, bytes, len);
    }
    return copy;
}

static inline int finished(const char *program) {
    printf("%s: %s\n", program, failures == 0 ? "passed" : "FAILED");
    return failures == 0 ? 0 : 1;
}

#endif
