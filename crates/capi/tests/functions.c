/* functions.c - every function of simdpct.h: what it promises to C. That the results are right for any input is tested
 * in Rust, at the library that this one calls. */
#include "check.h"

/* The functions with a result: checks that they return its status, and that they need no place for it. */
static simdpct_result checked(uint32_t returned, simdpct_result result) {
    CHECK(returned == result.status);
    return result;
}
#define CHECKED(call) \
    simdpct_result result = {77, 77, 77}; \
    uint32_t returned = call; \
    return checked(returned, result)

/* Those from src to dst, with one signature. */
typedef simdpct_result operation(const void *policy, const void *src, size_t len, void *dst, size_t cap);

static simdpct_result decode(const void *policy, const void *src, size_t len, void *dst, size_t cap) {
    CHECKED(simdpct_decode(policy, src, len, dst, cap, &result));
}
static simdpct_result encode(const void *policy, const void *src, size_t len, void *dst, size_t cap) {
    CHECKED(simdpct_encode(policy, src, len, dst, cap, &result));
}
static simdpct_result normalize(const void *policy, const void *src, size_t len, void *dst, size_t cap) {
    CHECKED(simdpct_normalize(policy, src, len, dst, cap, &result));
}
static simdpct_result path(const void *policy, const void *src, size_t len, void *dst, size_t cap) {
    CHECKED(simdpct_path(policy, src, len, dst, cap, &result));
}

/* The others. */
static simdpct_result decoded_len(const simdpct_decoder *decoder, const void *src, size_t len) {
    CHECKED(simdpct_decoded_len(decoder, src, len, &result));
}
static simdpct_result input_offset(const simdpct_decoder *decoder, const void *src, size_t len, size_t offset) {
    CHECKED(simdpct_input_offset(decoder, src, len, offset, &result));
}
static simdpct_result encoded_len(const simdpct_encoder *encoder, const void *src, size_t len) {
    CHECKED(simdpct_encoded_len(encoder, src, len, &result));
}
static simdpct_result path_policy_init(simdpct_path_policy *policy, const char *text, size_t len) {
    CHECKED(simdpct_path_policy_init(policy, text, len, &result));
}
static simdpct_result decode_stream_feed(
    simdpct_decode_stream *stream, const void *src, size_t len, size_t *read, void *dst, size_t cap) {
    CHECKED(simdpct_decode_stream_feed(stream, src, len, read, dst, cap, &result));
}
static simdpct_result decode_stream_finish(simdpct_decode_stream *stream, void *dst, size_t cap) {
    CHECKED(simdpct_decode_stream_finish(stream, dst, cap, &result));
}
static simdpct_result encode_stream_feed(
    simdpct_encode_stream *stream, const void *src, size_t len, size_t *read, void *dst, size_t cap) {
    CHECKED(simdpct_encode_stream_feed(stream, src, len, read, dst, cap, &result));
}
static simdpct_result encode_stream_finish(simdpct_encode_stream *stream, void *dst, size_t cap) {
    CHECKED(simdpct_encode_stream_finish(stream, dst, cap, &result));
}

/* The operations, each with its default policy. */
static const struct {
    operation *run;
    const void *policy;
} operations[] = {
    {decode, &simdpct_decoder_default},
    {encode, &simdpct_encoder_default},
    {normalize, &simdpct_normalizer_default},
    {path, &simdpct_path_policy_default},
};
enum { OPERATIONS = 4 };

/* Space for any policy, at an address that is aligned to nothing. */
typedef union {
    simdpct_decoder decoder;
    simdpct_encoder encoder;
    simdpct_normalizer normalizer;
    simdpct_path_policy path;
    simdpct_decode_stream decode_stream;
    simdpct_encode_stream encode_stream;
} any_policy;

/* Makes text of this length for each operation, with what it changes in it; complete triplets only. */
static void fill(unsigned char *text, size_t len) {
    static const char pattern[] = "/a%2f%7e.b/%E2%82%AC/-/cc";
    for (size_t at = 0; at < len; at++) {
        text[at] = (unsigned char)pattern[at % (sizeof pattern - 1)];
    }
    for (size_t back = 1; back <= 2 && back <= len; back++) {
        if (text[len - back] == '%') {
            memset(text + len - back, 'x', back);
        }
    }
}

static size_t reference_decode(const unsigned char *src, size_t len, unsigned char *dst) {
    size_t written = 0;
    for (size_t at = 0; at < len; at++) {
        unsigned int byte = src[at];
        if (byte == '%') {
            char digits[3] = {(char)src[at + 1], (char)src[at + 2], 0};
            byte = (unsigned int)strtoul(digits, NULL, 16);
            at += 2;
        }
        dst[written++] = (unsigned char)byte;
    }
    return written;
}

static size_t reference_encode(const unsigned char *src, size_t len, unsigned char *dst) {
    static const char digits[] = "0123456789ABCDEF";
    size_t written = 0;
    for (size_t at = 0; at < len; at++) {
        unsigned char byte = src[at];
        if (byte < 0x80 && byte != 0 && strchr("-._~/%", byte) == NULL && !((byte | 32) >= 'a' && (byte | 32) <= 'z')
            && !(byte >= '0' && byte <= '9')) {
            abort();
        }
        if (byte == '/' || byte == '%') {
            dst[written++] = '%';
            dst[written++] = (unsigned char)digits[byte >> 4];
            dst[written++] = (unsigned char)digits[byte & 15];
        } else {
            dst[written++] = byte;
        }
    }
    return written;
}

static void decode_of_every_length_matches_reference_and_stays_in_buffers(void) {
    unsigned char expected[300];
    for (size_t len = 0; len < 300; len++) {
        for (int front = 0; front < 2; front++) {
            unsigned char *src = front ? beginning(0) : ending(0, len);
            fill(src, len);
            size_t needed = reference_decode(src, len, expected);
            unsigned char *dst = ending(1, needed);
            CHECK(is(decode(&simdpct_decoder_default, src, len, dst, needed), SIMDPCT_OK, needed));
            CHECK(memcmp(dst, expected, needed) == 0);
            CHECK(is(decoded_len(&simdpct_decoder_default, src, len), SIMDPCT_OK, needed));
            if (needed > 0) {
                CHECK(is(decode(&simdpct_decoder_default, src, len, ending(1, needed - 1), needed - 1), SIMDPCT_NO_ROOM,
                    needed));
                CHECK(is(decode(&simdpct_decoder_default, src, len, NULL, 0), SIMDPCT_NO_ROOM, needed));
            }
            CHECK(is(decode(&simdpct_decoder_default, src, len, src, len), SIMDPCT_OK, needed));
            CHECK(memcmp(src, expected, needed) == 0);
        }
    }
}

static void encode_of_every_length_matches_reference_and_stays_in_buffers(void) {
    unsigned char expected[900];
    for (size_t len = 0; len < 300; len++) {
        unsigned char *src = ending(0, len);
        fill(src, len);
        size_t needed = reference_encode(src, len, expected);
        unsigned char *dst = ending(1, needed);
        CHECK(is(encode(&simdpct_encoder_default, src, len, dst, needed), SIMDPCT_OK, needed));
        CHECK(memcmp(dst, expected, needed) == 0);
        CHECK(is(encoded_len(&simdpct_encoder_default, src, len), SIMDPCT_OK, needed));
        if (needed > 0) {
            CHECK(is(encode(&simdpct_encoder_default, src, len, ending(1, needed - 1), needed - 1), SIMDPCT_NO_ROOM,
                needed));
        }
    }
}

/* In place and into another buffer, with exact room, on a policy that is aligned to nothing. */
static void outputs_of_every_length_are_the_same_in_place(void) {
    static operation *const changing[] = {decode, normalize, path};
    for (size_t which = 0; which < 3; which++) {
        any_policy made;
        memset(&made, 0, sizeof made);
        if (which == 0) {
            CHECK(simdpct_decoder_init(&made.decoder, 0, NULL, NULL));
        } else if (which == 1) {
            CHECK(simdpct_normalizer_init(&made.normalizer, 0, NULL));
        } else {
            /* A character may be cut off at the end. */
            CHECK(path_policy_init(&made.path, "refuse=", 7).status == SIMDPCT_OK);
        }
        unsigned char space[sizeof(any_policy) + 1];
        void *misaligned = space + ((uintptr_t)space % 2 == 0);
        memcpy(misaligned, &made, sizeof made);
        for (size_t len = 1; len < 300; len++) {
            unsigned char *src = ending(0, len), *dst = ending(1, len), *same = ending(2, len);
            fill(src, len);
            memcpy(same, src, len);
            simdpct_result apart = changing[which](&made, src, len, dst, len);
            simdpct_result in_place = changing[which](misaligned, same, len, same, len);
            CHECK(apart.status == SIMDPCT_OK && apart.value <= len);
            CHECK(is(in_place, apart.status, apart.value));
            CHECK(memcmp(dst, same, apart.value) == 0);
            CHECK(is(changing[which](&made, same, len, same, len - 1), SIMDPCT_NO_ROOM, len));
        }
    }
}

static void overlapping_buffers_are_refused(void) {
    unsigned char buffer[64];
    for (size_t which = 0; which < OPERATIONS; which++) {
        operation *run = operations[which].run;
        const void *policy = operations[which].policy;
        memset(buffer, '/', sizeof buffer);
        CHECK(run(policy, buffer, 16, buffer + 1, 48).status == SIMDPCT_BAD_ARGUMENT);
        CHECK(run(policy, buffer, 16, buffer + 15, 48).status == SIMDPCT_BAD_ARGUMENT);
        CHECK(run(policy, buffer + 1, 16, buffer, 48).status == SIMDPCT_BAD_ARGUMENT);
        CHECK(run(policy, buffer + 47, 16, buffer, 48).status == SIMDPCT_BAD_ARGUMENT);
        CHECK(run(policy, buffer, 16, buffer + 16, 48).status == SIMDPCT_OK);
        memset(buffer, '/', sizeof buffer);
        CHECK(run(policy, buffer + 48, 16, buffer, 48).status == SIMDPCT_OK);
        memset(buffer, '/', sizeof buffer);
        CHECK((run(policy, buffer, 16, buffer, 64).status == SIMDPCT_OK) == (run != encode));
    }
    CHECK(encode(&simdpct_encoder_default, buffer, 16, buffer, 64).status == SIMDPCT_BAD_ARGUMENT);

    simdpct_encode_stream stream;
    size_t read = 7;
    CHECK(simdpct_encode_stream_init(&stream, &simdpct_encoder_default, 0));
    CHECK(encode_stream_feed(&stream, buffer, 16, &read, buffer, 64).status == SIMDPCT_BAD_ARGUMENT);
    CHECK(encode_stream_feed(&stream, buffer, 16, &read, buffer + 8, 56).status == SIMDPCT_BAD_ARGUMENT);
    CHECK(read == 7);
}

