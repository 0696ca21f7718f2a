-- The same 64 bits, whether they came as a signed or as an unsigned number.
CREATE OR REPLACE MACRO fingerprint_signed(fingerprint) AS (CASE
    WHEN fingerprint > 9223372036854775807
    THEN fingerprint::UBIGINT::HUGEINT - 18446744073709551616 ELSE fingerprint
END)::BIGINT;

-- The number of bits in which two fingerprints differ, and the share of the 64 in which they agree.
-- Two columns of one type need no care; a signed and an unsigned number meet in 128 bits, of which
-- the lower 64 count. Which it is, is known before the first row is read.
CREATE OR REPLACE MACRO hamming_distance(a, b) AS (CASE
    WHEN typeof(a) = 'BIGINT' AND typeof(b) = 'BIGINT' THEN bit_count(xor(a, b))
    ELSE bit_count(xor(a, b) & 18446744073709551615)
END)::INTEGER;

CREATE OR REPLACE MACRO bit_agreement(a, b) AS 1 - hamming_distance(a, b) / 64::DOUBLE;

CREATE OR REPLACE MACRO similarity(a, b) AS bit_agreement(a, b);

-- The places in which two strings differ; what a shorter one lacks differs.
CREATE OR REPLACE MACRO ham_dist(a, b) AS CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN
    length([
        1 FOR place IN list_zip(string_split(a, ''), string_split(b, ''))
        IF place[1] IS DISTINCT FROM place[2]
    ])::INTEGER
END;

CREATE OR REPLACE MACRO HamDist(a, b) AS ham_dist(a, b);

-- The 64 bits as 64 binary digits, or as 16 hexadecimal ones; and back.
CREATE OR REPLACE MACRO fingerprint_to_bits(fingerprint) AS
    fingerprint_signed(fingerprint)::BIT::VARCHAR;

CREATE OR REPLACE MACRO fingerprint_from_bits(bits) AS CASE
    WHEN regexp_full_match(bits, '[01]{64}') THEN bits::BIT::BIGINT
    WHEN bits IS NOT NULL THEN error('not 64 binary digits: ' || bits)
END;

CREATE OR REPLACE MACRO fingerprint_to_hex(fingerprint) AS
    lower(lpad(hex(fingerprint_signed(fingerprint)), 16, '0'));

CREATE OR REPLACE MACRO fingerprint_from_hex(hex) AS CASE
    WHEN regexp_full_match(hex, '[0-9A-Fa-f]{16}') THEN
        fingerprint_signed(TRY_CAST('0x' || hex AS UBIGINT))
    WHEN hex IS NOT NULL THEN error('not 16 hexadecimal digits: ' || hex)
END;
