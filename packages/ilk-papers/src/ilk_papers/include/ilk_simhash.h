/* ilk_simhash.h: fingerprints of 64 bits that equal those of ilk's recipes, in C99 or C++.
 *
 *   ilk_roth2013      recipe roth2013, of a text in UTF-8 as it stands
 *   ilk_holub         recipes holub (width 1) and holub-super (width 3), of tokens in UTF-8
 *   ilk_distance      bits in which two fingerprints differ
 *
 * and their parts, for features of your own: ilk_lookup3 or ilk_rabin, ilk_vote, ilk_signs.
 * Tokens are cut and case-folded by the caller, because that needs the tables of Unicode; tokens
 * of ASCII are runs of letters and digits in lower case. Nothing is kept between calls.
 *
 * Part of the Python package ilk-papers. SPDX-License-Identifier: Apache-2.0 */
#ifndef ILK_SIMHASH_H
#define ILK_SIMHASH_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What the functions return. A text without features has no fingerprint: it is not 0. */
enum { ILK_OK = 0, ILK_NO_FEATURES = 1, ILK_NOT_UTF8 = 2, ILK_NO_MEMORY = 3 };

/* V: a sum for each bit, the lowest first. Begin with {0}: ilk_votes v = {{0}}; */
typedef struct { int64_t sums[64]; } ilk_votes;

/* Adds a feature: its weight where its hash has a one, minus its weight where it has a zero. */
static inline void ilk_vote(ilk_votes *v, uint64_t hash, int64_t weight) {
    for (int bit = 0; bit < 64; bit++) v->sums[bit] += (hash >> bit & 1) ? weight : -weight;
}

/* The fingerprint: a one where a sum is above zero; where it is zero, the bit `tie`. */
static inline uint64_t ilk_signs(const ilk_votes *v, int tie) {
    uint64_t made = 0;
    for (int bit = 0; bit < 64; bit++)
        made |= (uint64_t)(v->sums[bit] > 0 || (tie && v->sums[bit] == 0)) << bit;
    return made;
}

/* The bits in which two fingerprints differ: 0 to 64. */
static inline int ilk_distance(uint64_t one, uint64_t other) {
    int bits = 0;
    for (uint64_t left = one ^ other; left; left &= left - 1) bits++;
    return bits;
}

/* Jenkins' lookup3 of 2006 with seeds 0: its first result in the lower 32 bits. */
static inline uint64_t ilk_lookup3(const void *data, size_t length) {
    static const int between[6] = {4, 6, 8, 16, 19, 4}, last[7] = {14, 11, 25, 16, 4, 14, 24};
    const unsigned char *bytes = (const unsigned char *)data;
    uint32_t s[3]; /* a, b, c */
    s[0] = s[1] = s[2] = UINT32_C(0xdeadbeef) + (uint32_t)length;
    for (size_t at = 0; at < length; at++) {
        s[at % 12 / 4] += (uint32_t)bytes[at] << 8 * (at % 4);
        if (at % 12 == 11 && at + 1 < length)
            for (int turn = 0; turn < 6; turn++) {
                uint32_t *a = s + turn % 3, *b = s + (turn + 1) % 3, *c = s + (turn + 2) % 3;
                *a = (*a - *c) ^ (*c << between[turn] | *c >> (32 - between[turn]));
                *c += *b;
            }
    }
    for (int turn = 0; length && turn < 7; turn++) {
        uint32_t *b = s + (turn + 1) % 3, *c = s + (turn + 2) % 3;
        *c = (*c ^ *b) - (*b << last[turn] | *b >> (32 - last[turn]));
    }
    return (uint64_t)s[1] << 32 | s[2];
}

/* Rabin's fingerprint of four UTF-16 units, the first one uppermost; `table` of ilk_rabin_table. */
static inline uint64_t ilk_rabin(const uint64_t table[256], uint64_t run) {
    uint64_t state = UINT64_C(0xd74307d3fd3382db); /* x^64 modulo the polynomial */
    for (int byte = 56; byte >= 0; byte -= 8)
        state = state >> 8 ^ table[(state ^ run >> byte) & 255];
    return state;
}