static void null_with_length_zero_works_and_with_another_is_refused(void) {
    unsigned char dst[32];
    for (size_t which = 0; which < OPERATIONS - 1; which++) {
        operation *run = operations[which].run;
        const void *policy = operations[which].policy;
        CHECK(is(run(policy, NULL, 0, dst, 4), SIMDPCT_OK, 0));
        CHECK(is(run(policy, NULL, 0, NULL, 0), SIMDPCT_OK, 0));
        CHECK(is(run(policy, "", 0, NULL, 0), SIMDPCT_OK, 0));
        CHECK(run(policy, NULL, 1, dst, 4).status == SIMDPCT_BAD_ARGUMENT);
        CHECK(run(policy, "a", 1, NULL, 4).status == SIMDPCT_BAD_ARGUMENT);
        CHECK(run(policy, NULL, 4, NULL, 4).status == SIMDPCT_BAD_ARGUMENT);
    }
    CHECK(is(path(&simdpct_path_policy_default, NULL, 0, NULL, 0), SIMDPCT_NOT_ABSOLUTE, 0));
    CHECK(path(&simdpct_path_policy_default, NULL, 1, dst, 4).status == SIMDPCT_BAD_ARGUMENT);
    CHECK(is(decoded_len(&simdpct_decoder_default, NULL, 0), SIMDPCT_OK, 0));
    CHECK(decoded_len(&simdpct_decoder_default, NULL, 1).status == SIMDPCT_BAD_ARGUMENT);
    CHECK(is(encoded_len(&simdpct_encoder_default, NULL, 0), SIMDPCT_OK, 0));
    CHECK(encoded_len(&simdpct_encoder_default, NULL, 1).status == SIMDPCT_BAD_ARGUMENT);
    CHECK(is(input_offset(&simdpct_decoder_default, NULL, 0, 0), SIMDPCT_OK, 0));
    CHECK(input_offset(&simdpct_decoder_default, NULL, 1, 0).status == SIMDPCT_BAD_ARGUMENT);
    CHECK(simdpct_is_normal(&simdpct_normalizer_default, NULL, 0)
        && !simdpct_is_normal(&simdpct_normalizer_default, NULL, 1));
    CHECK(simdpct_equivalent(NULL, 0, NULL, 0) && !simdpct_equivalent(NULL, 1, NULL, 1));
    CHECK(!simdpct_path_is_canonical(&simdpct_path_policy_default, NULL, 1) && simdpct_path_split(NULL, 1) == 0);
    CHECK(simdpct_inspect(NULL, 0, SIMDPCT_FIND_ALL, NULL) == 0);
    CHECK(simdpct_kind_from_name(NULL, 3) == 0);

    simdpct_set set;
    CHECK(simdpct_set_from_bytes(&set, NULL, 0) && simdpct_set_count(&set, "abc", 3) == 0);
    CHECK(!simdpct_set_from_bytes(&set, NULL, 1) && !simdpct_set_from_bytes(NULL, "a", 1));
    CHECK(!simdpct_set_from_name(&set, NULL, 4) && !simdpct_set_from_name(NULL, "path", 4));
    CHECK(!simdpct_set_add(&set, NULL, 1) && !simdpct_set_add(NULL, "a", 1) && !simdpct_set_remove(NULL, "a", 1));
    CHECK(!simdpct_set_from_bitmap(&set, NULL) && !simdpct_set_to_bitmap(&set, NULL));
    CHECK(!simdpct_set_to_bitmap(NULL, dst) && simdpct_set_find(NULL, "a", 1) == 0);
    CHECK(simdpct_set_find(&set, NULL, 1) == 0 && simdpct_set_count(NULL, "a", 1) == 1);
    CHECK(simdpct_set_count(&set, NULL, 7) == 7);

    CHECK(!simdpct_decoder_init(NULL, 0, NULL, NULL) && !simdpct_encoder_init(NULL, 0, NULL));
    CHECK(!simdpct_normalizer_init(NULL, 0, NULL) && path_policy_init(NULL, "", 0).status != SIMDPCT_OK);
    simdpct_path_policy policy;
    CHECK(path_policy_init(&policy, NULL, 0).status == SIMDPCT_OK);
    CHECK(path_policy_init(&policy, NULL, 1).status == SIMDPCT_BAD_ARGUMENT);
    CHECK(!simdpct_path_policy_decode(&policy, NULL) && !simdpct_path_policy_refuse(NULL, 0));
    CHECK(!simdpct_decode_stream_init(NULL, &simdpct_decoder_default, 0)
        && !simdpct_encode_stream_init(NULL, &simdpct_encoder_default, 0));
    CHECK(decode_stream_finish(NULL, dst, 4).status == SIMDPCT_BAD_ARGUMENT);
    simdpct_decode_stream stream;
    size_t read;
    CHECK(simdpct_decode_stream_init(&stream, &simdpct_decoder_default, 0));
    CHECK(decode_stream_feed(&stream, "a", 1, NULL, dst, 4).status == SIMDPCT_BAD_ARGUMENT);
    CHECK(decode_stream_feed(&stream, NULL, 1, &read, dst, 4).status == SIMDPCT_BAD_ARGUMENT);
    CHECK(decode_stream_feed(NULL, "a", 1, &read, dst, 4).status == SIMDPCT_BAD_ARGUMENT);
    CHECK(is(decode_stream_feed(&stream, NULL, 0, &read, NULL, 0), SIMDPCT_OK, 0));
    CHECK(is(decode_stream_finish(&stream, NULL, 0), SIMDPCT_OK, 0));
}

static void lengths_over_ptrdiff_max_are_refused(void) {
    const size_t too_long = (size_t)PTRDIFF_MAX + 1;
    unsigned char src[1] = {'/'}, dst[1];
    for (size_t which = 0; which < OPERATIONS; which++) {
        operation *run = operations[which].run;
        const void *policy = operations[which].policy;
        CHECK(run(policy, src, too_long, dst, 1).status == SIMDPCT_BAD_ARGUMENT);
        CHECK(run(policy, src, SIZE_MAX, src, 1).status == SIMDPCT_BAD_ARGUMENT);
        CHECK(run(policy, src, SIZE_MAX, src, SIZE_MAX).status == SIMDPCT_BAD_ARGUMENT);
        CHECK(run(policy, src, 1, dst, SIZE_MAX).status == SIMDPCT_BAD_ARGUMENT);
    }
    CHECK(decoded_len(&simdpct_decoder_default, src, too_long).status == SIMDPCT_BAD_ARGUMENT);
    CHECK(simdpct_inspect(src, too_long, SIMDPCT_FIND_NUL, NULL) == SIMDPCT_FIND_NUL
        && !simdpct_is_normal(&simdpct_normalizer_default, src, too_long));
    CHECK(simdpct_kinds_write(1, (char *)dst, too_long) == 0);
}

static void zeroed_policies_and_those_of_another_type_are_refused(void) {
    unsigned char dst[16];
    any_policy policies[5];
    memset(policies, 0, sizeof policies);
    CHECK(simdpct_decoder_init(&policies[1].decoder, 0, NULL, NULL));
    CHECK(simdpct_encoder_init(&policies[2].encoder, 0, NULL));
    CHECK(simdpct_normalizer_init(&policies[3].normalizer, 0, NULL));
    CHECK(path_policy_init(&policies[4].path, "", 0).status == SIMDPCT_OK);
    for (int which = 0; which < 5; which++) {
        const any_policy *policy = &policies[which];
        uint32_t decoded = which == 1 ? SIMDPCT_OK : SIMDPCT_BAD_ARGUMENT;
        uint32_t encoded = which == 2 ? SIMDPCT_OK : SIMDPCT_BAD_ARGUMENT;
        CHECK(decode(&policy->decoder, "/a", 2, dst, 16).status == decoded);
        CHECK(decoded_len(&policy->decoder, "/a", 2).status == decoded);
        CHECK(input_offset(&policy->decoder, "/a", 2, 1).status == decoded);
        CHECK(encode(&policy->encoder, "/a", 2, dst, 16).status == encoded);
        CHECK(encoded_len(&policy->encoder, "/a", 2).status == encoded);
        CHECK((normalize(&policy->normalizer, "/a", 2, dst, 16).status == SIMDPCT_OK) == (which == 3));
        CHECK(simdpct_is_normal(&policy->normalizer, "/a", 2) == (which == 3));
        CHECK((path(&policy->path, "/a", 2, dst, 16).status == SIMDPCT_OK) == (which == 4));
        CHECK(simdpct_path_is_canonical(&policy->path, "/a", 2) == (which == 4));

        any_policy other = *policy;
        size_t read;
        CHECK(simdpct_path_policy_set(&other.path, SIMDPCT_PATH_SLASH, SIMDPCT_PATH_KEEP) == (which == 4));
        CHECK(simdpct_path_policy_refuse(&other.path, 0) == (which == 4));
        CHECK(decode_stream_feed(&other.decode_stream, "a", 1, &read, dst, 16).status == SIMDPCT_BAD_ARGUMENT);
        CHECK(decode_stream_finish(&other.decode_stream, dst, 16).status == SIMDPCT_BAD_ARGUMENT);
        CHECK(encode_stream_feed(&other.encode_stream, "a", 1, &read, dst, 16).status == SIMDPCT_BAD_ARGUMENT);
        CHECK(encode_stream_finish(&other.encode_stream, dst, 16).status == SIMDPCT_BAD_ARGUMENT);
        CHECK(simdpct_decode_stream_init(&other.decode_stream, &policy->decoder, 0) == (which == 1));
        CHECK(simdpct_encode_stream_init(&other.encode_stream, &policy->encoder, 0) == (which == 2));
    }
}

