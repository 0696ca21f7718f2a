-- The same 64 bits, whether they came as a signed or as an unsigned number.
CREATE OR REPLACE FUNCTION fingerprint_signed AS (fingerprint) -> toInt64(fingerprint);

-- The number of bits in which two fingerprints differ, and the share of the 64 in which they agree.
CREATE OR REPLACE FUNCTION hamming_distance AS (a, b) -> bitCount(bitXor(toInt64(a), toInt64(b)));

CREATE OR REPLACE FUNCTION bit_agreement AS (a, b) ->
    1 - bitCount(bitXor(toInt64(a), toInt64(b))) / 64;

CREATE OR REPLACE FUNCTION similarity AS (a, b) ->
    1 - bitCount(bitXor(toInt64(a), toInt64(b))) / 64;

-- The places in which two strings differ; what a shorter one lacks differs.
CREATE OR REPLACE FUNCTION ham_dist AS (a, b) -> if(
    isNull(a) OR isNull(b),
    NULL,
    arrayCount(
        place -> substringUTF8(assumeNotNull(a), place, 1)
              != substringUTF8(assumeNotNull(b), place, 1),
        range(1, 1 + greatest(lengthUTF8(assumeNotNull(a)), lengthUTF8(assumeNotNull(b))))
    )
);

CREATE OR REPLACE FUNCTION HamDist AS (a, b) -> ham_dist(a, b);

-- The 64 bits as 64 binary digits, or as 16 hexadecimal ones; and back.
CREATE OR REPLACE FUNCTION fingerprint_to_bits AS (fingerprint) ->
    leftPad(bin(toInt64(fingerprint)), 64, '0');

CREATE OR REPLACE FUNCTION fingerprint_from_bits AS (bits) -> if(
    throwIf(NOT match(bits, '^[01]{64}$'), 'not 64 binary digits') = 0,
    reinterpretAsInt64(reverse(unbin(bits))),
    NULL
);

CREATE OR REPLACE FUNCTION fingerprint_to_hex AS (fingerprint) ->
    leftPad(lower(hex(toInt64(fingerprint))), 16, '0');

CREATE OR REPLACE FUNCTION fingerprint_from_hex AS (hex) -> if(
    throwIf(NOT match(hex, '^[0-9A-Fa-f]{16}$'), 'not 16 hexadecimal digits') = 0,
    reinterpretAsInt64(reverse(unhex(hex))),
    NULL
);
