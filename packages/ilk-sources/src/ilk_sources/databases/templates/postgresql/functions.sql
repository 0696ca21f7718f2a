-- The number of bits in which two fingerprints differ, and the share of the 64 in which they agree.
CREATE OR REPLACE FUNCTION hamming_distance(a bigint, b bigint) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN bit_count((a # b)::bit(64))::integer;

CREATE OR REPLACE FUNCTION bit_agreement(a bigint, b bigint) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN 1 - hamming_distance(a, b) / 64::double precision;

CREATE OR REPLACE FUNCTION similarity(a bigint, b bigint) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN bit_agreement(a, b);

-- The places in which two strings differ; what a shorter one lacks differs.
CREATE OR REPLACE FUNCTION ham_dist(a text, b text) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
    SELECT count(*) FROM unnest(string_to_array(a, NULL), string_to_array(b, NULL)) AS place(x, y)
    WHERE x COLLATE "C" IS DISTINCT FROM y COLLATE "C"
)::integer;

CREATE OR REPLACE FUNCTION HamDist(a text, b text) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ham_dist(a, b);

-- What the functions below raise: an error in the words they give.
CREATE OR REPLACE FUNCTION fingerprint_refused(message text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RAISE EXCEPTION USING MESSAGE = message, ERRCODE = 'invalid_parameter_value';
END
$$;

-- The 64 bits as 64 binary digits, as 16 hexadecimal ones, or as an unsigned number; and back.
CREATE OR REPLACE FUNCTION fingerprint_to_bits(fingerprint bigint) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN fingerprint::bit(64)::text;

CREATE OR REPLACE FUNCTION fingerprint_from_bits(bits text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
    WHEN bits ~ '^[01]{64}$' THEN bits::bit(64)::bigint
    ELSE fingerprint_refused('not 64 binary digits: ' || bits)
END;

CREATE OR REPLACE FUNCTION fingerprint_to_hex(fingerprint bigint) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lpad(to_hex(fingerprint), 16, '0');

CREATE OR REPLACE FUNCTION fingerprint_from_hex(hex text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
    WHEN hex ~ '^[0-9A-Fa-f]{16}$' THEN ('x' || hex)::bit(64)::bigint
    ELSE fingerprint_refused('not 16 hexadecimal digits: ' || hex)
END;

CREATE OR REPLACE FUNCTION fingerprint_signed(unsigned numeric) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
    WHEN unsigned BETWEEN 9223372036854775808 AND 18446744073709551615
    THEN unsigned - 18446744073709551616 ELSE unsigned
END::bigint;