static void unknown_flags_are_refused_and_leave_the_policy_alone(void) {
    any_policy policy, zeroed;
    memset(&policy, 0, sizeof policy);
    memset(&zeroed, 0, sizeof zeroed);
    for (int bit = 0; bit < 32; bit++) {
        uint32_t flag = UINT32_C(1) << bit;
        if (bit >= 3) {
            CHECK(!simdpct_decoder_init(&policy.decoder, flag | 1, NULL, NULL));
        }
        if (bit >= 4) {
            CHECK(!simdpct_encoder_init(&policy.encoder, flag | 1, NULL));
        }
        if (bit >= 1) {
            CHECK(!simdpct_normalizer_init(&policy.normalizer, flag | 1, NULL));
            CHECK(!simdpct_decode_stream_init(&policy.decode_stream, &simdpct_decoder_default, flag | 1));
        }
        CHECK(!simdpct_encode_stream_init(&policy.encode_stream, &simdpct_encoder_default, flag));
    }
    CHECK(memcmp(&policy, &zeroed, sizeof policy) == 0);
}

static void opaque_arrays_stay_within_their_size(void) {
    simdpct_decoder *decoder = (simdpct_decoder *)(void *)ending(0, sizeof(simdpct_decoder));
    simdpct_encoder *encoder = (simdpct_encoder *)(void *)ending(0, sizeof(simdpct_encoder));
    simdpct_normalizer *normalizer = (simdpct_normalizer *)(void *)ending(0, sizeof(simdpct_normalizer));
    simdpct_path_policy *policy = (simdpct_path_policy *)(void *)ending(0, sizeof(simdpct_path_policy));
    simdpct_decode_stream *decoding = (simdpct_decode_stream *)(void *)ending(0, sizeof(simdpct_decode_stream));
    simdpct_encode_stream *encoding = (simdpct_encode_stream *)(void *)ending(0, sizeof(simdpct_encode_stream));
    simdpct_set *set = (simdpct_set *)(void *)ending(0, sizeof(simdpct_set));
    unsigned char dst[16];
    size_t read;
    CHECK(simdpct_decoder_init(decoder, 0, NULL, NULL) && decode(decoder, "a", 1, dst, 1).status == SIMDPCT_OK);
    CHECK(simdpct_encoder_init(encoder, 0, NULL) && encode(encoder, "a", 1, dst, 1).status == SIMDPCT_OK);
    CHECK(simdpct_normalizer_init(normalizer, 0, NULL) && simdpct_is_normal(normalizer, "a", 1));
    CHECK(path_policy_init(policy, "", 0).status == SIMDPCT_OK && simdpct_path_is_canonical(policy, "/", 1));
    CHECK(simdpct_decode_stream_init(decoding, &simdpct_decoder_default, 0));
    CHECK(is(decode_stream_feed(decoding, "%41", 3, &read, dst, 16), SIMDPCT_OK, 1));
    CHECK(simdpct_encode_stream_init(encoding, &simdpct_encoder_default, 0));
    CHECK(is(encode_stream_feed(encoding, "/", 1, &read, dst, 16), SIMDPCT_OK, 3));
    CHECK(simdpct_set_from_name(set, "path", 4) && simdpct_set_find(set, "a%", 2) == 1);
}

static void decoder_flags_and_sets_have_their_effect(void) {
    simdpct_decoder decoder;
    simdpct_set slash, nul;
    unsigned char dst[64], text[] = "a+%2f%zz";
    CHECK(simdpct_set_from_bytes(&slash, "/", 1) && simdpct_set_from_bytes(&nul, "\0", 1));
    CHECK(is(decode(&simdpct_decoder_default, text, 8, dst, 64), SIMDPCT_MALFORMED, 5));
    CHECK(is(decoded_len(&simdpct_decoder_default, text, 8), SIMDPCT_MALFORMED, 5));
    CHECK(simdpct_decoder_init(&decoder, SIMDPCT_DECODE_LENIENT | SIMDPCT_DECODE_PLUS, NULL, NULL));
    CHECK(is(decode(&decoder, text, 8, dst, 64), SIMDPCT_OK, 6) && memcmp(dst, "a /%zz", 6) == 0);
    CHECK(simdpct_decoder_init(&decoder, 0, &slash, &nul));
    CHECK(is(decode(&decoder, text, 5, dst, 64), SIMDPCT_OK, 5) && memcmp(dst, "a+%2f", 5) == 0);
    simdpct_result result = decode(&decoder, "ab%00", 5, dst, 64);
    CHECK(is(result, SIMDPCT_REJECTED, 2) && result.detail == 0);
    CHECK(simdpct_decoder_init(&decoder, 0, NULL, &slash));
    result = decode(&decoder, "ab%2F", 5, dst, 64);
    CHECK(is(result, SIMDPCT_REJECTED, 2) && result.detail == '/');
}

static void decoding_to_text_reports_the_first_error_in_place_and_apart(void) {
    static const struct {
        const char *text;
        uint32_t status;
        size_t value;
    } cases[] = {
        {"%E2%82%AC", SIMDPCT_OK, 3},
        {"%E2%82", SIMDPCT_INVALID_UTF8, 0},
        {"a%c0%af", SIMDPCT_INVALID_UTF8, 1},
        {"a%FF%zz", SIMDPCT_INVALID_UTF8, 1},
        {"a%zz%FF", SIMDPCT_MALFORMED, 1},
        {"\xC3%A9", SIMDPCT_OK, 2},
        {"%C3\xA9%ED%A0%80", SIMDPCT_INVALID_UTF8, 4},
    };
    simdpct_decoder decoder;
    CHECK(simdpct_decoder_init(&decoder, SIMDPCT_DECODE_UTF8, NULL, NULL));
    for (size_t which = 0; which < sizeof cases / sizeof cases[0]; which++) {
        size_t len = strlen(cases[which].text);
        unsigned char *src = copy_of(0, cases[which].text, len), *dst = ending(1, len);
        CHECK(is(decode(&decoder, src, len, dst, len), cases[which].status, cases[which].value));
        CHECK(is(decoded_len(&decoder, src, len), cases[which].status, cases[which].value));
        CHECK(is(decode(&decoder, src, len, src, len), cases[which].status, cases[which].value));
    }
    /* An error far behind what is checked at once. */
    unsigned char *src = ending(0, 4003);
    memset(src, 'a', 4000);
    memcpy(src + 4000, "%FF", 3);
    CHECK(is(decode(&decoder, src, 4003, src, 4003), SIMDPCT_INVALID_UTF8, 4000));
}

static void input_offset_maps_back_and_reports_the_end(void) {
    CHECK(is(input_offset(&simdpct_decoder_default, "%41b", 4, 1), SIMDPCT_OK, 3));
    CHECK(is(input_offset(&simdpct_decoder_default, "%41b", 4, 2), SIMDPCT_OK, 4));
    CHECK(is(input_offset(&simdpct_decoder_default, "%41b", 4, 3), SIMDPCT_BEYOND_END, 2));
    CHECK(is(input_offset(&simdpct_decoder_default, "%4", 2, 1), SIMDPCT_MALFORMED, 0));
}

static bool encodes(uint32_t flags, const char *set_name, const char *text, const char *expected) {
    simdpct_encoder encoder;
    simdpct_set set;
    unsigned char dst[64];
    if (set_name != NULL && !simdpct_set_from_name(&set, set_name, strlen(set_name))) {
        return false;
    }
    if (!simdpct_encoder_init(&encoder, flags, set_name != NULL ? &set : NULL)) {
        return false;
    }
    simdpct_result result = encode(&encoder, text, strlen(text), dst, sizeof dst);
    return is(result, SIMDPCT_OK, strlen(expected)) && memcmp(dst, expected, result.value) == 0
        && is(encoded_len(&encoder, text, strlen(text)), SIMDPCT_OK, result.value);
}

static void encoder_flags_and_sets_have_their_effect(void) {
    CHECK(encodes(0, NULL, "/a b%20\xC3\xA9", "%2Fa%20b%2520%C3%A9"));
    CHECK(encodes(0, "path", "/a b+", "/a%20b+"));
    CHECK(encodes(SIMDPCT_ENCODE_PLUS, "form", "a b+", "a+b%2B"));
    CHECK(encodes(SIMDPCT_ENCODE_KEEP_TRIPLETS, "path", "/%20 %", "/%20%20%25"));
    CHECK(encodes(SIMDPCT_ENCODE_KEEP_NON_ASCII, "path", "/\xC3\xA9\xFF", "/\xC3\xA9%FF"));
    CHECK(encodes(SIMDPCT_ENCODE_LOWERCASE, NULL, "/", "%2f"));
}

static void normalizer_flags_and_set_have_their_effect(void) {
    simdpct_normalizer normalizer;
    simdpct_set set;
    unsigned char dst[16], buffer[] = "%7e%2f";
    CHECK(
        is(normalize(&simdpct_normalizer_default, "%7e%2f", 6, dst, 6), SIMDPCT_OK, 4) && memcmp(dst, "~%2F", 4) == 0);
    CHECK(is(normalize(&simdpct_normalizer_default, buffer, 6, buffer, 6), SIMDPCT_OK, 4)
        && memcmp(buffer, "~%2F", 4) == 0);
    CHECK(
        is(normalize(&simdpct_normalizer_default, "%7e%2f", 6, dst, 4), SIMDPCT_OK, 4) && memcmp(dst, "~%2F", 4) == 0);
    CHECK(is(normalize(&simdpct_normalizer_default, "%7e%2f", 6, dst, 3), SIMDPCT_NO_ROOM, 4));
    CHECK(is(normalize(&simdpct_normalizer_default, "a%", 2, dst, 16), SIMDPCT_MALFORMED, 1));
    CHECK(is(normalize(&simdpct_normalizer_default, "a%", 2, dst, 1), SIMDPCT_MALFORMED, 1));
    CHECK(simdpct_is_normal(&simdpct_normalizer_default, "~%2F", 4)
        && !simdpct_is_normal(&simdpct_normalizer_default, "%2f", 3)
        && !simdpct_is_normal(&simdpct_normalizer_default, "%", 1));

    CHECK(simdpct_normalizer_init(&normalizer, SIMDPCT_NORMALIZE_KEEP_MALFORMED, NULL));
    CHECK(is(normalize(&normalizer, "%%7e", 4, dst, 4), SIMDPCT_OK, 2) && memcmp(dst, "%~", 2) == 0);
    CHECK(is(normalize(&normalizer, "%%7e", 4, dst, 1), SIMDPCT_NO_ROOM, 2));

    CHECK(simdpct_normalizer_init(&normalizer, SIMDPCT_NORMALIZE_ESCAPE_MALFORMED, NULL));
    unsigned char *src = copy_of(0, "%7e%%7e%2f%4", 12), *out = ending(1, 12);
    CHECK(is(normalize(&normalizer, src, 12, out, 12), SIMDPCT_OK, 12));
    CHECK(memcmp(out, "~%25~%2F%254", 12) == 0);
    CHECK(is(normalize(&normalizer, src, 12, out, 11), SIMDPCT_NO_ROOM, 12));
    CHECK(is(normalize(&normalizer, src, 12, out, 0), SIMDPCT_NO_ROOM, 12));
    CHECK(is(normalize(&normalizer, src, 12, src, 12), SIMDPCT_NO_ROOM, 12) && src[0] == '%');
    CHECK(is(normalize(&normalizer, src, 3, src, 3), SIMDPCT_OK, 1) && src[0] == '~');

    CHECK(simdpct_set_from_bytes(&set, "/", 1) && simdpct_normalizer_init(&normalizer, 0, &set));
    CHECK(is(normalize(&normalizer, "%7e%2f", 6, dst, 6), SIMDPCT_OK, 4) && memcmp(dst, "%7E/", 4) == 0);
    CHECK(!simdpct_normalizer_init(&normalizer, 3, NULL));

    CHECK(simdpct_equivalent("/%7Eu/%2f", 9, "/~u/%2F", 7) && !simdpct_equivalent("/a%2Fb", 6, "/a/b", 4));
}

