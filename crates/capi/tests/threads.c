/* threads.c - threads that call the library for the first time at the same moment, and share policies. */
#define _XOPEN_SOURCE 600 /* barriers */
#define _DEFAULT_SOURCE   /* MAP_ANONYMOUS */
#include <pthread.h>

#include "check.h"

enum { THREADS = 8, ROUNDS = 2000 };

static pthread_barrier_t start;
static simdpct_decoder decoder;
static simdpct_path_policy policy;
static bool is_right[THREADS];

static void *work(void *number) {
    static const char text[] = "/a/%2e%2e/%7euser/%E2%82%AC/plain/text/that/is/longer";
    static const char decoded[] = "/a/../~user/\xE2\x82\xAC/plain/text/that/is/longer";
    static const char canonical[] = "/~user/%E2%82%AC/plain/text/that/is/longer";
    const size_t len = sizeof text - 1;
    bool right = true;
    pthread_barrier_wait(&start);
    const char *level = simdpct_level();
    for (int round = 0; round < ROUNDS; round++) {
        char output[sizeof text];
        simdpct_result result;
        right &= simdpct_decode(&decoder, text, len, output, len, &result) == SIMDPCT_OK;
        right &= is(result, SIMDPCT_OK, sizeof decoded - 1) && memcmp(output, decoded, result.value) == 0;
        right &= simdpct_path(&policy, text, len, output, len, &result) == SIMDPCT_OK;
        right &= is(result, SIMDPCT_OK, sizeof canonical - 1) && memcmp(output, canonical, result.value) == 0;
        right &= simdpct_inspect(text, len, SIMDPCT_FIND_ALL, NULL) != 0 && simdpct_level() == level;
    }
    is_right[*(int *)number] = right;
    return NULL;
}

int main(void) {
    /* Neither call detects the CPU: the threads do. */
    CHECK(simdpct_decoder_init(&decoder, 0, NULL, NULL));
    CHECK(simdpct_path_policy_init(&policy, "", 0, NULL) == SIMDPCT_OK);
    pthread_t threads[THREADS];
    int numbers[THREADS];
    CHECK(pthread_barrier_init(&start, NULL, THREADS) == 0);
    for (int number = 0; number < THREADS; number++) {
        numbers[number] = number;
        CHECK(pthread_create(&threads[number], NULL, work, &numbers[number]) == 0);
    }
    for (int number = 0; number < THREADS; number++) {
        CHECK(pthread_join(threads[number], NULL) == 0);
        CHECK(is_right[number]);
    }
    return finished("threads");
}
