/* Prints the canonical path of each argument, a request target, or the reason why it is refused. */
#include <simdpct.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    simdpct_path_policy policy;
    static const char text[] = "default slash=refuse";
    if (simdpct_path_policy_init(&policy, text, strlen(text), NULL) != SIMDPCT_OK) {
        return 1;
    }
    for (int index = 1; index < argc; index++) {
        const char *target = argv[index];
        char path[1024], line[512];
        size_t len = simdpct_path_split(target, strlen(target));
        simdpct_result result;
        if (simdpct_path(&policy, target, len, path, sizeof path, &result) == SIMDPCT_OK) {
            printf("%.*s\n", (int)result.value, path);
        } else {
            simdpct_result_write(&result, target, len, line, sizeof line);
            printf("400 %s\n", line);
        }
    }
    return 0;
}