static void sets_convert_and_search(void) {
    simdpct_set set;
    uint8_t bitmap[32];
    memset(&set, 0, sizeof set);
    CHECK(simdpct_set_count(&set, "abc", 3) == 0 && simdpct_set_add(&set, "ab", 2) && simdpct_set_add(&set, "bc", 2));
    CHECK(simdpct_set_remove(&set, "a", 1));
    CHECK(simdpct_set_count(&set, "abcabc", 6) == 4 && simdpct_set_find(&set, "aac", 3) == 2);
    CHECK(simdpct_set_find(&set, "aaa", 3) == SIZE_MAX);
    CHECK(simdpct_set_to_bitmap(&set, bitmap));
    for (unsigned int byte = 0; byte < 256; byte++) {
        CHECK((bitmap[byte >> 3] >> (byte & 7) & 1) == (byte == 'b' || byte == 'c'));
    }
    memset(bitmap, 0, sizeof bitmap);
    bitmap['/' >> 3] = 1 << ('/' & 7);
    CHECK(simdpct_set_from_bitmap(&set, bitmap) && simdpct_set_find(&set, "ab/", 3) == 2);
    static const char *const names[] = {"component", "path-segment", "path", "query", "query-value", "fragment",
        "userinfo", "reg-name", "uri", "form", "whatwg-path", "reserved", "unreserved", "pchar", "control",
        "non-ascii"};
    for (size_t which = 0; which < sizeof names / sizeof names[0]; which++) {
        CHECK(simdpct_set_from_name(&set, names[which], strlen(names[which])));
    }
    CHECK(!simdpct_set_from_name(&set, "paths", 5) && !simdpct_set_from_name(&set, "", 0));
    CHECK(simdpct_set_find(&set, "a\x80", 2) == 1);
}

static void findings_have_names_positions_and_counts(void) {
    static const struct {
        uint32_t kind;
        const char *name;
        const char *text;
    } kinds[] = {
        {SIMDPCT_FIND_ESCAPE, "escape", "%20"},
        {SIMDPCT_FIND_PLUS, "plus", "+"},
        {SIMDPCT_FIND_MALFORMED, "malformed", "%"},
        {SIMDPCT_FIND_NUL, "nul", "%00"},
        {SIMDPCT_FIND_CONTROL, "control", "%0A"},
        {SIMDPCT_FIND_SLASH, "slash", "%2F"},
        {SIMDPCT_FIND_BACKSLASH, "backslash", "%5C"},
        {SIMDPCT_FIND_DOT, "dot", "%2E"},
        {SIMDPCT_FIND_PERCENT, "percent", "%25"},
        {SIMDPCT_FIND_UNRESERVED, "unreserved", "%41"},
        {SIMDPCT_FIND_PATH_END, "path-end", "%3F"},
        {SIMDPCT_FIND_SEMICOLON, "semicolon", "%3B"},
        {SIMDPCT_FIND_LOWER_HEX, "lower-hex", "%2f"},
        {SIMDPCT_FIND_NON_ASCII, "non-ascii", "\xC3\xA9"},
        {SIMDPCT_FIND_ILLEGAL, "illegal", " "},
        {SIMDPCT_FIND_INVALID_UTF8, "invalid-utf8", "%FF"},
        {SIMDPCT_FIND_DOT_SEGMENT, "dot-segment", "/a/%2e./b"},
        {SIMDPCT_FIND_EMPTY_SEGMENT, "empty-segment", "/a//b"},
        {SIMDPCT_FIND_DOUBLE, "double", "%252F"},
        {SIMDPCT_FIND_UNICODE, "unicode", "%u0041"},
    };
    const size_t known = sizeof kinds / sizeof kinds[0];
    for (size_t which = 0; which < known; which++) {
        const char *text = kinds[which].text;
        CHECK(kinds[which].kind == UINT32_C(1) << which);
        CHECK(strcmp(simdpct_kind_name(kinds[which].kind), kinds[which].name) == 0);
        CHECK(simdpct_kind_from_name(kinds[which].name, strlen(kinds[which].name)) == kinds[which].kind);
        CHECK((simdpct_inspect(text, strlen(text), SIMDPCT_FIND_ALL, NULL) & kinds[which].kind) != 0);
        CHECK(simdpct_inspect(text, strlen(text), kinds[which].kind, NULL) == kinds[which].kind);
    }
    /* The library has no kind that the header lacks. */
    CHECK(SIMDPCT_FIND_ALL == (UINT32_C(1) << known) - 1);
    for (size_t bit = known; bit < 32; bit++) {
        CHECK(simdpct_kind_name(UINT32_C(1) << bit) == NULL);
    }
    CHECK(simdpct_kind_name(0) == NULL && simdpct_kind_name(3) == NULL && simdpct_kind_from_name("nu", 2) == 0);

    size_t first = 0;
    const uint32_t found = simdpct_inspect("a+%00%25", 8, SIMDPCT_FIND_ALL, &first);
    CHECK(found
        == (SIMDPCT_FIND_ESCAPE | SIMDPCT_FIND_PLUS | SIMDPCT_FIND_NUL | SIMDPCT_FIND_CONTROL | SIMDPCT_FIND_PERCENT));
    CHECK(first == 1);
    CHECK(simdpct_inspect("a+%00%25", 8, SIMDPCT_FIND_PERCENT, &first) == SIMDPCT_FIND_PERCENT && first == 5);
    CHECK(simdpct_inspect("/a/../b", 7, SIMDPCT_FIND_DOT_SEGMENT, &first) == SIMDPCT_FIND_DOT_SEGMENT && first == 3);
    CHECK(simdpct_inspect("a+%00%25", 8, SIMDPCT_FIND_SLASH, &first) == 0 && first == SIZE_MAX);
    CHECK(simdpct_inspect("a+%00%25", 8, SIMDPCT_FIND_PLUS, NULL) == SIMDPCT_FIND_PLUS);
    first = 7;
    CHECK(simdpct_inspect("%00", 3, 0, &first) == 0 && first == SIZE_MAX);

    simdpct_counts counts;
    CHECK(simdpct_inspect_counting("a+%00%25+", 9, SIMDPCT_FIND_ALL, &counts) == found);
    CHECK(counts.count[0] == 2 && counts.first[0] == 2 && counts.count[1] == 2 && counts.first[1] == 1);
    CHECK(counts.count[5] == 0 && counts.first[5] == SIZE_MAX && counts.count[31] == 0 && counts.first[31] == SIZE_MAX);
    CHECK(simdpct_inspect_counting("+%00", 4, SIMDPCT_FIND_PLUS, &counts) == SIMDPCT_FIND_PLUS && counts.count[3] == 0);
    CHECK(simdpct_inspect_counting("+", 1, SIMDPCT_FIND_ALL, NULL) == SIMDPCT_FIND_PLUS);

    char names[32];
    CHECK(simdpct_kinds_write(SIMDPCT_FIND_NUL | SIMDPCT_FIND_PERCENT, names, sizeof names) == 11);
    CHECK(strcmp(names, "nul,percent") == 0);
    CHECK(simdpct_kinds_write(SIMDPCT_FIND_NUL | SIMDPCT_FIND_PERCENT, NULL, 0) == 11);
    char *small = (char *)ending(0, 5);
    CHECK(simdpct_kinds_write(SIMDPCT_FIND_NUL | SIMDPCT_FIND_PERCENT, small, 5) == 11 && strcmp(small, "nul,") == 0);
    CHECK(simdpct_kinds_write(0, names, sizeof names) == 0 && names[0] == 0);
    CHECK(simdpct_kinds_write(SIMDPCT_FIND_NUL | UINT32_C(1) << 31 | UINT32_C(1) << 30, names, sizeof names) == 11);
    CHECK(strcmp(names, "nul,unknown") == 0);
}

/* A kind that a later header has, and what cannot be valid: found, whatever the text. */
static void what_cannot_be_examined_counts_as_found(void) {
    for (int bit = 0; bit < 32; bit++) {
        const uint32_t kind = UINT32_C(1) << bit, unknown = kind & ~(uint32_t)SIMDPCT_FIND_ALL;
        static const char *const texts[] = {"", "a", "+"};
        simdpct_counts counts;
        size_t first = 7;
        for (size_t which = 0; which < 3; which++) {
            const char *text = texts[which];
            const size_t len = strlen(text);
            const uint32_t plus = len > 0 && *text == '+' ? SIMDPCT_FIND_PLUS : 0;
            CHECK(simdpct_inspect(text, len, kind | SIMDPCT_FIND_PLUS, &first) == (unknown | plus));
            CHECK(first == (unknown != 0 || plus != 0 ? 0 : SIZE_MAX));
            CHECK(simdpct_inspect(text, len, kind | SIMDPCT_FIND_PLUS, NULL) == (unknown | plus));
            CHECK(simdpct_inspect_counting(text, len, kind | SIMDPCT_FIND_PLUS, &counts) == (unknown | plus));
            CHECK(unknown == 0 || (counts.count[bit] == 1 && counts.first[bit] == 0));
        }
        first = 7;
        CHECK(simdpct_inspect(NULL, 1, kind, &first) == kind && first == 0);
        CHECK(simdpct_inspect_counting(NULL, 1, kind, &counts) == kind);
        for (int other = 0; other < 32; other++) {
            CHECK(counts.count[other] == (other == bit) && counts.first[other] == (other == bit ? 0 : SIZE_MAX));
        }
    }
    size_t first = 7;
    CHECK(simdpct_inspect(NULL, 1, 0, &first) == 0 && first == SIZE_MAX);
    /* The position of an unknown word replaces the position of a known word. */
    CHECK(simdpct_inspect("a+", 2, SIMDPCT_FIND_PLUS | UINT32_C(1) << 31, &first)
        == (SIMDPCT_FIND_PLUS | UINT32_C(1) << 31));
    CHECK(first == 0);
}