static inline void ilk_rabin_table(uint64_t table[256]) {
    for (int byte = 0; byte < 256; byte++) {
        uint64_t state = (uint64_t)byte;
        for (int bit = 0; bit < 8; bit++)
            state = state >> 1 ^ ((state & 1) ? UINT64_C(0xd74307d3fd3382db) : 0);
        table[byte] = state;
    }
}

static inline int ilk_compare_runs(const void *one, const void *other) {
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

/* White space of Unicode, of which alone a text has no fingerprint. */
static inline int ilk_is_space(uint32_t c) {
    return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
           c == 0x205f || c == 0x3000;
}

/* The recipe roth2013: the set of the runs of four UTF-16 units of a text; ties give 0. */
static inline int ilk_roth2013(const char *text, size_t length, uint64_t *fingerprint) {
    const unsigned char *bytes = (const unsigned char *)text;
    /* UTF-16 has at most as many units as UTF-8 has bytes, and so many runs at most. */
    uint64_t *runs = (uint64_t *)malloc((length + 1) * sizeof *runs), run = 0, table[256];
    size_t count = 0, units = 0;
    int blank = 1, result = runs ? ILK_OK : ILK_NO_MEMORY;
    for (size_t at = 0; result == ILK_OK && at < length;) {
        uint32_t c = bytes[at++];
        int more = c < 0x80 ? 0 : c < 0xc2 ? 4 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : 4;
        if (more == 4 || (size_t)more > length - at) { result = ILK_NOT_UTF8; break; }
        if (more) c &= 0x3fu >> more;
        for (int byte = 0; byte < more; byte++, at++) {
            if ((bytes[at] & 0xc0) != 0x80) result = ILK_NOT_UTF8;
            c = c << 6 | (bytes[at] & 0x3fu);
        }
        if ((more == 2 && (c < 0x800 || c >> 11 == 27)) || (more == 3 && (c >> 16) - 1 > 15))
            result = ILK_NOT_UTF8;
        blank = blank && ilk_is_space(c);
        for (int unit = c > 0xffff ? 0 : 1; unit < 2; unit++) {
            uint32_t high = 0xd800 + ((c - 0x10000) >> 10), low = 0xdc00 + (c & 0x3ff);
            run = run << 16 | (c <= 0xffff ? c : unit == 0 ? high : low);
            if (++units >= 4) runs[count++] = run;
        }
    }
    if (result == ILK_OK && (blank || !count)) result = ILK_NO_FEATURES;
    if (result == ILK_OK) {
        ilk_votes v = {{0}};
        ilk_rabin_table(table);
        qsort(runs, count, sizeof *runs, ilk_compare_runs);
        for (size_t at = 0; at < count; at++)
            if (!at || runs[at] != runs[at - 1]) ilk_vote(&v, ilk_rabin(table, runs[at]), 1);
        *fingerprint = ilk_signs(&v, 0);
    }
    free(runs);
    return result;
}

/* The recipes holub and holub-super: `width` adjacent tokens with a blank between them are a
 * feature, all of them if there are fewer; it counts as often as it occurs; lookup3; ties give 0.
 * Tokens end with a zero. */
static inline int ilk_holub(const char *const *tokens, size_t count, size_t width,
                            uint64_t *fingerprint) {
    size_t longest = 1;
    if (!width || !count) return ILK_NO_FEATURES;
    if (width > count) width = count;
    for (size_t at = 0; at < count; at++) longest += strlen(tokens[at]) + 1;
    char *feature = (char *)malloc(longest);
    if (!feature) return ILK_NO_MEMORY;
    ilk_votes v = {{0}};
    for (size_t at = 0; at + width <= count; at++) {
        size_t length = 0;
        for (size_t next = at; next < at + width; next++) {
            size_t size = strlen(tokens[next]);
            if (next > at) feature[length++] = ' ';
            memcpy(feature + length, tokens[next], size);
            length += size;
        }
        ilk_vote(&v, ilk_lookup3(feature, length), 1);
    }
    free(feature);
    *fingerprint = ilk_signs(&v, 0);
    return ILK_OK;
}

#endif