/* A forgotten policy is an error, also where it would be the default. */
static void policies_that_are_null_are_refused(void) {
    unsigned char dst[16];
    for (size_t which = 0; which < OPERATIONS; which++) {
        CHECK(is(operations[which].run(NULL, "/a", 2, dst, 16), SIMDPCT_BAD_ARGUMENT, 0));
        CHECK(is(operations[which].run(NULL, NULL, 0, NULL, 0), SIMDPCT_BAD_ARGUMENT, 0));
    }
    CHECK(is(decoded_len(NULL, "a", 1), SIMDPCT_BAD_ARGUMENT, 0));
    CHECK(is(input_offset(NULL, "a", 1, 0), SIMDPCT_BAD_ARGUMENT, 0));
    CHECK(is(encoded_len(NULL, "a", 1), SIMDPCT_BAD_ARGUMENT, 0));
    CHECK(!simdpct_is_normal(NULL, "a", 1) && !simdpct_path_is_canonical(NULL, "/", 1));
    simdpct_decode_stream decoding;
    simdpct_encode_stream encoding;
    CHECK(!simdpct_decode_stream_init(&decoding, NULL, 0) && !simdpct_encode_stream_init(&encoding, NULL, 0));
}

/* The named defaults are the policies of no flags and no sets, byte for byte where both are initialized alike: they
 * give the same results in place, and as a copy that is aligned to nothing. */
static void defaults_are_the_policies_without_options(void) {
    static const char *const texts[] = {"", "/", "/%7e%2f/a b\xC3\xA9", "/%zz", "/a/../b", "/%00", "/%FF"};
    any_policy made[OPERATIONS];
    memset(made, 0, sizeof made);
    CHECK(simdpct_decoder_init(&made[0].decoder, 0, NULL, NULL) && simdpct_encoder_init(&made[1].encoder, 0, NULL));
    CHECK(simdpct_normalizer_init(&made[2].normalizer, 0, NULL));
    CHECK(path_policy_init(&made[3].path, "", 0).status == SIMDPCT_OK);
    static const size_t sizes[OPERATIONS] = {
        sizeof(simdpct_decoder), sizeof(simdpct_encoder), sizeof(simdpct_normalizer), sizeof(simdpct_path_policy)};
    for (size_t which = 0; which < OPERATIONS; which++) {
        unsigned char space[sizeof(any_policy) + 1];
        void *misaligned = space + ((uintptr_t)space % 2 == 0);
        memcpy(misaligned, operations[which].policy, sizes[which]);
        for (size_t text = 0; text < sizeof texts / sizeof texts[0]; text++) {
            unsigned char first[64], second[64], third[64];
            const size_t len = strlen(texts[text]);
            simdpct_result a = operations[which].run(operations[which].policy, texts[text], len, first, sizeof first);
            simdpct_result b = operations[which].run(&made[which], texts[text], len, second, sizeof second);
            simdpct_result c = operations[which].run(misaligned, texts[text], len, third, sizeof third);
            CHECK(is(a, b.status, b.value) && is(c, b.status, b.value) && a.detail == b.detail && c.detail == b.detail);
            if (b.status == SIMDPCT_OK) {
                CHECK(memcmp(first, second, b.value) == 0 && memcmp(third, second, b.value) == 0);
            }
        }
    }
}

/* Only the status matters to some callers. */
static void functions_need_no_place_for_the_result(void) {
    unsigned char dst[16];
    size_t read;
    simdpct_path_policy policy;
    simdpct_decode_stream decoding;
    simdpct_encode_stream encoding;
    CHECK(simdpct_decode(&simdpct_decoder_default, "a", 1, dst, 16, NULL) == SIMDPCT_OK);
    CHECK(simdpct_decode(NULL, "a", 1, dst, 16, NULL) == SIMDPCT_BAD_ARGUMENT);
    CHECK(simdpct_decoded_len(&simdpct_decoder_default, "%", 1, NULL) == SIMDPCT_MALFORMED);
    CHECK(simdpct_input_offset(&simdpct_decoder_default, "a", 1, 2, NULL) == SIMDPCT_BEYOND_END);
    CHECK(simdpct_encode(&simdpct_encoder_default, "/", 1, dst, 1, NULL) == SIMDPCT_NO_ROOM);
    CHECK(simdpct_encoded_len(&simdpct_encoder_default, "/", 1, NULL) == SIMDPCT_OK);
    CHECK(simdpct_normalize(&simdpct_normalizer_default, "a", 1, dst, 16, NULL) == SIMDPCT_OK);
    CHECK(simdpct_path(&simdpct_path_policy_default, "a", 1, dst, 16, NULL) == SIMDPCT_NOT_ABSOLUTE);
    CHECK(simdpct_path_policy_init(&policy, "none", 4, NULL) == SIMDPCT_BAD_ARGUMENT);
    CHECK(simdpct_decode_stream_init(&decoding, &simdpct_decoder_default, 0));
    CHECK(simdpct_decode_stream_feed(&decoding, "a", 1, &read, dst, 16, NULL) == SIMDPCT_OK);
    CHECK(simdpct_decode_stream_finish(&decoding, dst, 16, NULL) == SIMDPCT_OK);
    CHECK(simdpct_encode_stream_init(&encoding, &simdpct_encoder_default, 0));
    CHECK(simdpct_encode_stream_feed(&encoding, "a", 1, &read, dst, 16, NULL) == SIMDPCT_OK);
    CHECK(simdpct_encode_stream_finish(&encoding, dst, 16, NULL) == SIMDPCT_OK);
}

static bool canonical(const char *policy_text, const char *text, uint32_t status, const char *expected) {
    simdpct_path_policy policy;
    unsigned char dst[64];
    if (path_policy_init(&policy, policy_text, strlen(policy_text)).status != SIMDPCT_OK) {
        return false;
    }
    simdpct_result result = path(&policy, text, strlen(text), dst, sizeof dst);
    if (status != SIMDPCT_OK) {
        return result.status == status && result.value == strlen(expected);
    }
    return is(result, SIMDPCT_OK, strlen(expected)) && memcmp(dst, expected, result.value) == 0
        && simdpct_path_is_canonical(&policy, dst, result.value);
}

static void path_policies_read_text_and_options(void) {
    CHECK(canonical("", "/a/%2e%2e/%7eu//x%2fy", SIMDPCT_OK, "/~u/x%2Fy"));
    CHECK(canonical("strict", "/a//b", SIMDPCT_EMPTY_SEGMENT, "/a/"));
    CHECK(canonical("rfc3986", "/a//../../..", SIMDPCT_OK, "/"));
    CHECK(canonical("nginx", "/a%2fb", SIMDPCT_OK, "/a/b"));
    CHECK(canonical("envoy", "/a%2fb", SIMDPCT_ENCODED_SLASH, "/a"));
    CHECK(canonical("lighttpd", "/a%zz", SIMDPCT_OK, "/a%25zz"));
    CHECK(canonical("  default  slash=decode ", "/a%2fb", SIMDPCT_OK, "/a/b"));
    CHECK(canonical("refuse=nul,percent", "/a%2541", SIMDPCT_REFUSED, "/a"));
    CHECK(canonical("refuse=", "/%01", SIMDPCT_OK, "/%01"));
    CHECK(canonical("decode=pchar", "/%40", SIMDPCT_OK, "/@"));
    CHECK(canonical("malformed=keep", "/%", SIMDPCT_OK, "/%"));
    CHECK(canonical("malformed=refuse", "/%", SIMDPCT_MALFORMED, "/"));
    CHECK(canonical("backslash=keep", "/a%5cb", SIMDPCT_OK, "/a%5Cb"));
    CHECK(canonical("backslash=to-slash", "/a\\b", SIMDPCT_OK, "/a/b"));
    CHECK(canonical("backslash=refuse", "/a\\b", SIMDPCT_BACKSLASH, "/a"));
    CHECK(canonical("dot-segments=keep", "/a/..", SIMDPCT_OK, "/a/.."));
    CHECK(canonical("dot-segments=refuse", "/a/..", SIMDPCT_DOT_SEGMENT, "/a/"));
    CHECK(canonical("dot-segments=remove", "/..", SIMDPCT_ABOVE_ROOT, "/"));
    CHECK(canonical("dot-segments=clamp", "/../a", SIMDPCT_OK, "/a"));
    CHECK(canonical("empty-segments=keep", "//a", SIMDPCT_OK, "//a"));
    CHECK(canonical("empty-segments=refuse", "//a", SIMDPCT_EMPTY_SEGMENT, "/"));
    CHECK(canonical("parameters=keep", "/a;b", SIMDPCT_OK, "/a;b"));
    CHECK(canonical("parameters=refuse", "/a;b", SIMDPCT_PARAMETER, "/a"));
    CHECK(canonical("parameters=strip", "/a;b/c", SIMDPCT_OK, "/a/c"));
    CHECK(canonical("parameters=strip-from-dots", "/a/..;b/c;d", SIMDPCT_OK, "/c;d"));
    CHECK(canonical("illegal=keep", "/ ", SIMDPCT_OK, "/ "));
    CHECK(canonical("illegal=escape", "/ ", SIMDPCT_OK, "/%20"));
    CHECK(canonical("illegal=refuse", "/ ", SIMDPCT_ILLEGAL_BYTE, "/"));
    CHECK(canonical("illegal=nginx", "/a|b#c", SIMDPCT_OK, "/a|b")
        && canonical("nginx", "/ ", SIMDPCT_ILLEGAL_BYTE, "/"));
    CHECK(canonical("hidden-segments=keep", "/..%2f", SIMDPCT_OK, "/..%2F"));
    CHECK(canonical("\thidden-segments=refuse\n", "/a/..%2f", SIMDPCT_REFUSED, "/a/"));
    CHECK(canonical("", "a", SIMDPCT_NOT_ABSOLUTE, ""));

    simdpct_path_policy policy, unchanged;
    memset(&policy, 0, sizeof policy);
    CHECK(path_policy_init(&policy, "strict", 6).status == SIMDPCT_OK);
    unchanged = policy;
    static const struct {
        const char *text;
        size_t position;
    } invalid[] = {
        {"none", 0},
        {" none", 1},
        {"slash=refuse strict", 13},
        {"strict slash=clamp", 7},
        {"slash=", 0},
        {"refuse=zero", 0},
        {"decode=x", 0},
        {"Slash=keep", 0},
        {"slash=keep\tslash=keep", 11},
        {"strict \xFF", 7},
    };
    for (size_t which = 0; which < sizeof invalid / sizeof invalid[0]; which++) {
        const char *text = invalid[which].text;
        CHECK(is(path_policy_init(&policy, text, strlen(text)), SIMDPCT_BAD_ARGUMENT, invalid[which].position));
    }
    CHECK(memcmp(&policy, &unchanged, sizeof policy) == 0);
}

/* The numbers of options and values mean what their names do. */
static void path_policy_numbers_are_those_of_the_names(void) {
    static const char *const options[] = {
        "malformed",
        "slash",
        "backslash",
        "dot-segments",
        "empty-segments",
        "parameters",
        "illegal",
        "hidden-segments",
    };
    static const char *const values[] = {
        "keep",
        "refuse",
        "decode",
        "to-slash",
        "remove",
        "clamp",
        "merge",
        "strip",
        "strip-from-dots",
        "escape",
        "nginx",
    };
    static const uint32_t option_numbers[] = {SIMDPCT_PATH_MALFORMED, SIMDPCT_PATH_SLASH, SIMDPCT_PATH_BACKSLASH,
        SIMDPCT_PATH_DOT_SEGMENTS, SIMDPCT_PATH_EMPTY_SEGMENTS, SIMDPCT_PATH_PARAMETERS, SIMDPCT_PATH_ILLEGAL,
        SIMDPCT_PATH_HIDDEN_SEGMENTS};
    static const uint32_t value_numbers[] = {
        SIMDPCT_PATH_KEEP,
        SIMDPCT_PATH_REFUSE,
        SIMDPCT_PATH_DECODE,
        SIMDPCT_PATH_TO_SLASH,
        SIMDPCT_PATH_REMOVE,
        SIMDPCT_PATH_CLAMP,
        SIMDPCT_PATH_MERGE,
        SIMDPCT_PATH_STRIP,
        SIMDPCT_PATH_STRIP_FROM_DOTS,
        SIMDPCT_PATH_ESCAPE,
        SIMDPCT_PATH_NGINX,
    };
    static const char *const samples[] = {
        "/%", "/a%2fb", "/a\\b", "/a/../../b", "/a//b", "/a;b/..;c/d", "/a b", "/a%00", "/a%2541", "/%40"};
    size_t valid = 0;
    for (size_t option = 0; option < 8; option++) {
        for (size_t value = 0; value < 11; value++) {
            char text[64];
            snprintf(text, sizeof text, "%s=%s", options[option], values[value]);
            simdpct_path_policy named, numbered;
            bool is_valid = path_policy_init(&named, text, strlen(text)).status == SIMDPCT_OK;
            CHECK(path_policy_init(&numbered, "", 0).status == SIMDPCT_OK);
            CHECK(simdpct_path_policy_set(&numbered, option_numbers[option], value_numbers[value]) == is_valid);
            for (size_t sample = 0; is_valid && sample < sizeof samples / sizeof samples[0]; sample++) {
                unsigned char first[64], second[64];
                size_t len = strlen(samples[sample]);
                simdpct_result a = path(&named, samples[sample], len, first, sizeof first);
                simdpct_result b = path(&numbered, samples[sample], len, second, sizeof second);
                CHECK(is(a, b.status, b.value) && a.detail == b.detail);
                CHECK(a.status != SIMDPCT_OK || memcmp(first, second, a.value) == 0);
            }
            valid += is_valid;
        }
    }
    CHECK(valid == 26);
    simdpct_path_policy policy;
    CHECK(path_policy_init(&policy, "", 0).status == SIMDPCT_OK);
    CHECK(!simdpct_path_policy_set(&policy, 8, 0) && !simdpct_path_policy_set(&policy, 0, 11));
    CHECK(!simdpct_path_policy_refuse(&policy, UINT32_C(1) << 31));
    CHECK(simdpct_path_policy_refuse(&policy, SIMDPCT_FIND_DOT));
    unsigned char dst[8];
    simdpct_result result = path(&policy, "/a%2e", 5, dst, sizeof dst);
    CHECK(is(result, SIMDPCT_REFUSED, 2) && result.detail == SIMDPCT_FIND_DOT);
    simdpct_set set;
    CHECK(simdpct_set_from_bytes(&set, "@", 1) && simdpct_path_policy_refuse(&policy, 0));
    CHECK(simdpct_path_policy_decode(&policy, &set));
    CHECK(is(path(&policy, "/%40", 4, dst, 8), SIMDPCT_OK, 2) && dst[1] == '@');
}

static void paths_report_the_room_they_need(void) {
    unsigned char *src = copy_of(0, "/a b\xC3\xA9", 6), *dst = ending(1, 12);
    CHECK(is(path(&simdpct_path_policy_default, src, 6, dst, 11), SIMDPCT_NO_ROOM, 12));
    CHECK(is(path(&simdpct_path_policy_default, src, 6, NULL, 0), SIMDPCT_NO_ROOM, 12));
    CHECK(is(path(&simdpct_path_policy_default, src, 6, src, 6), SIMDPCT_NO_ROOM, 12));
    CHECK(is(path(&simdpct_path_policy_default, src, 6, dst, 12), SIMDPCT_OK, 12)
        && memcmp(dst, "/a%20b%C3%A9", 12) == 0);
    CHECK(simdpct_path_split("/a?b?c", 6) == 2 && simdpct_path_split("/a", 2) == 2 && simdpct_path_split("", 0) == 0);
}

static void form_pairs_are_parts_of_the_form(void) {
    static const char *const expected[][2] = {{"a", "1+2"}, {"b", ""}, {"c", ""}, {"", "d"}, {"e", "f=g"}};
    const char *form = (const char *)copy_of(0, "a=1+2&&b&c=&=d&e=f=g", 20);
    size_t at = 0, count = 0;
    simdpct_pair pair;
    while (simdpct_form_next(form, 20, &at, &pair)) {
        CHECK(count < 5 && pair.name_len == strlen(expected[count][0]) && pair.value_len == strlen(expected[count][1]));
        CHECK(memcmp(pair.name, expected[count][0], pair.name_len) == 0);
        CHECK(memcmp(pair.value, expected[count][1], pair.value_len) == 0);
        CHECK(pair.name >= form && pair.value >= pair.name + pair.name_len && pair.value + pair.value_len <= form + 20);
        count++;
    }
    CHECK(count == 5 && at == 20);
    at = 21;
    CHECK(!simdpct_form_next(form, 20, &at, &pair) && at == 21);
    at = 0;
    CHECK(!simdpct_form_next(NULL, 1, &at, &pair) && at == 0);
    CHECK(!simdpct_form_next(NULL, 0, &at, &pair) && at == 0);
    CHECK(!simdpct_form_next("a", 1, NULL, &pair) && !simdpct_form_next("a", 1, &at, NULL));
}

/* Cut everywhere, with outputs of every size, a stream yields what one call does. */
static void streams_yield_the_same_however_they_are_cut(void) {
    static const char text[] = "%E2%82%AC 5 + %41%zz, 100%25 %F0%9F%98%80 plain text that is longer";
    const size_t len = sizeof text - 1;
    simdpct_decoder decoder;
    unsigned char expected[sizeof text], encoded[3 * sizeof text];
    CHECK(simdpct_decoder_init(&decoder, SIMDPCT_DECODE_LENIENT | SIMDPCT_DECODE_UTF8, NULL, NULL));
    simdpct_result whole = decode(&decoder, text, len, expected, sizeof expected);
    simdpct_result whole_encoded = encode(&simdpct_encoder_default, text, len, encoded, sizeof encoded);
    CHECK(whole.status == SIMDPCT_OK && whole_encoded.status == SIMDPCT_OK);
    for (size_t chunk = 1; chunk <= len; chunk++) {
        for (size_t room = 4; room <= 40; room += 3) {
            for (int encoding = 0; encoding < 2; encoding++) {
                simdpct_decode_stream decoding_stream;
                simdpct_encode_stream encoding_stream;
                unsigned char all[3 * sizeof text + 64];
                size_t written = 0;
                simdpct_result result;
                CHECK(simdpct_decode_stream_init(&decoding_stream, &decoder, 0));
                CHECK(simdpct_encode_stream_init(&encoding_stream, &simdpct_encoder_default, 0));
                for (size_t start = 0; start < len; start += chunk) {
                    size_t length = len - start < chunk ? len - start : chunk;
                    unsigned char *piece = copy_of(0, text + start, length);
                    while (length > 0) {
                        size_t read = 0;
                        unsigned char *dst = ending(1, room);
                        result = encoding ? encode_stream_feed(&encoding_stream, piece, length, &read, dst, room)
                                          : decode_stream_feed(&decoding_stream, piece, length, &read, dst, room);
                        CHECK(result.status == SIMDPCT_OK && result.value <= room && read <= length);
                        if (result.status != SIMDPCT_OK) {
                            return;
                        }
                        memcpy(all + written, dst, result.value);
                        written += result.value;
                        piece += read;
                        length -= read;
                    }
                }
                unsigned char *rest = ending(1, 32);
                result = encoding ? encode_stream_finish(&encoding_stream, rest, 32)
                                  : decode_stream_finish(&decoding_stream, rest, 32);
                CHECK(result.status == SIMDPCT_OK);
                memcpy(all + written, rest, result.value);
                written += result.value;
                CHECK(written == (encoding ? whole_encoded.value : whole.value));
                CHECK(memcmp(all, encoding ? encoded : expected, written) == 0);
            }
        }
    }
}

static void streams_report_errors_with_their_position_and_end_once(void) {
    simdpct_decode_stream stream;
    simdpct_encode_stream encoding;
    simdpct_decoder decoder;
    unsigned char dst[64];
    size_t read = 7;
    CHECK(simdpct_decode_stream_init(&stream, &simdpct_decoder_default, 0));
    CHECK(is(decode_stream_feed(&stream, "abc%", 4, &read, dst, 64), SIMDPCT_OK, 3) && read == 4);
    CHECK(is(decode_stream_feed(&stream, "zz", 2, &read, dst, 64), SIMDPCT_MALFORMED, 3) && read == 0);
    CHECK(is(decode_stream_feed(&stream, "a", 1, &read, dst, 64), SIMDPCT_MALFORMED, 3));
    CHECK(is(decode_stream_finish(&stream, dst, 64), SIMDPCT_MALFORMED, 3));

    /* An incomplete triplet is an error at the end only, and LOSSY replaces what is ill-formed. */
    CHECK(simdpct_decoder_init(&decoder, SIMDPCT_DECODE_LENIENT, NULL, NULL));
    CHECK(simdpct_decode_stream_init(&stream, &decoder, SIMDPCT_STREAM_LOSSY));
    CHECK(is(decode_stream_feed(&stream, "%FF%4", 5, &read, dst, 64), SIMDPCT_OK, 3));
    CHECK(memcmp(dst, "\xEF\xBF\xBD", 3) == 0);
    simdpct_decode_stream copy = stream;
    CHECK(is(decode_stream_finish(&stream, dst, 1), SIMDPCT_NO_ROOM, 2));
    CHECK(is(decode_stream_finish(&stream, dst, 2), SIMDPCT_OK, 2) && memcmp(dst, "%4", 2) == 0);
    CHECK(decode_stream_finish(&stream, dst, 64).status == SIMDPCT_BAD_ARGUMENT);
    CHECK(decode_stream_feed(&stream, "a", 1, &read, dst, 64).status == SIMDPCT_BAD_ARGUMENT);
    CHECK(is(decode_stream_feed(&copy, "1", 1, &read, dst, 64), SIMDPCT_OK, 1) && dst[0] == 'A');

    CHECK(simdpct_decoder_init(&decoder, SIMDPCT_DECODE_UTF8, NULL, NULL));
    CHECK(simdpct_decode_stream_init(&stream, &decoder, 0));
    CHECK(decode_stream_feed(&stream, "%C3", 3, &read, dst, 64).status == SIMDPCT_OK);
    CHECK(is(decode_stream_finish(&stream, dst, 64), SIMDPCT_INVALID_UTF8, 0));

    CHECK(simdpct_encode_stream_init(&encoding, &simdpct_encoder_default, 0));
    CHECK(is(encode_stream_feed(&encoding, "//", 2, &read, dst, 64), SIMDPCT_OK, 6) && read == 2);
    CHECK(is(encode_stream_finish(&encoding, NULL, 0), SIMDPCT_OK, 0));
}

static bool describes(simdpct_result result, const char *src, size_t len, const char *expected) {
    char text[512];
    return simdpct_result_write(&result, src, len, text, sizeof text) == strlen(expected)
        && strcmp(text, expected) == 0;
}

static void results_have_names_and_lines_for_a_log(void) {
    static const char *const names[] = {"ok", "bad-argument", "no-room", "malformed", "invalid-utf8", "rejected",
        "beyond-end", "refused", "not-absolute", "illegal-byte", "encoded-slash", "backslash", "parameter",
        "dot-segment", "above-root", "empty-segment", "url-scheme", "url-no-host", "url-host", "url-port"};
    for (uint32_t status = 0; status < 20; status++) {
        CHECK(strcmp(simdpct_status_name(status), names[status]) == 0);
    }
    CHECK(SIMDPCT_URL_PORT == 19 && strcmp(simdpct_status_name(20), "unknown") == 0);
    CHECK(strcmp(simdpct_status_name(UINT32_MAX), "unknown") == 0);

    const char *src = "/a\"\\%00\n\xFF";
    char dst[64];
    simdpct_result result = path(&simdpct_path_policy_default, src, strlen(src), dst, sizeof dst);
    CHECK(describes(result, src, strlen(src), "refused nul,control,invalid-utf8 at byte 4: \"%00\\x0A\\xFF\""));
    CHECK(describes(result, NULL, 0, "refused nul,control,invalid-utf8 at byte 4"));
    result = (simdpct_result){1, SIMDPCT_MALFORMED, 0};
    CHECK(describes(result, src, strlen(src), "malformed at byte 1: \"a\\\"\\\\%00\\x0A\\xFF\""));
    CHECK(describes(result, "a%", 2, "malformed at byte 1: \"%\""));
    CHECK(describes(result, "%", 1, "malformed at byte 1"));
    CHECK(describes(
        result, "x123456789012345678901234567890", 31, "malformed at byte 1: \"123456789012345678901234\"..."));
    CHECK(describes((simdpct_result){3, SIMDPCT_REJECTED, '/'}, NULL, 0, "rejected 0x2F at byte 3"));
    CHECK(describes((simdpct_result){12, SIMDPCT_NO_ROOM, 0}, NULL, 0, "no-room: 12 bytes needed"));
    CHECK(describes((simdpct_result){2, SIMDPCT_BEYOND_END, 0}, NULL, 0, "beyond-end: the decoded form has 2 bytes"));
    CHECK(describes((simdpct_result){0, SIMDPCT_OK, 0}, "a", 1, "ok"));
    CHECK(describes((simdpct_result){0, SIMDPCT_BAD_ARGUMENT, 0}, "a", 1, "bad-argument"));
    CHECK(describes((simdpct_result){7, 99, 1}, NULL, 0, "unknown at byte 7"));
    char *small = (char *)ending(0, 4);
    CHECK(simdpct_result_write(&result, NULL, 0, small, 4) == 19 && strcmp(small, "mal") == 0);

    /* The longest one: all kinds, and bytes that are all escaped. */
    char all[64];
    memset(all, 1, sizeof all);
    result = (simdpct_result){1, SIMDPCT_REFUSED, UINT32_MAX};
    CHECK(simdpct_result_write(&result, all, sizeof all, NULL, 0) < 512);
    char text[512];
    CHECK(simdpct_result_write(NULL, "a", 1, text, sizeof text) == 12 && strcmp(text, "bad-argument") == 0);
}

static void version_is_that_of_the_header(void) {
    char expected[32];
    snprintf(
        expected, sizeof expected, "%d.%d.%d", SIMDPCT_VERSION_MAJOR, SIMDPCT_VERSION_MINOR, SIMDPCT_VERSION_PATCH);
    CHECK(strcmp(simdpct_version(), expected) == 0);
    CHECK(simdpct_version_number()
        == ((uint32_t)SIMDPCT_VERSION_MAJOR << 16 | SIMDPCT_VERSION_MINOR << 8 | SIMDPCT_VERSION_PATCH));
#if SIMDPCT_VERSION_NUMBER < 0x000100
#error "the version is at least 0.1.0"
#endif
    CHECK(simdpct_version_number() == SIMDPCT_VERSION_NUMBER);
    const char *level = simdpct_level(), *asked = getenv("SIMDPCT_LEVEL");
    static const char *const levels[] = {"scalar", "sse41", "avx2", "avx512", "neon"};
    bool is_known = false;
    for (size_t which = 0; which < 5; which++) {
        is_known |= strcmp(level, levels[which]) == 0;
    }
    CHECK(is_known && (asked == NULL || strcmp(asked, "scalar") != 0 || strcmp(level, "scalar") == 0));
}

static uint32_t check(
    const simdpct_guard *guard, uint32_t method, const char *target, char *dst, simdpct_verdict *verdict) {
    size_t len = strlen(target), cap = 3 * len + 3;
    unsigned char *src = copy_of(0, target, len), *room = ending(1, cap);
    uint32_t action = simdpct_guard_check(guard, method, src, len, room, cap, verdict);
    CHECK(action == verdict->action);
    CHECK(simdpct_guard_check(guard, method, src, len, room, cap, NULL) == action);
    size_t written = action == SIMDPCT_ACTION_REWRITE ? verdict->value : 0;
    memcpy(dst, room, written);
    dst[written] = 0;
    return action;
}

static void guards_pass_rewrite_and_refuse(void) {
    simdpct_guard guard;
    simdpct_result result;
    simdpct_verdict verdict;
    char dst[256], line[1024];
    CHECK(simdpct_guard_from_text(&guard, "query=nul", 9, &result) == SIMDPCT_OK);

    static const struct {
        uint32_t method;
        const char *target, *rewritten, *line;
    } cases[] = {
        {SIMDPCT_METHOD_OTHER, "/a?b", NULL, NULL},
        {SIMDPCT_METHOD_OTHER, "/a/../%7eb?c", "/~b?c", NULL},
        {SIMDPCT_METHOD_OTHER, "/a b", "/a%20b", NULL},
        {SIMDPCT_METHOD_OTHER, "http://h?c", "http://h/?c", NULL},
        {SIMDPCT_METHOD_OPTIONS, "*", NULL, NULL},
        {SIMDPCT_METHOD_CONNECT, "h:80", NULL, NULL},
        {SIMDPCT_METHOD_OTHER, "*", NULL, "refused: not-absolute at byte 0 of target: \"*\""},
        {SIMDPCT_METHOD_OTHER, "/user/%00", NULL, "refused: nul,control at byte 6 of path: \"/user/%00\""},
        {SIMDPCT_METHOD_OTHER, "/a?b=%00", NULL, "refused: nul at byte 2 of query: \"b=%00\""},
        {SIMDPCT_METHOD_OTHER, "/a#b", NULL, "refused: illegal-byte 0x23 at byte 2 of path: \"/a#b\""},
        {SIMDPCT_METHOD_OTHER, "/x/..%2Fa", NULL, "refused: dot-segment at byte 3 of path: \"/x/..%2Fa\""},
        {SIMDPCT_METHOD_OTHER, "/%zz", NULL, "refused: malformed at byte 1 of path: \"/%zz\""},
        {SIMDPCT_METHOD_OTHER, "/..", NULL, "refused: above-root at byte 1 of path: \"/..\""},
        {SIMDPCT_METHOD_OTHER, "/%5C", NULL, "refused: backslash at byte 1 of path: \"/%5C\""},
    };
    for (size_t which = 0; which < sizeof cases / sizeof cases[0]; which++) {
        uint32_t action = check(&guard, cases[which].method, cases[which].target, dst, &verdict);
        size_t len = strlen(cases[which].target);
        size_t line_len = simdpct_verdict_write(&verdict, cases[which].target, len, line, sizeof line);
        CHECK(line_len == strlen(line) && line_len < sizeof line);
        if (cases[which].line != NULL) {
            CHECK(action == SIMDPCT_ACTION_REFUSE && verdict.status != SIMDPCT_OK);
            CHECK(strcmp(line, cases[which].line) == 0);
        } else if (cases[which].rewritten != NULL) {
            CHECK(action == SIMDPCT_ACTION_REWRITE && strcmp(dst, cases[which].rewritten) == 0);
            CHECK(check(&guard, cases[which].method, cases[which].rewritten, dst, &verdict) == SIMDPCT_ACTION_PASS);
        } else {
            CHECK(action == SIMDPCT_ACTION_PASS && verdict.status == SIMDPCT_OK && verdict.value == len);
            CHECK(strcmp(line, "ok") == 0);
        }
    }
    CHECK(check(&guard, SIMDPCT_METHOD_OTHER, "/a?b=%00", dst, &verdict) == SIMDPCT_ACTION_REFUSE);
    CHECK(verdict.status == SIMDPCT_REFUSED && verdict.value == 5 && verdict.detail == SIMDPCT_FIND_NUL);
    CHECK(verdict.part == SIMDPCT_PART_QUERY);

    /* The longest line: bytes of four characters each, and all kinds. */
    unsigned char hostile[200];
    memset(hostile, 0xFF, sizeof hostile);
    simdpct_verdict most = {100, SIMDPCT_REFUSED, UINT32_MAX, SIMDPCT_ACTION_REFUSE, SIMDPCT_PART_TARGET};
    CHECK(simdpct_verdict_write(&most, hostile, sizeof hostile, NULL, 0) < 1024);
    CHECK(simdpct_verdict_write(NULL, "/", 1, line, sizeof line) > 0 && strcmp(line, "refused: bad-argument") == 0);
}

static void guards_that_only_report_pass_everything_unchanged(void) {
    simdpct_guard guard;
    simdpct_verdict verdict;
    char dst[256];
    CHECK(simdpct_guard_init(&guard, &simdpct_path_policy_default, 0, 0, SIMDPCT_GUARD_REPORT_ONLY));
    CHECK(check(&guard, SIMDPCT_METHOD_OTHER, "/a/../b", dst, &verdict) == SIMDPCT_ACTION_PASS);
    CHECK(verdict.status == SIMDPCT_OK && verdict.value == 7);
    CHECK(check(&guard, SIMDPCT_METHOD_OTHER, "/%00", dst, &verdict) == SIMDPCT_ACTION_PASS);
    CHECK(verdict.status == SIMDPCT_REFUSED && verdict.value == 1);
}

static void guards_refuse_hidden_segments_unless_told_to_keep_them(void) {
    simdpct_guard guard;
    simdpct_path_policy policy;
    simdpct_verdict verdict;
    char dst[256];
    CHECK(path_policy_init(&policy, "rfc3986", 7).status == SIMDPCT_OK);
    CHECK(simdpct_guard_init(&guard, &policy, 0, 0, 0));
    CHECK(check(&guard, SIMDPCT_METHOD_OTHER, "/a/..%2Fb", dst, &verdict) == SIMDPCT_ACTION_REFUSE);
    CHECK(verdict.status == SIMDPCT_REFUSED && verdict.detail == SIMDPCT_FIND_DOT_SEGMENT);
    CHECK(simdpct_guard_init(&guard, &policy, 0, 0, SIMDPCT_GUARD_KEEP_HIDDEN_SEGMENTS));
    CHECK(check(&guard, SIMDPCT_METHOD_OTHER, "/a/..%2Fb", dst, &verdict) == SIMDPCT_ACTION_PASS);
}

static void guards_fail_closed(void) {
    simdpct_guard guard, zeroed;
    simdpct_verdict verdict;
    char dst[64];
    memset(&zeroed, 0, sizeof zeroed);
    CHECK(!simdpct_guard_init(&guard, NULL, 0, 0, 4) && !simdpct_guard_init(&guard, NULL, UINT32_C(1) << 31, 0, 0));
    CHECK(!simdpct_guard_init(&guard, (const simdpct_path_policy *)(const void *)&zeroed, 0, 0, 0));
    CHECK(!simdpct_guard_init(NULL, NULL, 0, 0, 0));
    CHECK(simdpct_guard_init(&guard, NULL, SIMDPCT_FIND_NUL, 0, 0));
    CHECK(simdpct_guard_check(&guard, 0, "/a", 2, NULL, 0, &verdict) == SIMDPCT_ACTION_PASS);
    CHECK(simdpct_guard_check(&guard, 0, "/a/../b", 7, NULL, 0, &verdict) == SIMDPCT_ACTION_PASS);
    CHECK(simdpct_guard_check(&guard, 0, "/%00", 4, NULL, 0, &verdict) == SIMDPCT_ACTION_REFUSE);
    CHECK(simdpct_guard_check(NULL, 0, "/a", 2, dst, 9, &verdict) == SIMDPCT_ACTION_REFUSE);
    CHECK(verdict.status == SIMDPCT_BAD_ARGUMENT);
    CHECK(simdpct_guard_check(&zeroed, 0, "/a", 2, dst, 9, &verdict) == SIMDPCT_ACTION_REFUSE);
    CHECK(simdpct_guard_check(&guard, 3, "/a", 2, dst, 9, &verdict) == SIMDPCT_ACTION_REFUSE);
    CHECK(simdpct_guard_check(&guard, 0, NULL, 2, dst, 9, &verdict) == SIMDPCT_ACTION_REFUSE);
    CHECK(simdpct_guard_check(&guard, 0, dst, 2, dst, 2, &verdict) == SIMDPCT_ACTION_REFUSE);
    CHECK(verdict.status == SIMDPCT_BAD_ARGUMENT);
    CHECK(simdpct_guard_init(&guard, &simdpct_path_policy_default, 0, 0, 0));
    for (size_t cap = 0; cap < 6; cap++) {
        unsigned char *room = ending(1, cap);
        CHECK(simdpct_guard_check(&guard, 0, "/a b", 4, room, cap, &verdict) == SIMDPCT_ACTION_REFUSE);
        CHECK(verdict.status == SIMDPCT_NO_ROOM && verdict.value == 6);
    }
    CHECK(simdpct_guard_check(&guard, 0, "/a b", 4, ending(1, 6), 6, &verdict) == SIMDPCT_ACTION_REWRITE);
    CHECK(simdpct_guard_check(&guard, 0, "/a%2Fb", 6, NULL, 0, &verdict) == SIMDPCT_ACTION_PASS || verdict.value == 6);
}

static void texts_of_guards_and_policies_are_explained(void) {
    simdpct_guard guard;
    simdpct_result result;
    char message[512];
    uint32_t kinds = 7;
    CHECK(simdpct_guard_from_text(&guard, "strict strict", 13, &result) == SIMDPCT_BAD_ARGUMENT && result.value == 7);
    CHECK(simdpct_guard_from_text(&guard, "\xFF", 1, &result) == SIMDPCT_BAD_ARGUMENT && result.value == 0);
    CHECK(simdpct_guard_from_text(NULL, "", 0, &result) == SIMDPCT_BAD_ARGUMENT);
    CHECK(simdpct_guard_error("strict strict", 13, message, sizeof message) == strlen(message));
    CHECK(strcmp(message, "\"strict\" at byte 7: a preset comes first") == 0);
    CHECK(simdpct_guard_error("off query=default", 17, message, sizeof message) == 0 && message[0] == 0);
    CHECK(simdpct_path_policy_error("slash=keep\tslash=keep", 21, message, sizeof message) > 0);
    CHECK(strcmp(message, "\"slash=keep\" at byte 11: given twice") == 0);
    CHECK(simdpct_path_policy_error("slash=no", 8, message, 9) > 9 && strlen(message) == 8);
    CHECK(simdpct_kinds_from_text("nul, percent", 12, &kinds) && kinds == (SIMDPCT_FIND_NUL | SIMDPCT_FIND_PERCENT));
    CHECK(simdpct_kinds_from_text("default", 7, &kinds));
    CHECK(kinds
        == (SIMDPCT_FIND_NUL | SIMDPCT_FIND_CONTROL | SIMDPCT_FIND_MALFORMED | SIMDPCT_FIND_INVALID_UTF8
            | SIMDPCT_FIND_BACKSLASH));
    CHECK(!simdpct_kinds_from_text("zero", 4, &kinds) && !simdpct_kinds_from_text("nul", 3, NULL));
    CHECK(simdpct_findings_write("/a", 2, message, sizeof message) == 1 && strcmp(message, "-") == 0);
    CHECK(simdpct_findings_write("/../%00", 7, message, sizeof message) == strlen(message));
    CHECK(strcmp(message, "escape,nul,control,dot-segment") == 0);
    CHECK(simdpct_findings_write(NULL, 1, message, sizeof message) > 0 && strcmp(message, "unknown") == 0);
}

int main(void) {
    version_is_that_of_the_header();
    decode_of_every_length_matches_reference_and_stays_in_buffers();
    encode_of_every_length_matches_reference_and_stays_in_buffers();
    outputs_of_every_length_are_the_same_in_place();
    overlapping_buffers_are_refused();
    null_with_length_zero_works_and_with_another_is_refused();
    lengths_over_ptrdiff_max_are_refused();
    zeroed_policies_and_those_of_another_type_are_refused();
    unknown_flags_are_refused_and_leave_the_policy_alone();
    opaque_arrays_stay_within_their_size();
    decoder_flags_and_sets_have_their_effect();
    decoding_to_text_reports_the_first_error_in_place_and_apart();
    input_offset_maps_back_and_reports_the_end();
    encoder_flags_and_sets_have_their_effect();
    normalizer_flags_and_set_have_their_effect();
    sets_convert_and_search();
    findings_have_names_positions_and_counts();
    what_cannot_be_examined_counts_as_found();
    policies_that_are_null_are_refused();
    defaults_are_the_policies_without_options();
    functions_need_no_place_for_the_result();
    path_policies_read_text_and_options();
    path_policy_numbers_are_those_of_the_names();
    paths_report_the_room_they_need();
    guards_pass_rewrite_and_refuse();
    guards_that_only_report_pass_everything_unchanged();
    guards_refuse_hidden_segments_unless_told_to_keep_them();
    guards_fail_closed();
    texts_of_guards_and_policies_are_explained();
    form_pairs_are_parts_of_the_form();
    streams_yield_the_same_however_they_are_cut();
    streams_report_errors_with_their_position_and_end_once();
    results_have_names_and_lines_for_a_log();
    return finished("functions");
}
